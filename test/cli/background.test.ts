import child_process from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startInBackground } from "../../src/cli/background.ts";
import { replaceBuiltin } from "../helpers/replace-builtin.ts";

test.each([
  ["the system has no process for it", "echo sh: 0: Cannot fork >&2; exit 2", "sh: 0: Cannot fork"],
  ["the system cannot start a shell", undefined, "spawn /no/such/shell ENOENT"],
])(
  "[LT5] a start ends with the reason where %s, and leaves nothing behind",
  async (_where, script, reason) => {
    const root = mkdtempSync(join(tmpdir(), "spliced-background-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    // The script that the shell runs instead of the program; undefined for a system without a shell.
    const [command, words] = script === undefined ? ["/no/such/shell", []] : ["/bin/sh", ["-c", script]];
    const instead = (real: typeof child_process.spawn) =>
      ((_command: string, _words: string[], options: child_process.SpawnOptions) =>
        real(command, words, options)) as typeof real;
    replaceBuiltin(child_process, "spawn", instead);
    await expect(startInBackground(root)).rejects.toThrow(reason);
    expect(readdirSync(join(root, ".spliced"))).toEqual([]);
  },
);
