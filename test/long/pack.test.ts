import { cpSync, existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "../e2e/folder.ts";
import { pack } from "../e2e/npm.ts";

const PROJECT = resolve(import.meta.dirname, "../..");
/** The files of a clone that are packed or that build the package. */
const CLONED = [
  ...["bin", "src", "docs", "README.md", "LICENSE", "daemon.config.ts", ".gitignore"],
  ...["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json", "vite.config.ts"],
];

test("[PK6] packing a clone installs its packages and builds anew, without what an earlier build left", async () => {
  const clone = makeFolder({ "dist/src/gone.js": "" });
  for (const name of CLONED) cpSync(join(PROJECT, name), clone.at(name), { recursive: true });
  const { paths } = await pack(clone.root, makeFolder().root);
  expect(existsSync(clone.at("node_modules/.package-lock.json"))).toBe(true);
  expect(paths).toContain("dist/bin/spliced.js");
  expect(paths).not.toContain("dist/src/gone.js");
});
