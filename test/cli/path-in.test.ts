import { dirname } from "node:path";
import { expect, test } from "vitest";
import { pathIn } from "../../src/cli/connection/session.ts";

test("[EE82] a path outside the workspace is refused as it was typed", () => {
  const tree = process.cwd();
  const outside = `${dirname(tree)}/x.md`;
  for (const typed of ["../x.md", "./a/../../x.md", outside])
    expect(() => pathIn({ tree }, typed)).toThrow(`${typed} is outside the workspace ${tree}`);
  expect(pathIn({ tree }, "./a/../b.md")).toBe("b.md");
});
