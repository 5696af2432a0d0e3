import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { addToken, revokeToken } from "../../src/daemon/token-file.ts";
import { folderWith } from "../helpers/hostile.ts";

/** The steps that bring a file to the disk, in their order. */
const steps = vi.hoisted(() => [] as string[]);

vi.mock("node:fs", async (original) => {
  const real = await original<typeof import("node:fs")>();
  const fsyncSync = (fd: number) => {
    steps.push(`flush ${real.fstatSync(fd).isDirectory() ? "folder" : "file"}`);
    real.fsyncSync(fd);
  };
  const renameSync = (from: string, to: string) => {
    steps.push("rename");
    real.renameSync(from, to);
  };
  return { ...real, fsyncSync, renameSync };
});

test("[RI20] a token that was added or revoked stays so after a power cut", async () => {
  const file = join(folderWith(), "tokens.json");
  for (const change of [
    () => addToken(file, "bot", [{ glob: "**", level: "read" }]),
    () => revokeToken(file, "bot"),
  ]) {
    steps.length = 0;
    await change();
    expect(steps.slice(-3)).toEqual(["flush file", "rename", "flush folder"]);
  }
});
