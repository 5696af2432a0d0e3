import { expect, test } from "vitest";
import { seedUpdate } from "../../src/doc/replica.ts";
import { NotNow } from "../../src/link/receiving/not-now.ts";
import { isFileProblem } from "../../src/mirror/files.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import { StoreError } from "../../src/store/store.ts";
import type { Document } from "../../src/workspace/document/document.ts";
import { Editor } from "../../src/workspace/edits/editor.ts";
import { contentOf } from "../../src/workspace/folder/file-changes.ts";
import { isRefusal, type Refusal } from "../../src/workspace/outcome/refusal.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { ADA, type Machine, Machines } from "./machines.ts";

test("[MA1] what is made, changed, renamed and deleted on one machine is so on the others", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  await a.create("notes/plan.md", "one\n");
  await machines.run(1_000);
  expect(b.files()).toEqual({ "notes/plan.md": "one\n" });
  await b.append("notes/plan.md", "two\n");
  await machines.run(1_000);
  expect(a.text("notes/plan.md")).toBe("one\ntwo\n");
  a.save("notes/plan.md", "one\nand a half\ntwo\n");
  await machines.run(2_000);
  expect(b.text("notes/plan.md")).toBe("one\nand a half\ntwo\n");
  await b.rename("notes/plan.md", "notes/plans.md");
  await machines.run(1_000);
  expect(a.files()).toEqual({ "notes/plans.md": "one\nand a half\ntwo\n" });
  await a.remove("notes/plans.md");
  await machines.run(1_000);
  expect(b.files()).toEqual({});
  expect(machines.reports).toEqual([]);
});

test("[MA2, M2] machines work without the broker, and merge when it returns", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada", { "a.md": "one\ntwo\nthree\n" }), machines.add("bob")];
  await machines.run(1_000);
  await a.append("a.md", "four\n");
  await machines.run(1_000);
  expect(b.text("a.md")).toBe("one\ntwo\nthree\nfour\n");
  machines.broker.stop();
  await machines.run(1_000);
  a.save("a.md", "ONE\ntwo\nthree\nfour\n");
  await b.append("a.md", "five\n");
  await b.create("b.md", "only bob's\n");
  await machines.run(5_000);
  expect(a.link.status.carrier).toBe("away");
  expect(a.link.status.waiting).toBeGreaterThan(0);
  machines.broker.start();
  await machines.run(3_000);
  const both = { "a.md": "ONE\ntwo\nthree\nfour\nfive\n", "b.md": "only bob's\n" };
  expect(a.files()).toEqual(both);
  expect(b.files()).toEqual(both);
  expect(a.link.status.waiting).toBe(0);
});

test("[MA3, M9] a deletion that had not seen an edit does not delete it", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada", {}), machines.add("bob")];
  await machines.run(1_000);
  await a.create("a.md", "one\n");
  await machines.run(1_000);
  machines.broker.stop();
  await machines.run(1_000);
  await a.remove("a.md");
  await b.append("a.md", "two\n");
  machines.broker.start();
  await machines.run(5_000);
  expect(a.files()).toEqual({ "a.md": "one\ntwo\n" });
  expect(b.files()).toEqual({ "a.md": "one\ntwo\n" });
  expect(machines.reports.some((report) => report.includes("link.brought_back"))).toBe(true);
});

test("[MA4, M13] two files made apart under one path are two texts; the older keeps the name", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada", {}), machines.add("bob")];
  await machines.run(1_000);
  machines.broker.stop();
  await machines.run(1_000);
  await a.create("a.md", "ada's\n");
  await machines.run(1_000);
  await b.create("a.md", "bob's\n");
  await b.create("same.md", "the same\n");
  await a.create("same.md", "the same\n");
  machines.broker.start();
  await machines.run(5_000);
  const both = { "a.md": "ada's\n", "a (bob).md": "bob's\n", "same.md": "the same\n" };
  expect(a.files()).toEqual(both);
  expect(b.files()).toEqual(both);
  const { id } = a.store.documentAt("same.md")!;
  for (const { store } of [a, b])
    expect(store.everyChangeOf(id).map(({ file }) => file?.kind)).toEqual(["create"]);
  await a.append("same.md", "and more\n");
  await b.append("a (bob).md", "still bob's\n");
  await machines.run(2_000);
  expect(a.files()).toEqual(b.files());
  expect(a.text("a (bob).md")).toBe("bob's\nstill bob's\n");
});

test("[MA133, M13] the operations of another machine that make another text are not those of the file here", async () => {
  const machines = new Machines();
  const files = { "a.md": "one\n" };
  const [a, b] = [machines.add("ada", files), machines.add("bob", files)];
  await machines.run(1_000);
  const { applier } = b.link;
  const apply = applier.apply.bind(applier);
  const { peer } = a.link.originOf("a.md" as DocPath, contentOf("one\n"), false)!;
  const bytes = seedUpdate(peer, "another\n");
  applier.apply = (item, source) =>
    apply(item.is === "document" ? { ...item, snapshot: { ...item.snapshot, bytes } } : item, source);
  await a.append("a.md", "two\n");
  await machines.run(2_000);
  expect(b.files()).toEqual({ "a.md": "one\ntwo\n" });
  expect(b.text("a.md")).toBe("one\ntwo\n");
  expect(machines.reports).toEqual([]);
});

