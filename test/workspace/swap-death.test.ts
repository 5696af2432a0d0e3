import { expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../src/mirror/clock.ts";
import { Editor } from "../../src/workspace/edits/editor.ts";
import { FileBatches } from "../../src/workspace/folder/file-batch.ts";
import { maintain } from "../../src/workspace/folder/maintenance.ts";
import type { Workspace } from "../../src/workspace/folder/workspace.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { drained } from "../helpers/drained.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { FakeDisk, type Inode } from "../helpers/fake-disk.ts";
import type { FakeFiles } from "../helpers/fake-files.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { onFakes } from "./fakes.ts";
import { ALICE, accepted, refused } from "./harness.ts";

type FilesOptions = NonNullable<ConstructorParameters<typeof FakeFiles>[1]>;

/** Appends a line for Alice. */
function append(workspace: Workspace, path: string, line = "three\n") {
  const plan = planAppend(line);
  return new Editor(workspace).edit(ALICE, { kind: "append", path, plan });
}

interface Course {
  /** Makes the edit that the first daemon swaps in as it dies. */
  readonly edit?: (workspace: Workspace) => Promise<unknown>;
  /** What happens to the disk while no daemon runs. */
  readonly afterwards?: () => void;
  /** The work of the next daemon before its maintenance begins. */
  readonly begin?: (workspace: Workspace) => Promise<unknown>;
}

/** Plays what another program does as a daemon swaps in an agent's edit and dies; returns the next daemon. */
async function deathInSwap(
  disk: FakeDisk,
  meanwhile: () => void,
  { edit = (workspace) => append(workspace, "a.md"), afterwards, begin }: Course = {},
) {
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
  const editing = edit(first.workspace);
  await expect.poll(() => isDead).toBe(true);
  await Promise.race([Promise.allSettled([editing]), drained()]);
  afterwards?.();
  const next = onFakes(disk, store.crash());
  await first.workspace.close();
  await begin?.(next.workspace);
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

test("[I3e, DC34] so does a save if a program then writes the file in place, and somebody renames it", async () => {
  const disk = new FakeDisk(systemClock);
  disk.save("a.md", "one\ntwo\n");
  const next = await deathInSwap(disk, () => disk.save("a.md", "one, saved\ntwo\n"), {
    afterwards: () => {
      disk.append("a.md", "four\n");
      disk.move("a.md", "b.md");
    },
    begin: (workspace) => workspace.open("b.md"),
  });
  await expect.poll(() => disk.text("b.md"), { timeout: 10_000 }).toBe("one, saved\ntwo\nthree\nfour\n");
  expect(accepted(await next.workspace.open("b.md")).text.toString()).toBe(disk.text("b.md"));
});

test("[I3e] so does a save of a file that an unfinished batch had renamed: its rename is undone first", async () => {
  const disk = new FakeDisk(systemClock);
  disk.save("a.md", "one\ntwo\n");
  await deathInSwap(disk, () => disk.save("b.md", "one, saved\ntwo\n"), {
    edit: async (workspace) => {
      const { id: docId } = accepted(await workspace.open("a.md"));
      const cause = { batch: { id: "batch-1", size: 1 } };
      const rename = { at: 0, do: "rename", path: "a.md", docId, to: "b.md", cause } as const;
      await new FileBatches(workspace).run(ALICE, [rename], () => append(workspace, "b.md"));
    },
    begin: (workspace) => new FileBatches(workspace).recover(),
  });
  await expect.poll(() => disk.text("a.md")).toBe("one, saved\ntwo\nthree\n");
});

/** A daemon on a fake clock, whose store keeps a write only when the test says so. */
function daemonOn(
  disk: FakeDisk,
  store: MemoryStore,
  clock: FakeClock,
  options: FilesOptions = {},
  report: (event: string) => void = () => {},
) {
  const { files, workspace } = onFakes(disk, store, report, clock, options);
  const ending = new AbortController();
  const maintaining = maintain(workspace, ending.signal).catch(() => undefined); // its store may be gone
  return {
    workspace,
    /** Runs what waits for neither the store nor time. */
    settled: async () => {
      for (let turn = 0; turn < 20; turn++) await drained();
    },
    dies: async (kept = 0) => {
      files.crash();
      const next = store.crash(kept);
      ending.abort();
      await Promise.allSettled([workspace.close(), maintaining]);
      return next;
    },
  };
}

/** Plays `save` as a daemon swaps in an agent's line and dies; `finish` completes what `save` began. */
async function diesInSwap(
  disk: FakeDisk,
  store: MemoryStore,
  clock: FakeClock,
  line: string,
  save: (disk: FakeDisk) => () => void,
) {
  let finish: (() => void) | undefined;
  const daemon = daemonOn(disk, store, clock, {
    before: (what) => {
      if (what === "swap") finish ??= save(disk);
    },
    diesInSwap: () => true,
  });
  await daemon.settled();
  void append(daemon.workspace, "a.md", line);
  for (let i = 0; i < 40 && finish === undefined; i++) {
    store.flush();
    await daemon.settled();
    await clock.advance(5);
  }
  return { store: await daemon.dies(), finish: finish! };
}

/** Returns the text, and that of the file, once a new daemon rests. */
async function rests(disk: FakeDisk, store: MemoryStore, clock: FakeClock) {
  const daemon = daemonOn(disk, store, clock);
  for (let waited = 0; waited < 3_000; waited += 100) {
    store.flush();
    await daemon.settled();
    await clock.advance(100);
  }
  const text = accepted(await daemon.workspace.open("a.md")).text.toString();
  await daemon.dies();
  return [text, disk.text("a.md")];
}

/**
 * Plays what another program does as a daemon swaps in an agent's edit and dies. The next daemon takes `steps` steps of
 * its store and dies, too, with `kept` of the waiting writes. Returns the file's text under the third daemon.
 */
async function deathAfterDeath(
  save: (disk: FakeDisk) => () => void,
  steps: number,
  kept: number,
  trouble: (store: MemoryStore) => void = () => {},
) {
  const clock = new FakeClock();
  const disk = new FakeDisk(clock);
  disk.save("a.md", "one\ntwo\n");
  const first = await diesInSwap(disk, new MemoryStore({ atOnce: false }), clock, "three\n", save);
  let { store } = first;
  expect(disk.text("a.md")).toBe("one\ntwo\nthree\n");
  trouble(store);
  const second = daemonOn(disk, store, clock);
  await second.settled();
  for (let i = 0; i < steps; i++) {
    store.flush(1);
    await clock.advance(20);
    await second.settled();
  }
  store = await second.dies(kept);
  first.finish();
  return rests(disk, store, clock);
}

test("[I3f] a save whose swap was undone is in its place, and nothing is merged beside it", async () => {
  const disk = new FakeDisk(systemClock);
  disk.save("a.md", "one\ntwo\n");
  let saved: Inode | undefined;
  const { workspace } = await deathInSwap(
    disk,
    () => {
      disk.save("a.md", "one, saved\ntwo\n");
      saved = disk.inode("a.md");
    },
    // A swap without an exchange of names links the file first: only that was done.
    { afterwards: () => disk.name("a.md", saved!) },
  );
  const merged = "one, saved\ntwo\nthree\n";
  await expect.poll(() => disk.text("a.md")).toBe(merged);
  const { id, head } = accepted(await workspace.open("a.md"));
  const messages = [...workspace.ports.store.changes(id)].flatMap(({ message }) => message ?? []);
  expect([head.seq > 0, messages.filter((message) => message.startsWith("takes in"))]).toEqual([true, []]);
});

/** The text of `saveWhole` and of the agent's edit. */
const MERGED = "one, saved\ntwo\nthree\n";

/** Saves the file of `deathAfterDeath` in one step. */
function saveWhole(disk: FakeDisk): () => void {
  disk.save("a.md", "one, saved\ntwo\n");
  return () => {};
}

const DEATHS = Array.from({ length: 24 }, (_, i) => [Math.floor(i / 3), i % 3] as const);

test.each(DEATHS)(
  "[I3e] a displaced save is there once, though the next daemon dies after %i steps of its store and %i more writes",
  async (steps, kept) => {
    expect(await deathAfterDeath(saveWhole, steps, kept)).toEqual([MERGED, MERGED]);
  },
);

test.each(DEATHS)(
  "[I3e] so is a save of which a program writes the end later, after %i steps and %i more writes",
  async (steps, kept) => {
    const save = (disk: FakeDisk) => disk.tear("a.md", "one, saved\ntwo\n", 8);
    expect(await deathAfterDeath(save, steps, kept)).toEqual([MERGED, MERGED]);
  },
);

test.each(DEATHS)(
  "[I3e] so is one that the store refuses to the next daemon, which dies after %i steps and %i more writes",
  async (steps, kept) => {
    const refuseMerge = (store: MemoryStore) => store.refuseAppends(Number.POSITIVE_INFINITY);
    expect(await deathAfterDeath(saveWhole, steps, kept, refuseMerge)).toEqual([MERGED, MERGED]);
  },
);

test("[I3e] so is one whose note the store refuses to the next daemon, which writes the file again and dies", async () => {
  const clock = new FakeClock();
  const disk = new FakeDisk(clock);
  disk.save("a.md", "one\ntwo\n");
  const tear = () => disk.tear("a.md", "one, saved\ntwo\n", 8);
  const first = await diesInSwap(disk, new MemoryStore({ atOnce: false }), clock, "three\n", tear);
  first.store.failNext("full");
  const second = daemonOn(disk, first.store, clock);
  first.store.flush();
  await second.settled();
  void append(second.workspace, "a.md", "four\n");
  for (let i = 0; i < 40; i++) {
    first.store.flush();
    await second.settled();
    await clock.advance(5);
  }
  expect(disk.text("a.md")).toBe("one\ntwo\nthree\nfour\n");
  const store = await second.dies();
  first.finish();
  expect(await rests(disk, store, clock)).toEqual([`${MERGED}four\n`, `${MERGED}four\n`]);
});

test("[I3h] a displaced save whose merge a full store refuses is merged when the store has space again", async () => {
  const clock = new FakeClock();
  const disk = new FakeDisk(clock);
  disk.save("a.md", "one\ntwo\n");
  const first = await diesInSwap(disk, new MemoryStore({ atOnce: false }), clock, "three\n", saveWhole);
  first.store.refuseAppends(3);
  const daemon = daemonOn(disk, first.store, clock);
  for (let waited = 0; waited < 30_000; waited += 100) {
    first.store.flush();
    await daemon.settled();
    await clock.advance(100);
  }
  expect(disk.text("a.md")).toBe(MERGED);
  await daemon.dies();
});

/** Opens `a.md` and appends to it, as a store keeps what it accepts. */
async function readAndAppend({ workspace, settled }: ReturnType<typeof daemonOn>, store: MemoryStore) {
  const reading = workspace.open("a.md").then((opened) => accepted(opened).text.toString());
  const appending = append(workspace, "a.md", "four\n");
  for (let turn = 0; turn < 5; turn++) {
    await settled();
    store.flush();
  }
  return [await reading, refused(await appending).code];
}

test.each(["full", "failed"] as const)(
  "[I3i] the document of a displaced save can be read while the store is %s, and merges it after that",
  async (kind) => {
    const clock = new FakeClock();
    const disk = new FakeDisk(clock);
    disk.save("a.md", "one\ntwo\n");
    const first = await diesInSwap(disk, new MemoryStore({ atOnce: false }), clock, "three\n", saveWhole);
    first.store.failNext(kind, 1000);
    const daemon = daemonOn(disk, first.store, clock);
    const code = kind === "full" ? "STORAGE_FULL" : "INTERNAL";
    for (let waited = 0; waited < 12_000; waited += 100) {
      first.store.flush();
      await daemon.settled();
      await clock.advance(100);
      if (waited % 1_000 === 0)
        expect(await readAndAppend(daemon, first.store)).toEqual(["one\ntwo\nthree\n", code]);
    }
    expect(disk.text("a.md")).toBe("one\ntwo\nthree\n");
    if (kind === "failed") {
      expect(await rests(disk, await daemon.dies(), clock)).toEqual([MERGED, MERGED]);
      return;
    }
    first.store.failNone();
    for (let waited = 0; waited < 10_000; waited += 100) {
      first.store.flush();
      await daemon.settled();
      await clock.advance(100);
    }
    expect(disk.text("a.md")).toBe(MERGED);
    await daemon.dies();
  },
);

test("[I14b] a start goes on though a document fails to open, and merges its displaced save once it opens", async () => {
  const clock = new FakeClock();
  const disk = new FakeDisk(clock);
  disk.save("a.md", "one\ntwo\n");
  const { store } = await diesInSwap(disk, new MemoryStore({ atOnce: false }), clock, "three\n", saveWhole);
  // With this many documents the start rests while the first ones open.
  for (let i = 0; i < 100; i++)
    void store.saveDocument({ id: `gone-${i}`, path: `gone-${i}.md`, bom: false, landed: 0, deletedAt: 1 });
  store.flush();
  const { snapshot } = store;
  store.snapshot = () => {
    throw new Error("a page of the store is damaged");
  };
  const told: string[] = [];
  const daemon = daemonOn(disk, store, clock, {}, (event) => told.push(event));
  await daemon.settled();
  await clock.advance(100);
  await daemon.settled();
  expect(told).toContain("housekeeping.failed");
  store.snapshot = snapshot;
  for (let waited = 0; waited < 10_000; waited += 100) {
    store.flush();
    await daemon.settled();
    await clock.advance(100);
  }
  expect(disk.text("a.md")).toBe(MERGED);
  await daemon.dies();
});

test("[I3e] the saves of two deaths in swaps are there once, of which a program still writes the first", async () => {
  const clock = new FakeClock();
  const disk = new FakeDisk(clock);
  disk.save("a.md", "one\ntwo\n");
  const tear = () => disk.tear("a.md", "one, saved\ntwo\n", 8);
  const first = await diesInSwap(disk, new MemoryStore({ atOnce: false }), clock, "three\n", tear);
  const save = () => {
    disk.save("a.md", "zero\none\ntwo\nthree\n");
    return () => {};
  };
  const second = await diesInSwap(disk, first.store, clock, "four\n", save);
  expect(disk.text("a.md")).toBe("one\ntwo\nthree\nfour\n");
  first.finish();
  const merged = "zero\none, saved\ntwo\nthree\nfour\n";
  expect(await rests(disk, second.store, clock)).toEqual([merged, merged]);
});

test("[I3g] a displaced save is there once, though the system hid it from the next daemon", async () => {
  const clock = new FakeClock();
  const disk = new FakeDisk(clock);
  disk.save("a.md", "one\ntwo\n");
  const { store } = await diesInSwap(disk, new MemoryStore({ atOnce: false }), clock, "three\n", saveWhole);
  const second = daemonOn(disk, store, clock, { hidesLeft: true });
  void append(second.workspace, "a.md", "four\n");
  for (let waited = 0; waited < 1_000; waited += 100) {
    await second.settled();
    store.flush();
    await clock.advance(100);
  }
  expect(disk.text("a.md")).toBe("one\ntwo\nthree\nfour\n");
  const lines = ["", "four", "one, saved", "three", "two"];
  for (const text of await rests(disk, await second.dies(), clock))
    expect(text!.split("\n").sort()).toEqual(lines);
});
