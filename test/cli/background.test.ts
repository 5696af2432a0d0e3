import child_process from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import timers, { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { startInBackground } from "../../src/cli/connection/background.ts";
import { replaceBuiltin } from "../helpers/replace-builtin.ts";

/** Has the shell that starts the daemon run another script; undefined for a system without a shell. */
function runInstead(script: string | undefined): string {
  const root = mkdtempSync(join(tmpdir(), "spliced-background-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [command, words] = script === undefined ? ["/no/such/shell", []] : ["/bin/sh", ["-c", script]];
  const instead = (real: typeof child_process.spawn) =>
    ((_command: string, _words: string[], options: child_process.SpawnOptions) =>
      real(command, words, options)) as typeof real;
  replaceBuiltin(child_process, "spawn", instead);
  return root;
}

test.each([
  ["the system has no process for it", "echo sh: 0: Cannot fork >&2; exit 2", "sh: 0: Cannot fork"],
  ["the system cannot start a shell", undefined, "spawn /no/such/shell ENOENT"],
])(
  "[LT5] a start ends with the reason where %s, and leaves nothing behind",
  async (_where, script, reason) => {
    const root = runInstead(script);
    await expect(startInBackground(root)).rejects.toThrow(reason);
    expect(readdirSync(join(root, ".spliced"))).toEqual([]);
  },
);

test("[LT6] a start says after some seconds which process it waits for, and where its log is", async () => {
  const root = runInstead("sleep 600 3>&- & echo $! >pid; cat pid >&3");
  const end = () => process.kill(Number(readFileSync(join(root, "pid"), "utf8")));
  replaceBuiltin(timers, "setTimeout", () => (async () => setImmediate()) as never);
  const write = vi.spyOn(process.stderr, "write");
  onTestFinished(() => write.mockRestore());
  const printed: string[] = [];
  write.mockImplementation((text) => {
    printed.push(String(text));
    end();
    return true;
  });
  await expect(startInBackground(root)).rejects.toThrow("the daemon ended");
  expect(printed).toEqual([
    expect.stringMatching(/^the daemon \(process \d+\) is not ready yet.*\.spliced\/log/),
  ]);
});