test("[MA5, M12] a machine that was killed goes on where its journal ended", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada", {}), machines.add("bob")];
  await machines.run(1_000);
  await a.create("a.md", "one\n");
  await machines.run(1_000);
  await a.append("a.md", "two\n");
  a.kill();
  await b.append("a.md", "three\n");
  await machines.run(2_000);
  a.start();
  await machines.run(5_000);
  expect(a.files()).toEqual(b.files());
  expect([...a.text("a.md")!.split("\n")].sort()).toEqual(["", "one", "three", "two"]);
});

test("[ED17, MA1] edits that were joined before the machine shared reach the others with the newest of them", async () => {
  const machines = new Machines();
  const a = machines.add("ada", { "a.md": "one\n" });
  await a.link.close();
  await Promise.all(["2", "3", "4", "5"].map((text) => a.append("a.md", text)));
  const { id } = a.store.documentAt("a.md")!;
  const whole = a.store.journal(id).flatMap(({ change, updates }) => (updates.joined ? [] : [change.id]));
  expect(whole.length).toBeLessThan(4);
  a.kill();
  a.start();
  const b = machines.add("bob");
  await machines.run(5_000);
  expect(b.text("a.md")).toBe(a.text("a.md"));
  expect(b.store.everyChangeOf(id).map((change) => change.id)).toEqual(expect.arrayContaining(whole));
  expect(machines.reports).toEqual([]);
});

test("[ED17, MA1] a shared document joins no edits: each change reaches the others with its own operations", async () => {
  const machines = new Machines();
  const a = machines.add("ada", { "a.md": "one\n" });
  await Promise.all(["2", "3", "4"].map((text) => a.append("a.md", text)));
  const { id } = a.store.documentAt("a.md")!;
  expect(a.store.journal(id).map(({ updates }) => updates.joined)).toEqual([undefined, undefined, undefined]);
  const b = machines.add("bob");
  await machines.run(5_000);
  expect(b.text("a.md")).toBe(a.text("a.md"));
  const idsOf = ({ store }: typeof a) => store.everyChangeOf(id).map((change) => change.id);
  expect(idsOf(b)).toEqual(idsOf(a));
});

test("[MA22] what a daemon could put into no message before it was killed, is told by the next one", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada", {}), machines.add("bob")];
  await machines.run(1_000);
  await a.create("a.md", "one\n");
  await machines.run(1_000);
  a.store.shelve = () => Promise.reject(new StoreError("full", "as the test wants it"));
  await a.append("a.md", "two\n");
  await machines.run(2_000);
  a.kill();
  a.start();
  await machines.run(5_000);
  expect(b.files()).toEqual({ "a.md": "one\ntwo\n" });
});

test("[MA6, M5] a wiped, an older and a forgetful broker change no file, and hear everything again", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada", {}), machines.add("bob")];
  await machines.run(1_000);
  await a.create("a.md", "one\n");
  await machines.run(1_000);
  const backup = machines.broker.backup();
  await a.append("a.md", "two\n");
  await machines.run(100);
  machines.broker.wipe();
  await b.append("a.md", "three\n");
  await machines.run(5_000);
  expect(a.files()).toEqual(b.files());
  machines.broker.restore(backup);
  await a.append("a.md", "four\n");
  await machines.run(5_000);
  machines.broker.loseSuffix(2);
  await b.append("a.md", "five\n");
  await machines.run(5_000);
  expect(a.files()).toEqual(b.files());
  expect([...a.text("a.md")!.split("\n")].sort()).toEqual(["", "five", "four", "one", "three", "two"]);
});

test("[M3] a message that comes twice, or once more after a restart, changes nothing the second time", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada", {}), machines.add("bob")];
  await machines.run(1_000);
  machines.broker.faults = { drop: 0, double: 1, reorder: 0, delay: 0 };
  await a.create("a.md", "one\n");
  await a.append("a.md", "two\n");
  await machines.run(1_000);
  const before = machines.broker.backup();
  await a.append("a.md", "three\n");
  await machines.run(1_000);
  b.kill();
  machines.broker.restore(before);
  b.start();
  await machines.run(5_000);
  expect(a.files()).toEqual({ "a.md": "one\ntwo\nthree\n" });
  expect(b.files()).toEqual(a.files());
});

test("[MA7] renames cross, and files that swap their names", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada", {}), machines.add("bob")];
  await machines.run(1_000);
  await a.create("a.md", "a\n");
  await a.create("b.md", "b\n");
  await machines.run(1_000);
  machines.broker.stop();
  await a.rename("a.md", "c.md");
  await b.rename("a.md", "d.md");
  await a.rename("b.md", "a.md");
  machines.broker.start();
  await machines.run(5_000);
  expect(a.files()).toEqual(b.files());
  expect(Object.values(a.files()).sort()).toEqual(["a\n", "b\n"]);
});

test("[MA12, M4] a message waits for those that its machine had received before it", async () => {
  const machines = new Machines();
  const [a, b, c] = [machines.add("ada"), machines.add("bob"), machines.add("cem")];
  await machines.run(1_000);
  c.carrier.cut("in");
  await a.create("a.md", "one\n");
  await machines.run(1_000);
  await b.append("a.md", "two\n");
  await machines.run(1_000);
  const { name: memory, log } = machines.broker.memory;
  const { number, bytes, after, mark } = log.findLast(({ machine }) => machine === "bob")!;
  c.link.inbox.take({ machine: "bob", number, bytes, place: { memory, after, mark } });
  await machines.run(1_000);
  expect(c.files()).toEqual({});
  c.carrier.cut(undefined);
  await machines.run(15_000);
  expect(c.files()).toEqual({ "a.md": "one\ntwo\n" });
});

