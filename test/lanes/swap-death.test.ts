import { expect, test } from "vitest";
import type { FakeDisk, Inode } from "../helpers/fake-disk.ts";
import type { MemoryStore } from "../helpers/memory-store.ts";
import { ALICE, accepted } from "../workspace/harness.ts";
import { LaneMachine } from "./lane-machine.ts";

/** A write of the lane's agent; the returned function completes it. */
type Write = (disk: FakeDisk) => () => void;

/** Plays `write` as a daemon swaps another's line into the lane's file and dies; returns what completes the write. */
async function diesInSwap(machine: LaneMachine, line: string, write: Write): Promise<() => void> {
  let finish: (() => void) | undefined;
  await machine.starts({
    before: (what) => {
      if (what === "swap") finish ??= write(machine.laneDisk);
    },
    diesInSwap: () => true,
  });
  machine.append(line);
  for (let i = 0; i < 60 && finish === undefined; i++) await machine.step(undefined, 5);
  await machine.dies();
  return finish!;
}

/** The agent's write of the whole file, in one step. */
const writeWhole: Write = (disk) => {
  disk.save("a.md", "one, written\ntwo\n");
  return () => {};
};

const MERGED = "one, written\ntwo\nthree\n";

const DEATHS = Array.from({ length: 36 }, (_, i) => [Math.floor(i / 3), i % 3] as const);

/** The next daemon takes `steps` steps of its store, and dies with `kept` of the waiting writes. Another one rests. */
async function deathAfterDeath(
  write: Write,
  steps: number,
  kept: number,
  trouble: (store: MemoryStore) => void = () => {},
): Promise<readonly (string | undefined)[]> {
  const machine = await LaneMachine.with("one\ntwo\n");
  const finish = await diesInSwap(machine, "three\n", write);
  expect(machine.laneDisk.text("a.md")).toBe("one\ntwo\nthree\n");
  trouble(machine.store);
  await machine.starts();
  for (let i = 0; i < steps; i++) await machine.step(1);
  await machine.dies(kept);
  finish();
  await machine.starts();
  await machine.rests();
  return machine.texts();
}

test.each(DEATHS)(
  "[LV13] a write that a swap displaced is there once, though the next daemon dies after %i steps of its store and %i more writes",
  async (steps, kept) => {
    expect(await deathAfterDeath(writeWhole, steps, kept)).toEqual([MERGED, MERGED, MERGED]);
  },
);

test.each(DEATHS)(
  "[LV13] so is a write of which a program writes the end later, after %i steps and %i more writes",
  async (steps, kept) => {
    const write: Write = (disk) => disk.tear("a.md", "one, written\ntwo\n", 8);
    expect(await deathAfterDeath(write, steps, kept)).toEqual([MERGED, MERGED, MERGED]);
  },
);

test.each(DEATHS)(
  "[LV13] so is a line that the agent appends where another one was appended, after %i steps and %i more writes",
  async (steps, kept) => {
    const append: Write = (disk) => {
      disk.append("a.md", "four\n");
      return () => {};
    };
    for (const text of await deathAfterDeath(append, steps, kept))
      expect(text!.split("\n").sort()).toEqual(["", "four", "one", "three", "two"]);
  },
);

test.each(DEATHS)(
  "[LV13] so is a write that the store refuses to the next daemon, which dies after %i steps and %i more writes",
  async (steps, kept) => {
    const refuse = (store: MemoryStore) => store.refuseAppends(Number.POSITIVE_INFINITY);
    expect(await deathAfterDeath(writeWhole, steps, kept, refuse)).toEqual([MERGED, MERGED, MERGED]);
  },
);

test.each([1, 2, 3])(
  "[LV13] a displaced write is there once, though a full store refuses %i writes of the next daemon, its note among them",
  async (refused) => {
    const machine = await LaneMachine.with("one\ntwo\n");
    const tear: Write = (disk) => disk.tear("a.md", "one, written\ntwo\n", 8);
    const finish = await diesInSwap(machine, "three\n", tear);
    machine.store.failNext("full", refused);
    await machine.starts();
    for (let i = 0; i < 5; i++) await machine.step();
    machine.append("four\n");
    for (let i = 0; i < 60 && !machine.laneDisk.text("a.md")!.includes("four"); i++) await machine.step();
    expect(machine.laneDisk.text("a.md")).toBe("one\ntwo\nthree\nfour\n");
    await machine.dies();
    finish();
    await machine.starts();
    await machine.rests();
    const merged = "one, written\ntwo\nthree\nfour\n";
    expect(await machine.texts()).toEqual([merged, merged, merged]);
  },
);

test("[LV13] a write is there once that was displaced as the agent's last write came back merged", async () => {
  const machine = await LaneMachine.with("one\ntwo\n");
  let isDisplaced = false;
  await machine.starts({
    before: (what) => {
      const text = machine.laneDisk.text("a.md")!;
      if (what !== "swap" || isDisplaced || !text.includes("mine")) return;
      isDisplaced = true;
      machine.laneDisk.save("a.md", `zero\n${text}`);
    },
    diesInSwap: () => true,
  });
  machine.append("three\n");
  machine.laneDisk.append("a.md", "mine\n");
  machine.hint("a.md");
  for (let i = 0; i < 60 && !isDisplaced; i++) await machine.step(undefined, 5);
  await machine.dies();
  await machine.starts();
  await machine.rests();
  for (const text of await machine.texts())
    expect(text!.split("\n").sort()).toEqual(["", "mine", "one", "three", "two", "zero"]);
});

