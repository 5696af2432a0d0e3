import { expect, test } from "vitest";
import { encodeHead, headName, partName, type SnapshotHead } from "../../src/link/snapshots/snapshot.ts";
import { StoreError } from "../../src/store/store.ts";
import type { Level } from "../../src/workspace/access/rights.ts";
import { ADA, type Machine, Machines, sealedBy } from "./machines.ts";
import { SharedFolders } from "./shared-folders.ts";

/** Time in which machines exchange everything. */
const AWHILE_MS = 10_000;

/** Two machines of which one has edited the file that both have. */
async function edited() {
  const machines = new Machines();
  const ada = machines.add("ada", { "a.md": "one\n" });
  machines.add("bob");
  await machines.run(AWHILE_MS);
  await ada.append("a.md", "more\n");
  await machines.run(AWHILE_MS);
  return { machines, ada };
}

test("[MA102] who joins follows a document that was deleted before and that somebody brings back", async () => {
  const machines = new Machines();
  const ada = machines.add("ada");
  await ada.create("a.md", "one\n");
  await ada.create("b.md", "two\n");
  await ada.remove("a.md");
  await machines.run(AWHILE_MS);
  await machines.during(ada.link.storeSnapshot());
  const bob = machines.add("bob", {}, { joins: true });
  await machines.run(AWHILE_MS);
  expect(bob.files()).toEqual({ "b.md": "two\n" });
  ada.save("a.md", "one\nagain\n");
  await machines.run(AWHILE_MS);
  expect(bob.files()).toEqual({ "a.md": "one\nagain\n", "b.md": "two\n" });
  expect(machines.reports.filter((report) => report.includes("link.defect"))).toEqual([]);
});

test("[MA103] a machine joins after the broker lost its memory, and after messages that nobody has any more", async () => {
  const { machines, ada } = await edited();
  expect(ada.link.outbox.stored).toBe(0);
  machines.broker.wipe();
  await machines.run(AWHILE_MS);
  const cem = machines.add("cem", {}, { joins: true });
  await machines.run(AWHILE_MS);
  expect(cem.files()).toEqual({ "a.md": "one\nmore\n" });
});

test("[MA182, M5] a machine joins after the broker came back with an older snapshot, and without messages that nobody has", async () => {
  const machines = new Machines();
  const [ada] = [machines.add("ada"), machines.add("bob")];
  await machines.run(AWHILE_MS);
  const backup = machines.broker.backup(); // with a snapshot of nothing
  await ada.create("a.md", "one\n");
  await machines.run(AWHILE_MS);
  await machines.during(ada.link.storeSnapshot());
  expect(ada.link.outbox.stored).toBe(0);
  machines.broker.restore(backup);
  await machines.run(AWHILE_MS);
  const cem = machines.add("cem", {}, { joins: true });
  await machines.run(AWHILE_MS);
  expect(cem.files()).toEqual({ "a.md": "one\n" });
});

test("[MA149] the head of a snapshot that is refused keeps no machine from joining", async () => {
  const { machines, ada } = await edited();
  await machines.during(ada.link.storeSnapshot());
  const refused = Buffer.from("the head of a machine that was removed");
  machines.broker.memory.objects.set(headName("aaa"), refused);
  machines.broker.memory.objects.set(headName("zoe"), refused);
  const cem = machines.add("cem", {}, { joins: true });
  await machines.run(AWHILE_MS);
  expect(cem.files()).toEqual({ "a.md": "one\nmore\n" });
});

test("[MA149] a snapshot of which the carrier lost a part is stored again once a machine connects", async () => {
  const { machines, ada } = await edited();
  await machines.during(ada.link.storeSnapshot());
  const { objects } = machines.broker.memory;
  for (const name of objects.keys()) if (!name.startsWith(headName(""))) objects.delete(name);
  machines.broker.stop();
  machines.broker.start();
  const cem = machines.add("cem", {}, { joins: true });
  await machines.run(AWHILE_MS);
  expect(cem.files()).toEqual({ "a.md": "one\nmore\n" });
});