test("[MA13] a rename after a message with several changes reaches the other machines", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada", {}, { flushMs: 40 }), machines.add("bob")];
  await machines.run(1_000);
  a.save("a.md", "one\n");
  await a.append("a.md", "two\n");
  await machines.run(1_000);
  expect([...b.link.state.documents].map(({ last }) => last)).toEqual([{ ada: { number: 1, seq: 1 } }]);
  await b.rename("a.md", "b.md");
  await machines.run(2_000);
  expect(a.files()).toEqual({ "b.md": "one\ntwo\n" });
  expect(b.files()).toEqual({ "b.md": "one\ntwo\n" });
});

test("[MA14] a rename that the store refused leaves the file at one place on all machines", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  await a.create("a.md", "one\n");
  await machines.run(1_000);
  a.store.failNext("full", 2);
  await a.rename("a.md", "b.md");
  await machines.run(10_000);
  expect(a.files()).toEqual({ "a.md": "one\n" });
  expect(b.files()).toEqual({ "a.md": "one\n" });
});

test("[MA121] a document whose rename the store refused keeps its file, though another one comes to its former path", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  machines.broker.stop();
  await a.create("a.md", "ada's\n");
  await b.create("a.md", "bob's\n");
  await machines.run(1_000);
  const { append, saveDocument } = b.store;
  const refusal = new StoreError("full", "as the test wants it");
  const refuse = () => new Promise<void>((_, reject) => machines.clock.after(300, () => reject(refusal)));
  Object.assign(b.store, { append: refuse, saveDocument: refuse });
  await b.rename("a.md", "b.md");
  await expect(b.append("b.md", "more\n")).rejects.toThrow("as the test wants it");
  Object.assign(b.store, { append, saveDocument });
  machines.broker.start();
  await machines.run(20_000);
  expect(a.files()).toEqual({ "a.md": "ada's\n", "a (bob).md": "bob's\n" });
  expect(b.files()).toEqual(a.files());
});

test("[MA15] a file that somebody opened and nobody changed reaches the other machines", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  a.save("a.md", "");
  await machines.during(a.workspace.cover.pass(new AbortController().signal));
  await machines.during(a.workspace.open("a.md").then((opened) => opened));
  await machines.run(2_000);
  expect(b.files()).toEqual({ "a.md": "" });
});

test("[MA17] a change that could not be applied is told, and comes with the next snapshot", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  await a.create("a.md", "one\n");
  await machines.run(1_000);
  const { applier } = b.link;
  const apply = applier.apply.bind(applier);
  applier.apply = (item, source) =>
    source.number === 2 ? Promise.reject(new Error("as the test wants it")) : apply(item, source);
  await a.append("a.md", "two\n");
  await machines.run(10_000);
  expect(b.files()).toEqual({ "a.md": "one\n" });
  expect(b.link.status.withheld).toEqual([
    { path: "a.md", reason: "a change could not be applied here: Error: as the test wants it" },
  ]);
  await machines.during(a.link.storeSnapshot());
  await machines.run(5_000);
  expect(b.files()).toEqual({ "a.md": "one\ntwo\n" });
  expect(b.link.status.withheld).toEqual([]);
});

test("[MA128] a received file whose note and rename the store refused is there once, on all machines", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  const { saveDocument } = a.store;
  const refuse = () => Promise.reject(new StoreError("full", "as the test wants it"));
  Object.assign(a.store, { saveDocument: refuse });
  await b.create("a.md", "one\n");
  await machines.run(100);
  Object.assign(a.store, { saveDocument });
  a.store.failNext("full", 2); // the note of the rename, and the rename
  await a.rename("a.md", "b.md");
  await machines.run(10_000);
  expect(Object.values(a.files())).toEqual(["one\n"]);
  expect(b.files()).toEqual(a.files());
});

test.each(["nothing else", "its record"])(
  "[MA135] a document that was not begun keeps no edit after a crash, though the store has the edit and %s",
  async (has) => {
    const machines = new Machines();
    const [a, b] = [machines.add("ada"), machines.add("bob", {}, { flushMs: 200 })];
    await machines.run(1_000);
    machines.broker.stop();
    await a.create("a.md", "one\n");
    const { id } = a.store.documentAt("a.md")!;
    const { create } = b.store;
    b.store.create = (...beginning) => {
      b.store.failNext("full");
      b.store.create = create;
      return b.store.create(...beginning);
    };
    if (has === "nothing else") b.store.saveDocument = () => new Promise(() => {});
    b.store.truncate = () => new Promise(() => {}); // the crash comes before that
    b.save("a.md", "one\n");
    void appended(b, "a.md", "two\n");
    await machines.run(1_000);
    b.kill();
    expect(b.store.everyChangeOf(id).map(({ seq }) => seq)).toEqual([1]);
    b.start();
    machines.broker.start();
    await machines.run(20_000);
    for (const { store } of [a, b]) expect(store.everyChangeOf(id).map(({ seq }) => seq)).toEqual([0]);
    b.kill();
    b.start();
    await machines.during(b.workspace.open("a.md").then((opened) => opened));
    await machines.run(5_000);
    expect(a.files()).toEqual({ "a.md": "one\n" });
    expect(b.files()).toEqual(a.files());
  },
);

