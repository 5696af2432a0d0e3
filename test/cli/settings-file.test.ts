import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { changeSettings } from "../../src/cli/terminal/settings-file.ts";
import { folderWith } from "../helpers/hostile.ts";

afterEach(() => void vi.restoreAllMocks());

async function remove(file: string): Promise<void> {
  vi.spyOn(process.stdout, "write").mockImplementation(() => true);
  await changeSettings(file, "{}\n", undefined, { yes: true, instead: "" });
}

test("[HK39] a removed file takes its folders along, up to the hidden one", async () => {
  const root = folderWith({ "project/.opencode/plugin/spliced.js": "{}\n" });
  await remove(join(root, "project/.opencode/plugin/spliced.js"));
  expect([".opencode", ""].map((path) => existsSync(join(root, "project", path)))).toEqual([false, true]);
});

test("[HK39] folders stay that have something else, or are not hidden", async () => {
  const root = folderWith({
    ".cursor/mcp.json": "{}\n",
    ".cursor/rules.md": "",
    "settings/mine.json": "{}\n",
  });
  await remove(join(root, ".cursor/mcp.json"));
  await remove(join(root, "settings/mine.json"));
  expect(existsSync(join(root, ".cursor/rules.md"))).toBe(true);
  expect(existsSync(join(root, "settings"))).toBe(true);
});