test("[MA203] a part of an older snapshot in the place of a newer one's part is refused, and who joins waits", async () => {
  const { machines, ada } = await edited();
  const { objects } = machines.broker.memory;
  const stored = async () => {
    await machines.during(ada.link.storeSnapshot());
    const { id } = (await machines.during(ada.link.snapshots.reader.head()))!;
    return { name: partName(id, 0), bytes: objects.get(partName(id, 0))! };
  };
  const older = await stored();
  await ada.append("a.md", "again\n");
  await machines.run(AWHILE_MS);
  const newer = await stored();
  objects.set(newer.name, older.bytes);
  const cem = machines.add("cem", {}, { joins: true });
  await machines.run(AWHILE_MS);
  expect(cem.files()).toEqual({});
  expect(cem.isJoining).toBe(true);
  objects.set(newer.name, newer.bytes);
  await machines.run(AWHILE_MS);
  expect(cem.files()).toEqual({ "a.md": "one\nmore\nagain\n" });
});

test("[MA203] who joins takes in the snapshot of an earlier version, whose head names no digests", async () => {
  const { machines, ada } = await edited();
  await machines.during(ada.link.storeSnapshot());
  const { digests: _, ...head } = (await machines.during(ada.link.snapshots.reader.head()))!;
  machines.broker.memory.objects.set(headName("ada"), sealedBy("ada", 0, encodeHead(head)));
  const cem = machines.add("cem", {}, { joins: true });
  await machines.run(AWHILE_MS);
  expect(cem.files()).toEqual({ "a.md": "one\nmore\n" });
});

test("[MA217, M7] a machine joins although the clock of the only other one was set back a day", async () => {
  const machines = new Machines();
  const [ada, bob] = [machines.add("ada"), machines.add("bob")];
  await machines.run(AWHILE_MS);
  await bob.create("a.md", "one\n");
  await machines.run(AWHILE_MS);
  ada.kill();
  bob.aheadMs = -86_400_000;
  machines.broker.wipe();
  await machines.run(2 * AWHILE_MS);
  expect(bob.link.status.machines.map(({ name, isConnected }) => [name, isConnected])).toEqual([
    ["ada", false],
    ["bob", true],
  ]);
  const cem = machines.add("cem", {}, { joins: true });
  await machines.run(AWHILE_MS);
  expect(cem.files()).toEqual({ "a.md": "one\n" });
});

test("[MA104, M6] a snapshot is stored for a machine that lacks messages which the others have dropped", async () => {
  const { machines } = await edited();
  machines.broker.loseSuffix(1);
  const cem = machines.add("cem", {}, { joins: true });
  await machines.run(3 * AWHILE_MS);
  expect(cem.files()).toEqual({ "a.md": "one\nmore\n" });
});

test("[MA105] a file that a rule of one machine leaves out is not written there, and the status says why", async () => {
  const machines = new Machines();
  const ada = machines.add("ada");
  const bob = machines.add("bob", { ".gitignore": "*.log\n" });
  await machines.run(AWHILE_MS);
  await ada.create("x.log", "one\n");
  await ada.create("x.md", "one\n");
  await machines.run(AWHILE_MS);
  expect(Object.keys(bob.files()).sort()).toEqual([".gitignore", "x.md"]);
  expect(bob.link.status.withheld).toEqual([
    { path: "x.log", reason: expect.stringContaining(".gitignore") },
  ]);
});

test("[MA106] who joins follows a deletion whose author had seen all changes of the document", async () => {
  const machines = new Machines();
  const ada = machines.add("ada");
  const bob = machines.add("bob");
  await bob.create("a.md", "one\n");
  await ada.create("b.md", "two\n");
  await machines.run(AWHILE_MS);
  await machines.during(ada.link.storeSnapshot());
  const cem = machines.add("cem", {}, { joins: true });
  await machines.run(AWHILE_MS);
  expect(cem.files()).toEqual({ "a.md": "one\n", "b.md": "two\n" });
  await bob.remove("a.md");
  await machines.run(AWHILE_MS);
  for (const machine of [ada, bob, cem]) expect(machine.files()).toEqual({ "b.md": "two\n" });
});