test("[DC20] a file that is made at the former path of a renamed one, with its text, begins another document", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada", {}, { flushMs: 200 }), machines.add("bob")];
  await machines.run(1_000);
  a.save("a.md", "one\n");
  const opening = a.workspace.open("a.md");
  await machines.run(10);
  a.disk.move("a.md", "b.md");
  const moving = a.workspace.open("b.md");
  await machines.run(1);
  await a.create("a.md", "one\n");
  await machines.during(Promise.all([opening, moving]));
  await machines.run(5_000);
  expect(a.files()).toEqual({ "a.md": "one\n", "b.md": "one\n" });
  expect(b.files()).toEqual(a.files());
});

test("[MA127] a deletion has not seen a received change that the store refused: the change brings the document back", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  await a.create("a.md", "one\n");
  await machines.run(2_000);
  a.store.refuseAppends(1);
  await b.append("a.md", "two\n");
  await machines.run(100);
  await a.append("a.md", "three\n"); // gets the number of the refused change
  await a.remove("a.md");
  await machines.run(10_000);
  expect(a.text("a.md")?.split("\n").toSorted()).toEqual(["", "one", "three", "two"]);
  expect(b.files()).toEqual(a.files());
});

test("[MA111] a message whose item waits is applied from its beginning: the store may have refused an earlier item", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  await a.create("a.md", "one\n");
  await a.create("b.md", "other\n");
  await machines.run(2_000);
  const { applier } = a.link;
  const apply = applier.apply.bind(applier);
  const numbers: number[] = [];
  applier.apply = (item, source) => {
    numbers.push(source.number);
    return numbers.length === 2 ? Promise.reject(new NotNow("as the test wants it")) : apply(item, source);
  };
  a.store.refuseAppends(1);
  await Promise.all([b.append("a.md", "two\n"), b.append("b.md", "more\n")]);
  await machines.run(10_000);
  expect(numbers[0]).toBe(numbers[1]); // both items came in one message
  expect(a.files()).toEqual({ "a.md": "one\ntwo\n", "b.md": "other\nmore\n" });
  expect(b.files()).toEqual(a.files());
});

test("[MA126] a document is opened anew after a change that could not be applied", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  await a.create("a.md", "one\n");
  await machines.run(1_000);
  const { applier } = b.link;
  const apply = applier.apply.bind(applier);
  applier.apply = (item, source) => (source.number === 2 ? Promise.resolve() : apply(item, source));
  await a.append("a.md", "two\n");
  await a.append("a.md", "three\n");
  await machines.run(10_000);
  expect(b.link.status.withheld.map(({ path }) => path)).toEqual(["a.md"]);
  expect([...b.workspace.loaded].map(({ failure }) => failure)).toEqual([undefined]);
});

test("[MA100, M11] a full outbox says so and takes no more; what waits in the journals is told once there is room", async () => {
  const machines = new Machines();
  const a = machines.add("ada", {}, { mostWaiting: 5 });
  const b = machines.add("bob");
  await machines.run(1_000);
  await a.create("a.md", "begin\n");
  await machines.run(5_000);
  machines.broker.stop();
  for (let i = 0; i < 20; i++) {
    await a.append("a.md", `line ${i}\n`);
    await machines.run(10);
  }
  expect(a.link.status).toMatchObject({ isFull: true, carrier: "away", waiting: 5 });
  const all = `begin\n${Array.from({ length: 20 }, (_, i) => `line ${i}\n`).join("")}`;
  expect(a.text("a.md")).toBe(all);
  machines.broker.start();
  await machines.run(20_000);
  expect(b.text("a.md")).toBe(all);
  expect(a.link.status).toMatchObject({ isFull: false, waiting: 0 });
});

test("[MA101] who deletes a file on disk has seen what the file held: a change that was not written yet brings it back", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada", {}), machines.add("bob")];
  await machines.run(1_000);
  await a.create("a.md", "one\n");
  await machines.run(1_000);
  // At this moment the daemon has the change in memory and has not written it.
  const end = b.workspace.updates.followAll(() => {
    end();
    b.disk.remove("a.md");
  });
  await a.append("a.md", "two\n");
  await machines.run(10_000);
  expect([a.text("a.md"), b.text("a.md")]).toEqual(["one\ntwo\n", "one\ntwo\n"]);
});

test("[MA19, M7] the later rename counts, though the clock of its machine is a day behind", async () => {
  const machines = new Machines();
  const a = machines.add("ada", {}, { aheadMs: 86_400_000 });
  const b = machines.add("bob", {}, { aheadMs: -86_400_000 });
  await machines.run(1_000);
  await a.create("a.md", "one\n");
  await a.rename("a.md", "b.md");
  await a.rename("b.md", "c.md");
  await machines.run(1_000);
  await b.rename("c.md", "d.md");
  await machines.run(1_000);
  expect([a.files(), b.files()]).toEqual([{ "d.md": "one\n" }, { "d.md": "one\n" }]);
});

test("[MA20, M10] what a machine may not do changes no file of another one", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  await a.create("a.md", "one\n");
  await machines.run(1_000);
  machines.levels.set("bob", "propose");
  await b.append("a.md", "two\n");
  await b.create("b.md", "bob's\n");
  await b.rename("a.md", "c.md");
  await b.remove("c.md");
  await machines.run(2_000);
  expect(a.files()).toEqual({ "a.md": "one\n" });
  // The machine does not send a document that the others would ignore as a whole.
  expect(machines.reports.filter((report) => report.startsWith("ada: link.denied")).length).toBe(3);
});

