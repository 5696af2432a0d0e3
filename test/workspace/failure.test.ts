import { cpSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { StoreError } from "../../src/store/store.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { ALICE, accepted, Bench, BOB, DiskBench, refused } from "./harness.ts";
import { Machine } from "./machine.ts";

const append = (text: string) => ({ path: "a.md", plan: planAppend(text) });

/** Makes the store refuse its next appends, after others had time to build on them. */
function refuseAppends(bench: Bench, count: number): void {
  const { store } = bench.workspace.ports;
  const { append: real } = store;
  let left = count;
  store.append = (...args) => (left-- > 0 ? setImmediate().then(refuse) : real.call(store, ...args));
}

function refuse(): never {
  throw new StoreError("full", "no space left");
}

describe("a store that refuses", () => {
  test("[I13] leaves no trace of the edit, and the next one goes through", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    const { version } = await bench.document("a.md");
    refuseAppends(bench, 1);
    expect(refused(await bench.edit(ALICE, append("two\n"))).code).toBe("STORAGE_FULL");
    expect(bench.read("a.md")).toBe("one\n");
    expect([(await bench.document("a.md")).version, await bench.text("a.md")]).toEqual([version, "one\n"]);
    accepted(await bench.edit(ALICE, append("three\n")));
    expect(bench.read("a.md")).toBe("one\nthree\n");
    expect(bench.events.map((e) => e.type)).toEqual(["changed"]);
  });

  test("[ED10] refuses what stood on the refused edit, too", async () => {
    const bench = new Bench({ "a.md": "" });
    await bench.document("a.md");
    refuseAppends(bench, 1);
    const outcomes = await Promise.all(["1", "2", "3"].map((text) => bench.edit(BOB, append(text))));
    const refusal = { code: "STORAGE_FULL" };
    expect(outcomes).toMatchObject([refusal, refusal, refusal]);
    expect([bench.read("a.md"), await bench.text("a.md")]).toEqual(["", ""]);
    await bench.restart();
    expect(await bench.text("a.md")).toBe("");
    accepted(await bench.edit(BOB, append("4")));
    expect(bench.read("a.md")).toBe("4");
  });

  test("[DC5] does not keep a moved file from being found, nor an edit of it from being made", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    const { id } = await bench.document("a.md");
    bench.rename("a.md", "b.md");
    bench.workspace.ports.store.saveDocument = () => setImmediate().then(refuse);
    const { version } = accepted(
      await bench.edit(ALICE, { ...append("two\n"), path: "b.md", ack: "durable" }),
    );
    expect(await bench.document("b.md")).toMatchObject({ id, version });
  });

  test("[I14] does not hold up other documents", async () => {
    const bench = new Bench({ "a.md": "", "b.md": "" });
    await bench.document("a.md");
    refuseAppends(bench, 1);
    const [a, b] = await Promise.all([
      bench.edit(ALICE, append("x")),
      bench.edit(BOB, { path: "b.md", plan: planAppend("y") }),
    ]);
    expect(refused(a).code).toBe("STORAGE_FULL");
    accepted(b);
    expect(bench.read("b.md")).toBe("y");
  });
});

describe("a store brought back from an older copy", () => {
  test("[FA4] takes what it does not know from the files as somebody's saves, and edits go on", async () => {
    const bench = new DiskBench({ "a.md": "one\n" });
    const [store, backup] = [bench.path(".spliced/store"), bench.path(".spliced/backup")];
    accepted(await bench.edit(ALICE, append("two\n")));
    await bench.restart(() => cpSync(store, backup, { recursive: true }));
    accepted(await bench.edit(ALICE, append("three\n")));
    await bench.restart(() => cpSync(backup, store, { recursive: true }));
    expect(await bench.text("a.md")).toBe("one\ntwo\nthree\n");
    accepted(await bench.edit(BOB, append("four\n")));
    await bench.restart();
    expect(await bench.text("a.md")).toBe("one\ntwo\nthree\nfour\n");
    expect(bench.read("a.md")).toBe("one\ntwo\nthree\nfour\n");
  });
});

describe("resting documents", () => {
  test("[I15] leave memory with their journal folded, and come back whole", async () => {
    const bench = new Bench({ "a.md": "" });
    for (let i = 0; i < 30; i++) accepted(await bench.edit(ALICE, append(`line ${i}\n`)));
    const document = await bench.document("a.md");
    const { version } = document;
    await expect.poll(() => document.mirror.sweep() ?? document.restful, { timeout: 5000 }).toBe(true);
    await document.compact({ leaving: true });
    await bench.workspace.drop(document);
    expect([...bench.workspace.loaded]).toEqual([]);
    expect(bench.workspace.ports.store.journal(document.id)).toEqual([]);
    const again = await bench.document("a.md");
    expect([again.version, again.text.lines]).toEqual([version, 30]);
  });

  test("[I9] are woken by a change of their file", async () => {
    const bench = new Bench({ "a.md": "one\n" });
    await bench.workspace.drop(await bench.document("a.md"));
    bench.save("a.md", "two\n");
    await bench.workspace.verify();
    await expect.poll(() => bench.events.map((e) => e.type)).toEqual(["changed"]);
  });
});

describe("peers", () => {
  test("[I8] are new in every process, one an author and replica, and noted", async () => {
    const bench = new Bench({ "a.md": "" });
    const peers: string[] = [];
    const watch = () => {
      const { store } = bench.workspace.ports;
      const { savePeer } = store;
      store.savePeer = (peer, author) => {
        peers.push(`${author.name} ${peer}`);
        return savePeer.call(store, peer, author);
      };
    };
    watch();
    for (const actor of [ALICE, BOB, ALICE]) accepted(await bench.edit(actor, append("x")));
    await bench.restart();
    watch();
    accepted(await bench.edit(ALICE, append("y")));
    expect(peers.map((p) => p.split(" ")[0])).toEqual(["disk", "alice", "bob", "alice"]);
    expect(new Set(peers.map((p) => p.split(" ")[1])).size).toBe(4);
  });
});

test("[DC30] a document with a defect stores nothing more, and the next object of it takes in a save since then, once", async () => {
  const machine = new Machine("one\n");
  const document = await machine.document();
  document.broken(new Error("as the test wants it"));
  machine.disk.save("a.md", "one\ntwo\n");
  await machine.flushed(document.mirror.fresh()!);
  await machine.flush();
  expect(machine.store.everyChangeOf(document.id).length).toBe(1);
  expect(await machine.text()).toBe("one\ntwo\n");
  await machine.flush();
  expect(machine.store.everyChangeOf(document.id).length).toBe(2);
});