test("[MA107] who joins brings back a document that was deleted before, and all machines have it again", async () => {
  const machines = new Machines();
  const ada = machines.add("ada");
  await machines.run(AWHILE_MS);
  await ada.create("a.md", "one\n");
  await ada.remove("a.md");
  await machines.run(AWHILE_MS);
  await machines.during(ada.link.storeSnapshot());
  const bob = machines.add("bob", {}, { joins: true });
  await machines.run(AWHILE_MS);
  const [gone] = bob.store.documents();
  await machines.during(bob.workspace.restore(ADA, gone!.path));
  await machines.run(AWHILE_MS);
  for (const machine of [ada, bob]) expect(machine.files()).toEqual({ "a.md": "one\n" });
});

test("[MA108] a change that comes with a snapshot keeps its machine, also in a document that is there already", async () => {
  const machines = new Machines();
  const [ada, bob] = [machines.add("ada"), machines.add("bob")];
  await machines.run(AWHILE_MS);
  await ada.create("a.md", "one\n");
  await machines.run(AWHILE_MS);
  await machines.during(ada.link.storeSnapshot());
  const cem = machines.add("cem", {}, { joins: true });
  await machines.run(AWHILE_MS);
  cem.link.inbox.take = () => {}; // so that the change comes with the snapshot alone
  await bob.append("a.md", "two\n");
  await machines.run(AWHILE_MS);
  await machines.during(ada.workspace.loadedAt("a.md" as never)!.compact({ leaving: true }));
  await machines.during(ada.link.storeSnapshot());
  await machines.during(cem.link.snapshots.take());
  const { id } = cem.store.documentAt("a.md")!;
  expect([...cem.store.changes(id)].map(({ machine }) => machine)).toEqual(["bob", "ada"]);
});

test("[MA119] a machine whose store refuses a write while it joins tries again, until it has joined", async () => {
  const { machines, ada } = await edited();
  await machines.during(ada.link.storeSnapshot());
  const cem = machines.add("cem", { "b.md": "two\n" }, { joins: true });
  const shelve = cem.store.shelve.bind(cem.store);
  let refused = 0;
  cem.store.shelve = (...records) => {
    const isRefused = refused < 2 && records.some(({ shelf }) => shelf === "link");
    if (isRefused) refused++;
    return isRefused ? Promise.reject(new StoreError("full", "as the test wants it")) : shelve(...records);
  };
  await machines.run(3 * AWHILE_MS);
  expect(refused).toBe(2);
  expect(cem.isJoining).toBe(false);
  for (const machine of [ada, cem])
    expect(machine.files()).toEqual({ "a.md": "one\nmore\n", "b.md": "two\n" });
});

/** A snapshot of two documents, and a machine that joins while one of them has a defect there, until `mend` is called. */
async function joinedBeside() {
  const machines = new Machines();
  const ada = machines.add("ada");
  await ada.create("a.md", "one\n");
  await ada.create("b.md", "two\n");
  await machines.run(AWHILE_MS);
  await machines.during(ada.link.storeSnapshot());
  ada.link.snapshots.store = () => Promise.resolve(); // no newer one
  const { id } = ada.store.documentAt("a.md")!;
  const bob = machines.add("bob", { "c.md": "three\n" }, { joins: true });
  const { applier } = bob.link;
  const adopt = applier.adopt.bind(applier);
  applier.adopt = (entry, source) =>
    entry.document.doc === id ? Promise.reject(new Error("as the test wants it")) : adopt(entry, source);
  await machines.run(2 * AWHILE_MS);
  const mend = () => {
    applier.adopt = adopt;
  };
  return { machines, ada, bob, mend };
}

test("[MA136] a document with a defect keeps no machine from joining, and the status names the document", async () => {
  const { machines, ada, bob } = await joinedBeside();
  expect(bob.isJoining).toBe(false);
  expect(bob.files()).toEqual({ "b.md": "two\n", "c.md": "three\n" });
  expect(bob.link.status.withheld).toEqual([
    { path: "a.md", reason: "a change could not be applied here: Error: as the test wants it" },
  ]);
  await ada.append("b.md", "more\n");
  await bob.append("c.md", "more\n");
  await machines.run(1_000);
  for (const machine of [ada, bob]) {
    expect(machine.text("b.md")).toBe("two\nmore\n");
    expect(machine.text("c.md")).toBe("three\nmore\n");
  }
});

test("[MA136] a changed document with a defect delays no other one", async () => {
  const { machines, ada, bob } = await joinedBeside();
  for (let i = 0; i < 10; i++) await ada.append("a.md", `${i}\n`);
  await ada.append("b.md", "more\n");
  await machines.run(2_000);
  expect(bob.text("b.md")).toBe("two\nmore\n");
});