test("[MA21, M1] what a machine lacks that is away is kept for it, though the broker loses it", async () => {
  const machines = new Machines();
  const [a, b, c] = [machines.add("ada"), machines.add("bob"), machines.add("cem")];
  await machines.run(1_000);
  await a.create("a.md", "one\n");
  await machines.run(1_000);
  c.kill();
  await a.append("a.md", "two\n");
  await machines.run(120_000);
  expect(a.link.outbox.stored).toBe(1);
  machines.broker.wipe();
  c.start();
  await machines.run(10_000);
  for (const machine of [b, c]) expect(machine.files()).toEqual({ "a.md": "one\ntwo\n" });
});

test("[MA150] after a crash, a file that becomes one document again does not stand for a later change, whose message is still to come", async () => {
  const machines = new Machines();
  const [a, b, c] = [machines.add("ada"), machines.add("bob"), machines.add("cem")];
  await machines.run(1_000);
  machines.broker.stop();
  await a.create("a.md", "one\n");
  await b.create("a.md", "one\n");
  await machines.run(100);
  await b.append("a.md", "bob's\n");
  await machines.run(100);
  c.carrier.cut("both");
  a.store.shelve = () => new Promise(() => {}); // the crash comes before the state of the link is stored
  machines.broker.start();
  await machines.run(3_000);
  expect(a.files()).toEqual({ "a.md": "one\nbob's\n" });
  b.carrier.cut("both");
  a.kill();
  const { log } = machines.broker.memory;
  log.splice(
    log.findIndex(({ machine, number }) => machine === "bob" && number === 2),
    1,
  );
  a.start();
  await machines.run(1_000);
  await a.append("a.md", "ada's\n");
  c.carrier.cut(undefined);
  await machines.run(3_000);
  expect(c.files()).toEqual({ "a.md": "one\n" });
  b.carrier.cut(undefined);
  await machines.run(30_000);
  for (const machine of [a, b, c]) expect(machine.files()).toEqual({ "a.md": "one\nbob's\nada's\n" });
  expect(machines.reports.filter((report) => /link\.(waiting|defect)|failed/.test(report))).toEqual([]);
});

test("[MA23] many files that go missing at once on one machine are deleted on none, until a person there says so", async () => {
  const files = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`${i}.md`, `text ${i}\n`]));
  const machines = new Machines();
  const [a, b] = [machines.add("ada", files), machines.add("bob")];
  await machines.run(1_000);
  for (const path of Object.keys(files)) await a.append(path, "more\n");
  await machines.run(2_000);
  const all = a.files();
  expect(b.files()).toEqual(all);
  for (const path of Object.keys(files)) b.disk.remove(path);
  await machines.run(60_000);
  expect(a.files()).toEqual(all);
  expect(await machines.during(b.workspace.resume())).toBe(12);
  await machines.run(5_000);
  expect(a.files()).toEqual({});
});

test("[MA24] who creates a file where one was deleted on disk removes no edit of another machine with it", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  await a.create("a.md", "one\n");
  await machines.run(1_000);
  const editing = b.append("a.md", "two\n");
  a.disk.remove("a.md");
  await machines.run(10);
  const creating = a.create("a.md", "new\n");
  await Promise.all([editing, creating]);
  await machines.run(5_000);
  expect(a.files()).toEqual({ "a.md": "one\ntwo\n", "a (ada).md": "new\n" });
  expect(b.files()).toEqual(a.files());
});

test("[MA25] a file moved to a path that another machine's document is just getting keeps its document and its edits", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob", {}, { flushMs: 40 })];
  await machines.run(1_000);
  await b.create("b.md", "one\n");
  await machines.run(1_000);
  // At this moment the file lacks the edit, and the document of the same path is on its way into the store.
  await a.create("a.md", "ada's\n");
  while (b.store.waiting === 0) await machines.run(1);
  const editing = b.append("b.md", "two\n");
  b.disk.move("b.md", "a.md");
  expect(await editing.catch(({ code }: Refusal) => code)).toBeUndefined();
  await machines.run(10_000);
  expect(Object.values(b.files()).sort()).toEqual(["ada's\n", "one\ntwo\n"]);
  expect(a.files()).toEqual(b.files());
});

/** Two machines; the daemon of one is killed after the store kept a number of writes of a document that it receives. */
async function killedWhileReceiving(kept: number) {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob", {}, { flushMs: 40 })];
  await machines.run(1_000);
  await a.create("a.md", "ada's\n");
  while (kept === 0 ? !b.disk.exists("a.md") : b.store.waiting === 0) await machines.run(1);
  b.kill(kept);
  return { machines, a, b };
}

test("[MA26] a crash before a received file is in its place leaves a file that somebody saves there for a text of its own", async () => {
  const { machines, a, b } = await killedWhileReceiving(1);
  expect(b.files()).toEqual({});
  b.save("a.md", "bob's\n");
  b.start();
  await machines.run(10_000);
  expect(a.files()).toEqual({ "a.md": "ada's\n", "a (bob).md": "bob's\n" });
  expect(b.files()).toEqual(a.files());
});

