import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { startInBackground } from "../../src/cli/background.ts";

/** The script that the shell runs instead of the program; undefined for a system without a shell. */
const shell = vi.hoisted(() => ({ script: undefined as string | undefined }));

vi.mock("node:child_process", async (original) => {
  const real = await original<typeof import("node:child_process")>();
  const spawn = (_command: string, _words: string[], options: object) =>
    shell.script === undefined
      ? real.spawn("/no/such/shell", [], options)
      : real.spawn("/bin/sh", ["-c", shell.script], options);
  return { ...real, spawn };
});

test.each([
  ["the system has no process for it", "echo sh: 0: Cannot fork >&2; exit 2", "sh: 0: Cannot fork"],
  ["the system cannot start a shell", undefined, "spawn /no/such/shell ENOENT"],
])(
  "[LT5] a start ends with the reason where %s, and leaves nothing behind",
  async (_where, script, reason) => {
    const root = mkdtempSync(join(tmpdir(), "spliced-background-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    shell.script = script;
    await expect(startInBackground(root)).rejects.toThrow(reason);
    expect(readdirSync(join(root, ".spliced"))).toEqual([]);
  },
);
