import { expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../src/mirror/clock.ts";
import { Editor } from "../../src/workspace/edits/editor.ts";
import { maintain } from "../../src/workspace/folder/maintenance.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { FakeDisk } from "../helpers/fake-disk.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { onFakes } from "./fakes.ts";
import { ALICE, accepted } from "./harness.ts";

/** Plays what another program does as a daemon swaps in an agent's edit and dies; returns the next daemon. */
async function deathInSwap(disk: FakeDisk, meanwhile: () => void) {
  const store = new MemoryStore();
  let isDead = false;
  const first = onFakes(disk, store, () => {}, systemClock, {
    before: (what) => {
      if (what === "swap" && !isDead) meanwhile();
    },
    diesInSwap: () => {
      isDead = true;
      return true;
    },
  });
  const editing = new Editor(first.workspace).edit(ALICE, {
    kind: "append",
    path: "a.md",
    plan: planAppend("three\n"),
  });
  await expect.poll(() => isDead).toBe(true);
  expect(disk.text("a.md")).toBe("one\ntwo\nthree\n");
  await Promise.allSettled([editing]);
  const next = onFakes(disk, store.crash());
  await first.workspace.close();
  const ending = new AbortController();
  const maintaining = maintain(next.workspace, ending.signal);
  onTestFinished(async () => {
    ending.abort();
    await maintaining;
    await next.workspace.close();
  });
  return next;
}

test("[I3] a save that a swap displaced just before the daemon died comes back at the next start", async () => {
  const disk = new FakeDisk(systemClock);
  disk.save("a.md", "one\ntwo\n");
  const next = await deathInSwap(disk, () => disk.save("a.md", "one, saved\ntwo\n"));
  const merged = "one, saved\ntwo\nthree\n";
  await vi.waitUntil(() => disk.text("a.md") === merged, 2_000).catch(() => undefined);
  expect(disk.text("a.md")).toBe(merged);
  expect(accepted(await next.workspace.open("a.md")).text.toString()).toBe(merged);
});

test("[I3] so does a save of which only the first part, which ends in a character, was there by then", async () => {
  const disk = new FakeDisk(systemClock);
  disk.save("a.md", "one\ntwo\n");
  let finish = () => {};
  const next = await deathInSwap(disk, () => {
    finish = disk.tear("a.md", "é, saved\ntwo\n", 1);
  });
  accepted(await next.workspace.open("a.md"));
  finish();
  await expect.poll(() => disk.text("a.md"), { timeout: 10_000 }).toBe("é, saved\ntwo\nthree\n");
});