test("[MA26] so does a crash after a file came in its way", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob", {}, { flushMs: 40 })];
  await machines.run(1_000);
  await a.create("a.md", "ada's\n");
  while (b.store.waiting === 0) await machines.run(1);
  b.save("a.md", "bob's\n");
  while (b.store.documents().length === 0) await machines.run(1);
  b.kill();
  b.start();
  await machines.run(10_000);
  expect(a.files()).toEqual({ "a.md": "ada's\n", "a (bob).md": "bob's\n" });
  expect(b.files()).toEqual(a.files());
});

test("[MA26] a crash after a received file is in its place keeps what somebody adds to the file an edit of the document", async () => {
  const { machines, a, b } = await killedWhileReceiving(0);
  expect(b.files()).toEqual({ "a.md": "ada's\n" });
  b.save("a.md", "ada's\nbob's\n");
  b.start();
  await machines.run(10_000);
  expect(a.files()).toEqual({ "a.md": "ada's\nbob's\n" });
  expect(b.files()).toEqual(a.files());
});

test("[MA118] a file with the received text is the document's own, though a crash kept its place from the record", async () => {
  const { machines, a, b } = await killedWhileReceiving(1);
  b.save("a.md", "ada's\n"); // as a second start writes it, which dies before it has noted that
  b.start();
  await machines.run(10_000);
  expect(a.files()).toEqual({ "a.md": "ada's\n" });
  expect(b.files()).toEqual(a.files());
});

test("[MA147] a received file that somebody moved after a crash kept its place from the record is its document's, once", async () => {
  const { machines, a, b } = await killedWhileReceiving(0);
  b.disk.move("a.md", "b.md");
  b.disk.append("b.md", "bob's\n");
  b.start();
  await machines.run(10_000);
  expect(b.files()).toEqual({ "b.md": "ada's\nbob's\n" });
  expect(a.files()).toEqual(b.files());
  expect(b.store.documents().length).toBe(1);
});

test("[MA147] so is one that the daemon renamed before it died again", async () => {
  const { machines, a, b } = await killedWhileReceiving(0);
  b.start();
  const opened = await machines.during(b.workspace.open("a.md"));
  if (isRefusal(opened)) throw opened;
  void b.workspace.rename(ADA, opened, "b.md");
  while (!b.disk.exists("b.md")) await machines.run(1);
  b.kill(0);
  b.start();
  await machines.run(10_000);
  expect(b.files()).toEqual({ "b.md": "ada's\n" });
  expect(a.files()).toEqual(b.files());
  expect(machines.reports).toEqual([]);
});

test("[MA147] and one that is gone comes back: a power cut may have taken it", async () => {
  const { machines, a, b } = await killedWhileReceiving(0);
  b.disk.remove("a.md");
  b.start();
  await machines.run(10_000);
  expect(b.files()).toEqual({ "a.md": "ada's\n" });
  expect(a.files()).toEqual(b.files());
});

test("[MA120] a received file stays in its place where the store refuses to note that, so nobody makes another one there", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  const save = b.store.saveDocument.bind(b.store);
  let refused = 0;
  b.store.saveDocument = (record) => {
    if (record.image === undefined || refused > 0) return save(record);
    refused++;
    return Promise.reject(new StoreError("full", "as the test wants it"));
  };
  await a.create("a.md", "ada's\n");
  await machines.run(100);
  expect(refused).toBe(1);
  expect(b.files()).toEqual({ "a.md": "ada's\n" });
  b.save("a.md", "ada's\nbob's\n");
  await machines.run(10_000);
  expect(a.files()).toEqual({ "a.md": "ada's\nbob's\n" });
  expect(b.files()).toEqual(a.files());
});

const appended = (machine: Machine, path: string, line: string) =>
  new Editor(machine.workspace).edit(ADA, { kind: "append", path, plan: planAppend(line), ack: "durable" });

test("[MA109] another machine's change is in the file at once, also just after the last write of the file", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada", { "a.md": "" }), machines.add("bob")];
  await machines.run(1_000);
  await a.append("a.md", "0\n");
  await machines.run(1_000);
  for (const line of ["one\n", "two\n", "three\n"]) {
    const edit = appended(a, "a.md", line);
    for (let ms = 0; ms < 8; ms++) await machines.run(1); // the file would rest for 20 ms
    expect(b.text("a.md")).toContain(line);
    await edit;
  }
});

test("[MA110] a machine that takes in much writes a file seldom, and all files once it has everything", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada", { "a.md": "", "b.md": "" }), machines.add("bob")];
  await machines.run(1_000);
  for (const path of ["a.md", "b.md"]) await a.append(path, "0\n");
  await machines.run(1_000);
  b.link.inbox.isCatchingUp = true;
  for (const line of ["one\n", "two\n"]) {
    const edit = appended(b, "a.md", line);
    await machines.run(1_000);
    await edit;
  }
  expect(b.text("a.md")).toBe("0\none\n");
  await a.append("b.md", "the last message\n");
  await machines.run(100);
  expect(b.text("a.md")).toBe("0\none\ntwo\n");
});

test.each([1, 3])(
  "[MA111] a received change that the store refuses %i times is applied before those that build on it",
  async (times) => {
    const machines = new Machines();
    const [a, b] = [machines.add("ada"), machines.add("bob", {}, { flushMs: 40 })];
    await machines.run(1_000);
    await a.create("a.md", "one\n");
    await machines.run(1_000);
    b.store.failNext("full", times);
    for (const line of ["two\n", "three\n", "four\n"]) {
      await a.append("a.md", line);
      await machines.run(30);
    }
    await machines.run(20_000);
    expect(b.files()).toEqual({ "a.md": "one\ntwo\nthree\nfour\n" });
  },
);

