import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { shellPath } from "../../src/cli/terminal/shell-word.ts";

test("[TM84] a path in a command that spliced suggests is one argument for a shell", () => {
  expect(["notes.md", "b c.md", "-x.md"].map(shellPath)).toEqual(["notes.md", "'b c.md'", "./-x.md"]);
  const paths = ["notes.md", "ü/ñ.md", "b c.md", "it's.md", "$(x)`y`.md", "a\\b;c.md", "*", ""];
  const read = (path: string) =>
    execFileSync("sh", ["-c", `printf %s ${shellPath(path)}`], { encoding: "utf8" });
  expect(paths.map(read)).toEqual(paths);
});
