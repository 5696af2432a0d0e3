import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { addToken, revokeToken } from "../../src/daemon/tokens/token-file.ts";
import { folderWith } from "../helpers/hostile.ts";
import { replaceBuiltin } from "../helpers/replace-builtin.ts";

test("[RI20] a token that was added or revoked stays so after a power cut", async () => {
  const file = join(folderWith(), "tokens.json");
  const steps: string[] = [];
  replaceBuiltin(fs, "fsyncSync", (fsyncSync) => (fd) => {
    steps.push(`flush ${fs.fstatSync(fd).isDirectory() ? "folder" : "file"}`);
    fsyncSync(fd);
  });
  replaceBuiltin(fs, "renameSync", (renameSync) => (from, to) => {
    steps.push("rename");
    renameSync(from, to);
  });
  for (const change of [
    () => addToken(file, "bot", [{ glob: "**", level: "read" }]),
    () => revokeToken(file, "bot"),
  ]) {
    steps.length = 0;
    await change();
    expect(steps.slice(-3)).toEqual(["flush file", "rename", "flush folder"]);
  }
});