/** Returns two machines, of which the first has a file whose creation its store does not show yet. */
async function beginning() {
  const machines = new Machines();
  const [a, b] = [machines.add("ada", {}, { flushMs: 200 }), machines.add("bob")];
  await machines.run(1_000);
  const first = a.workspace.create(ADA, "a.md", contentOf("one\n"));
  while (!a.disk.exists("a.md")) await machines.run(1);
  await machines.run(1);
  return { machines, a, b, first };
}

test("[MA113] a file that is made where another was made and deleted a moment ago is none of that one's, also after a crash", async () => {
  const { machines, a, b, first } = await beginning();
  const document = await machines.during(a.workspace.open("a.md"));
  if (isRefusal(document)) throw document;
  const removed = a.workspace.remove(ADA, document);
  const second = a.workspace.create(ADA, "a.md", contentOf("two\n"));
  const made = await machines.during(Promise.all([first, removed, second]));
  expect(made.filter(isRefusal)).toEqual([]);
  a.kill(a.store.waiting);
  a.start();
  await machines.run(5_000);
  expect(a.files()).toEqual({ "a.md": "two\n" });
  expect(b.files()).toEqual(a.files());
  const there = a.store.documents().filter(({ deletedAt }) => deletedAt === undefined);
  expect(there.map(({ path }) => path)).toEqual(["a.md"]);
});

test("[MA123] a file that is made where another one is gone, which the store does not show yet, begins another document", async () => {
  const { machines, a, b, first } = await beginning();
  expect(a.store.documentAt("a.md")).toBeUndefined();
  a.disk.remove("a.md");
  const second = a.workspace.create(ADA, "a.md", contentOf("two\n"));
  const made = await machines.during(Promise.all([first, second]));
  expect(made.filter(isRefusal)).toEqual([]);
  await machines.run(10_000);
  expect(a.files()).toEqual({ "a.md": "two\n" });
  await b.append("a.md", "three\n");
  await machines.run(1_000);
  expect(a.files()).toEqual({ "a.md": "two\nthree\n" });
  expect(b.files()).toEqual(a.files());
  const there = a.store.documents().filter(({ deletedAt }) => deletedAt === undefined);
  expect(there.map(({ path }) => path)).toEqual(["a.md"]);
});

test("[DC38] who creates a file, or opens it, where one was deleted on disk a moment ago is answered, also beside others", async () => {
  const machines = new Machines();
  const a = machines.add("ada", {}, { flushMs: 5 });
  await machines.run(1_500);
  await a.create("a.md", "one\n");
  const { id } = a.workspace.loadedAt("a.md" as DocPath)!;
  await machines.run(500);
  a.disk.remove("a.md");
  const create = () => a.workspace.create(ADA, "a.md", contentOf("two\n"));
  const created = [create(), create()];
  await machines.run(5);
  const opened = [a.workspace.open("a.md"), a.workspace.open("a.md")];
  await machines.during(Promise.all([...created, ...opened]));
  const found = a.workspace.openedById(id);
  const late = machines.run(2_000).then(() => "no answer" as const);
  expect(await Promise.race([found, late])).toMatchObject({ id, deleted: true });
  expect(a.files()).toEqual({ "a.md": "two\n" });
});

test("[MA113] a file that is renamed to the path of one that was deleted on disk a moment ago does not bring that one back", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada", {}, { flushMs: 40 }), machines.add("bob")];
  await machines.run(1_000);
  await a.create("a.md", "one\n");
  await a.create("b.md", "two\n");
  await machines.run(1_000);
  const renamed = await machines.during(a.workspace.open("b.md"));
  if (isRefusal(renamed)) throw renamed;
  a.disk.remove("a.md");
  void a.workspace.rename(ADA, renamed, "a.md");
  while (!a.disk.exists("a.md")) await machines.run(1);
  await machines.run(1);
  a.kill(a.store.waiting);
  a.start();
  await machines.run(10_000);
  expect(a.files()).toEqual({ "a.md": "two\n" });
  expect(b.files()).toEqual(a.files());
});

test("[DC28] a rename that waits while its document is deleted moves no file that somebody saved there since", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada", {}, { flushMs: 200 }), machines.add("bob")];
  await machines.run(1_000);
  await a.create("a.md", "one\n");
  const document = await machines.during(a.workspace.open("a.md"));
  if (isRefusal(document)) throw document;
  const first = a.workspace.rename(ADA, document, "b.md");
  while (!a.disk.exists("b.md")) await machines.run(1);
  const second = a.workspace.rename(ADA, document, "c.md");
  const removed = a.workspace.remove(ADA, document);
  await machines.run(1);
  a.save("b.md", "another\n");
  const [, refused] = await machines.during(Promise.all([first, second, removed]));
  expect(isRefusal(refused) && refused.code).toBe("DELETED");
  await machines.run(10_000);
  expect(a.files()).toEqual({ "b.md": "another\n" });
  expect(b.files()).toEqual(a.files());
});