test("[LV13] the writes of two deaths in swaps are there once, of which a program still makes the first", async () => {
  const machine = await LaneMachine.with("one\ntwo\n");
  const tear: Write = (disk) => disk.tear("a.md", "one, written\ntwo\n", 8);
  const finish = await diesInSwap(machine, "three\n", tear);
  await diesInSwap(machine, "four\n", (disk) => {
    disk.save("a.md", "zero\none\ntwo\nthree\n");
    return () => {};
  });
  expect(machine.laneDisk.text("a.md")).toBe("one\ntwo\nthree\nfour\n");
  finish();
  await machine.starts();
  await machine.rests();
  const merged = "zero\none, written\ntwo\nthree\nfour\n";
  expect(await machine.texts()).toEqual([merged, merged, merged]);
});

test("[LV13] a displaced write is there once, though the agent renames the file before the next daemon dies", async () => {
  const machine = await LaneMachine.with("one\ntwo\n");
  const finish = await diesInSwap(machine, "three\n", (disk) => disk.tear("a.md", "one, written\ntwo\n", 8));
  await machine.starts();
  for (let i = 0; i < 5; i++) await machine.step();
  machine.laneDisk.move("a.md", "b.md");
  machine.hint("a.md", "b.md");
  for (let i = 0; i < 5; i++) await machine.step();
  await machine.dies();
  finish();
  await machine.starts();
  await machine.rests();
  expect(await machine.texts("b.md")).toEqual([MERGED, MERGED, MERGED]);
});

test("[LV8, LV13] in a lane that proposes, a displaced write is one proposal, though the next daemon dies", async () => {
  const machine = await LaneMachine.with("one\ntwo\n", { propose: true });
  await diesInSwap(machine, "three\n", writeWhole);
  for (const steps of [3, 4, 5, 6]) {
    await machine.starts();
    for (let i = 0; i < steps; i++) await machine.step(1);
    await machine.dies(1);
  }
  await machine.starts();
  await machine.rests();
  const { proposals } = accepted(
    await machine.proposals.list({ ...ALICE, role: "person" }, { status: "pending" }),
  );
  expect(proposals).toMatchObject([{ path: "a.md" }]);
});

test("[I3f, LV13] a write whose swap was undone is in its place, and nothing is taken in beside it", async () => {
  const machine = await LaneMachine.with("one\ntwo\n");
  let written: Inode | undefined;
  await diesInSwap(machine, "three\n", (disk) => {
    const finish = writeWhole(disk);
    written = disk.inode("a.md");
    return finish;
  });
  machine.laneDisk.name("a.md", written!); // without an exchange of names, the swap had only linked the file
  await machine.starts();
  await machine.rests();
  expect(await machine.texts()).toEqual([MERGED, MERGED, MERGED]);
  const { id } = accepted(await machine.workspace.open("a.md"));
  const messages = [...machine.workspace.ports.store.changes(id)].flatMap(({ message }) => message ?? []);
  expect(messages.filter((message) => message.startsWith("takes in"))).toEqual([]);
});

test("[I3g, LV13] a write into a replaced file is there once the store works again, after it failed", async () => {
  const machine = await LaneMachine.with("one\ntwo\n");
  await machine.starts();
  const replaced = machine.laneDisk.inode("a.md")!;
  replaced.writers++;
  machine.append("three\n");
  for (let i = 0; i < 60 && machine.laneDisk.inode("a.md") === replaced; i++)
    await machine.step(undefined, 5);
  machine.laneDisk.writeInto(replaced, Buffer.from("one, written\ntwo\n"));
  replaced.writers--;
  machine.store.failNext("failed", 3);
  await machine.rests();
  expect(await machine.texts()).toEqual([MERGED, MERGED, MERGED]);
});

test("[I3g, LV13] a displaced write is there once, though the system hid it from the next daemon", async () => {
  const machine = await LaneMachine.with("one\ntwo\n");
  await diesInSwap(machine, "three\n", writeWhole);
  await machine.starts({ hidesLeft: true });
  machine.append("four\n");
  await machine.rests();
  await machine.dies();
  await machine.starts();
  await machine.rests();
  for (const text of await machine.texts())
    expect(text!.split("\n").sort()).toEqual(["", "four", "one, written", "three", "two"]);
});

const LONG = "a remark of somebody else, which the agent has read\n";

test.each([
  ["began with", undefined, ["three\n"], "one\ntwo\nmine\n", "one\ntwo\nthree\nmine\n"],
  ["wrote last", "one\n2\n", ["three\n"], "one\n2\nmine\n", "one\n2\nthree\nmine\n"],
  ["read last", "one\n2\n", [LONG, "three\n"], `one\n2\n${LONG}mine\n`, `one\n2\n${LONG}three\nmine\n`],
])(
  "[LV24] a write from the text that the agent %s removes no later line of others, though the daemon died before it saw it",
  async (_, first, lines, written, merged) => {
    const machine = await LaneMachine.with("one\ntwo\n");
    await machine.starts();
    if (first !== undefined) machine.laneDisk.save("a.md", first);
    for (const line of lines) {
      await machine.rests();
      machine.append(line);
    }
    await machine.rests();
    expect(machine.laneDisk.text("a.md")).toContain(lines.join(""));
    machine.laneDisk.save("a.md", written);
    await machine.dies();
    await machine.starts();
    await machine.rests();
    expect(await machine.texts()).toEqual([merged, merged, merged]);
  },
);
