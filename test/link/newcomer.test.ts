import { expect, test } from "vitest";
import { StoreError } from "../../src/store/store.ts";
import { ADA, Machines } from "./machines.ts";

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