test("[MA181, M9] a machine that brings a file to its place does not restore one that was deleted there meanwhile", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob", {}, { flushMs: 10_000 })];
  await a.create("a.md", "one\n");
  await machines.run(60_000);
  const document = (await machines.during(b.workspace.open("a.md"))) as Document;
  const renamed = b.workspace.rename(ADA, document, "b.md" as DocPath);
  while (document.path !== "b.md") await machines.run(1);
  await a.remove("a.md");
  while (b.link.state.names.has(document.id)) await machines.run(1);
  const ofRename = b.store.waiting; // bob takes the file for ada's deleted one, until the store has the rename
  const removed = b.workspace.remove(ADA, document);
  while (!document.deleted) await machines.run(1);
  b.store.flush(ofRename);
  await machines.during(Promise.all([renamed, removed]));
  await machines.run(60_000);

  const kinds = [...b.store.changes(document.id)].map(({ file }) => file?.kind);
  expect(kinds).toEqual(["delete", "rename", "create"]);
  expect([a.paths(), b.paths()]).toEqual([[], []]);
});

test("[MA114] a restored document stays the document of its file, also if a crash leaves an older version staged", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  await a.create("a.md", "one\n");
  await machines.run(1_000);
  const staged = await a.workspace.ports.files.stage([Buffer.from("older\n")], undefined);
  if (isFileProblem(staged)) throw staged;
  await a.remove("a.md");
  const { store } = a;
  const gone = store.documents()[0]!;
  const restored = await machines.during(a.workspace.restore(ADA, "a.md"));
  if (isRefusal(restored)) throw restored;
  a.kill();
  // The crash came before the record of the restored file was stored.
  const { id, image } = staged;
  await a.store.saveDocument({ ...gone, staged: { seq: gone.landed - 1, id, image } });
  a.start();
  await machines.run(5_000);
  expect(a.files()).toEqual({ "a.md": "one\n" });
  expect(b.files()).toEqual(a.files());
  expect(a.store.documents()).toHaveLength(1);
});

test("[MA113] a creation where a deleted file is there again is refused at once", async () => {
  const machines = new Machines();
  const a = machines.add("ada");
  await machines.run(1_000);
  await a.create("a.md", "one\n");
  await a.remove("a.md");
  a.disk.onChange = () => {};
  a.save("a.md", "again\n");
  const made = await machines.during(a.workspace.create(ADA, "a.md", contentOf("two\n")));
  expect(isRefusal(made) && made.code).toBe("ALREADY_EXISTS");
});

test("[MA117] a document that was made and deleted before a machine told of it is told once it was restored, also after a crash", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  a.kill();
  a.start();
  a.link.outbox.mark = () => {};
  await a.create("a.md", "one\n");
  await a.remove("a.md");
  const gone = a.store.documents()[0]!;
  const restored = await machines.during(a.workspace.restore(ADA, "a.md"));
  if (isRefusal(restored)) throw restored;
  a.kill();
  await a.store.saveDocument(gone); // the crash came before the record of the restored file was stored
  a.start();
  await machines.run(5_000);
  expect(a.files()).toEqual({ "a.md": "one\n" });
  expect(b.files()).toEqual(a.files());
});

test("[MA167] a machine that claims a moment after which none can come stops no other machine", async () => {
  const machines = new Machines();
  const [a, b, c] = [machines.add("ada"), machines.add("bob"), machines.add("cem")];
  await machines.run(1_000);
  b.link.state.stand({ lamport: Number.MAX_SAFE_INTEGER - 3 });
  await b.create("b.md", "bob's\n");
  await machines.run(1_000);
  await a.create("a.md", "one\n");
  await machines.run(1_000);
  await c.rename("a.md", "c.md");
  await machines.run(1_000);
  await c.rename("b.md", "d.md");
  await machines.run(1_000);
  await a.append("c.md", "two\n");
  await machines.run(1_000);
  for (const machine of [a, c]) expect(machine.files()).toEqual({ "c.md": "one\ntwo\n", "d.md": "bob's\n" });
});

test("[MA173] after a crash, a document of a snapshot counts for the snapshot's changes alone, so that an edit waits for each change it builds on", async () => {
  const machines = new Machines();
  const [a, b, c, d] = ["ada", "bob", "cem", "dan"].map((name) => machines.add(name)) as [
    Machine,
    Machine,
    Machine,
    Machine,
  ];
  await machines.run(1_000);
  await b.create("a.md", "one\n");
  await machines.run(10_000);
  for (const machine of [b, d]) machine.carrier.cut("both");
  await machines.run(12_000);
  a.store.shelve = () => new Promise(() => {}); // the crash comes before the state of the link is stored
  await c.append("a.md", "cem's\n");
  await machines.run(1_000);
  expect(a.files()).toEqual({ "a.md": "one\ncem's\n" });
  a.kill();
  c.carrier.cut("both");
  const { memory } = machines.broker;
  const lost = memory.log.filter(({ machine }) => machine === "cem");
  memory.log = memory.log.filter(({ machine }) => machine !== "cem");
  b.carrier.cut(undefined);
  await machines.run(1_000);
  await machines.during(b.link.storeSnapshot());
  a.start();
  await machines.run(1_000);
  await machines.during(a.link.snapshots.take());
  await a.append("a.md", "ada's\n");
  await machines.run(1_000);
  d.carrier.cut(undefined);
  await machines.run(3_000);
  expect(d.files()).toEqual({ "a.md": "one\n" });
  expect(lost.length).toBeGreaterThan(0);
  c.carrier.cut(undefined);
  await machines.run(30_000);
  for (const machine of [a, b, c, d]) expect(machine.files()).toEqual({ "a.md": "one\ncem's\nada's\n" });
  expect(machines.reports.filter((report) => /link\.(waiting|defect)|failed/.test(report))).toEqual([]);
});