test("[MA137] the document comes with a later try of the same snapshot", async () => {
  const { machines, ada, bob, mend } = await joinedBeside();
  mend();
  await machines.run(60_000);
  expect(bob.link.status.withheld).toEqual([]);
  await bob.append("a.md", "more\n");
  await machines.run(1_000);
  for (const machine of [ada, bob]) expect(machine.text("a.md")).toBe("one\nmore\n");
});

test("[MA137] with a newer snapshot it comes at once, with all changes, and others get its changes", async () => {
  const { machines, ada, bob, mend } = await joinedBeside();
  await ada.append("a.md", "more\n");
  await machines.run(1_000);
  await machines.during(ada.workspace.loadedAt("a.md" as never)!.compact({ leaving: true }));
  mend();
  Reflect.deleteProperty(ada.link.snapshots, "store");
  await machines.during(ada.link.storeSnapshot());
  await machines.run(5_000);
  expect(bob.text("a.md")).toBe("one\nmore\n");
  await bob.append("a.md", "bob's\n");
  await machines.run(1_000);
  for (const machine of [ada, bob]) expect(machine.text("a.md")).toBe("one\nmore\nbob's\n");
});

test("[MA138] a machine opens its own file again after a defect, and joins meanwhile", async () => {
  const machines = new Machines();
  const ada = machines.add("ada", { "a.md": "one\n" });
  await machines.run(AWHILE_MS);
  await machines.during(ada.link.storeSnapshot());
  const bob = machines.add("bob", { "b.md": "two\n", "c.md": "three\n" }, { joins: true });
  const { workspace } = bob;
  const open = workspace.open.bind(workspace);
  let isSound = false;
  workspace.open = (path) =>
    path === "b.md" && !isSound ? Promise.reject(new Error("as the test wants it")) : open(path);
  await machines.run(AWHILE_MS);
  expect(bob.isJoining).toBe(false);
  expect(ada.files()).toEqual({ "a.md": "one\n", "c.md": "three\n" });
  isSound = true;
  await machines.run(60_000);
  expect(ada.files()).toEqual({ "a.md": "one\n", "b.md": "two\n", "c.md": "three\n" });
});

test.each([
  ["ada", "bob"],
  ["bob", "ada"],
])("[MA139] %s lacks a change of %s, which stores a snapshot with it", async (...names) => {
  const machines = new Machines();
  const [one, other] = [machines.add(names[0]!), machines.add(names[1]!)];
  await machines.run(1_000);
  await other.create("a.md", "one\n");
  await machines.run(AWHILE_MS);
  const { applier } = one.link;
  const apply = applier.apply.bind(applier);
  applier.apply = (item, source) =>
    source.number === 2 ? Promise.reject(new Error("as the test wants it")) : apply(item, source);
  await other.append("a.md", "two\n");
  await machines.run(6 * AWHILE_MS);
  expect(one.text("a.md")).toBe("one\ntwo\n");
});

test("[MA162] who says that it dropped messages makes others take in no snapshot a second time", async () => {
  const { machines, ada } = await edited();
  await machines.during(ada.link.storeSnapshot());
  const cem = machines.add("cem", {}, { joins: true });
  await machines.run(AWHILE_MS);
  Object.defineProperty(ada.link.outbox, "first", { get: () => 1_000 });
  const get = cem.carrier.get.bind(cem.carrier);
  const parts: string[] = [];
  cem.carrier.get = (name) => {
    if (!name.startsWith(headName(""))) parts.push(name);
    return get(name);
  };
  await machines.run(AWHILE_MS);
  expect(parts).toEqual([]);
});

/** Spoils the record of the document at a path: no other machine can read what is made of it. */
function spoil({ store }: Machine, path: string): void {
  const document = store.document.bind(store);
  store.document = (asked) => {
    const record = document(asked);
    return record?.path === path ? { ...record, bom: "none" as never } : record;
  };
}

