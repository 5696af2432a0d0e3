import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemDoubt } from "../../src/state/system-folder.ts";

test("[TM85] the root and the folders of the kernel cannot be workspaces, also by a link", () => {
  const folder = mkdtempSync(join(tmpdir(), "spliced-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(systemDoubt(folder)).toBeUndefined();
  symlinkSync("/dev", join(folder, "link"));
  for (const refused of ["/", "/dev", join(folder, "link")])
    expect(systemDoubt(refused) ?? "", refused).toMatch(/^(it is the root|the files in \/dev)/);
});

test.runIf(existsSync("/dev/shm"))("[TM85] a folder in /dev/shm can be a workspace", () => {
  expect(systemDoubt("/dev/shm")).toBeUndefined();
});
