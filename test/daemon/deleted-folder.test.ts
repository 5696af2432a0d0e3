import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { deleted, outlasts } from "../../src/daemon/process/deleted-folder.ts";
import type { Clock } from "../../src/mirror/clock.ts";

/** A clock whose sleeps take no time; each of them runs the next of some steps first. */
function steppingClock(...steps: readonly (() => void)[]): Clock & { slept: number } {
  const left = [...steps];
  let now = Date.now();
  return {
    slept: 0,
    now: () => now,
    elapsed: () => now,
    async sleep(ms) {
      this.slept += ms;
      now += ms;
      left.shift()?.();
    },
  } as Clock & { slept: number };
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "spliced-deleted-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const never = new AbortController().signal;

test("[EE61] a moved folder was not deleted, and a folder of the same name is another one", async () => {
  const [root, away] = [folder(), join(folder(), "away")];
  const clock = steppingClock(
    () => renameSync(root, away),
    () => mkdirSync(root),
    () => rmSync(away, { recursive: true }),
  );
  await deleted(root, clock, never);
  expect(clock.slept).toBe(6000);
});

test("[EE62] a folder is quiet 10 s after the last name in it has come or gone", async () => {
  const root = folder();
  writeFileSync(join(root, "a"), "");
  const clock = steppingClock();
  expect(await outlasts(root, never, clock)).toBe(true);
  expect(clock.slept).toBeGreaterThan(9000);
  writeFileSync(join(root, "b"), "");
  const deleting = steppingClock(() => rmSync(root, { recursive: true }));
  expect(await outlasts(root, never, deleting)).toBe(false);
});