test("[MA163] an entry of a snapshot that cannot be read keeps no machine from joining, and link.defect names it", async () => {
  const machines = new Machines();
  const ada = machines.add("ada");
  await ada.create("a.md", "one\n");
  await ada.create("b.md", "two\n");
  await machines.run(AWHILE_MS);
  spoil(ada, "a.md");
  await machines.during(ada.link.storeSnapshot());
  const bob = machines.add("bob", {}, { joins: true });
  await machines.run(2 * AWHILE_MS);
  expect(bob.files()).toEqual({ "b.md": "two\n" });
  expect(bob.isJoining).toBe(false);
  const { id } = ada.store.documentAt("a.md")!;
  expect(machines.reports.some((one) => one.startsWith("bob: link.defect") && one.includes(id))).toBe(true);
});

test("[MA163] an item of a message that cannot be read delays no later message", async () => {
  const machines = new Machines();
  const [ada, bob] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  spoil(ada, "a.md");
  await ada.create("a.md", "one\n");
  await machines.run(1_000);
  await ada.create("b.md", "two\n");
  await machines.run(1_000);
  expect(bob.files()).toEqual({ "b.md": "two\n" });
});

test("[MA164] a file with a backslash in its name reaches the others, also those that join", async () => {
  const machines = new Machines();
  const [ada, bob] = [machines.add("ada", { "x\\y.md": "one\n" }), machines.add("bob")];
  await machines.run(1_000);
  await ada.append("x\\y.md", "two\n");
  await machines.run(1_000);
  await machines.during(ada.link.storeSnapshot());
  const cem = machines.add("cem", {}, { joins: true });
  await machines.run(AWHILE_MS);
  for (const machine of [bob, cem]) expect(machine.files()).toEqual({ "x\\y.md": "one\ntwo\n" });
});

/** A machine joins where another one, of a level, has stored this head. */
async function joinedAt(level: Level, forged: Partial<SnapshotHead>) {
  const { machines, ada } = await edited();
  await machines.during(ada.link.storeSnapshot());
  machines.levels.set("bob", level);
  const none = { documentParts: 0, fileParts: 0, documents: 0, files: 0, lamport: 1, time: 1 };
  const head = { machine: "bob", id: "x", vector: { ada: 1_000, bob: 1_000 }, ...none, ...forged };
  machines.broker.memory.objects.set(headName("bob"), sealedBy("bob", 0, encodeHead(head)));
  const cem = machines.add("cem", {}, { joins: true });
  await machines.run(AWHILE_MS);
  await ada.append("a.md", "again\n");
  await machines.run(AWHILE_MS);
  return cem.files();
}

test("[MA165] who joins takes in no snapshot of a machine that may only read, whatever it claims", async () => {
  expect(await joinedAt("read", {})).toEqual({ "a.md": "one\nmore\nagain\n" });
});

test("[MA149] the head of a snapshot with more parts than anybody can store keeps no machine from joining", async () => {
  const files = await joinedAt("write", { documentParts: Number.MAX_SAFE_INTEGER });
  expect(files).toEqual({ "a.md": "one\nmore\nagain\n" });
});

test("[MA165] a head that names another machine is no snapshot of that one", async () => {
  expect(await joinedAt("write", { machine: "ada" })).toEqual({ "a.md": "one\nmore\nagain\n" });
});

test("[MA165] a machine that may only read stores no snapshot", async () => {
  const { machines, ada } = await edited();
  machines.levels.set("bob", "read");
  ada.kill();
  machines.broker.wipe();
  await machines.run(2 * AWHILE_MS);
  expect([...machines.broker.memory.objects.keys()]).toEqual([]);
});

test("[MA166] a document that the snapshot's machine may not change comes with another one's snapshot", async () => {
  const folders = new SharedFolders();
  const ada = await folders.found("ada");
  await ada.create("a.md", "one\n");
  await ada.create(".vscode/tasks.json", "{}\n");
  await folders.join(ada, "bob");
  const line = await folders.invite(ada);
  await ada.machines.close();
  folders.broker.wipe();
  await folders.run(2 * AWHILE_MS);
  const cem = await folders.joinWith(line, "cem");
  expect(cem.files()).toEqual({ "a.md": "one\n" });
  expect(cem.machines.status).toMatchObject({ is: "shared", withheld: [{ path: ".vscode/tasks.json" }] });
  ada.machines.open();
  await folders.run(6 * AWHILE_MS);
  expect(cem.files()).toEqual(ada.files());
});
