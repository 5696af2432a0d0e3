import { expect, test, vi } from "vitest";
import { CarrierError } from "../../src/link/carrier/carrier.ts";
import { LinkState, outboxId, outboxShelf } from "../../src/link/state/link-state.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { type Machine, Machines } from "./machines.ts";

test("[MA10] a message that the store refused is stored with the next record of the standing", async () => {
  const store = new MemoryStore();
  const state = new LinkState(store, (machine) => machine);
  state.send(1, { bytes: Buffer.from("one") });
  state.stand({ next: 2 });
  store.failNext("full");
  await expect(state.save()).rejects.toThrow("as the test wants it");
  expect(store.shelved(outboxShelf, outboxId(1))).toBeUndefined();
  state.stand({ received: { bob: 1 } });
  await state.save();
  expect(new LinkState(store, (machine) => machine).standing.next).toBe(2);
  expect(store.shelved(outboxShelf, outboxId(1))?.bytes).toEqual(Buffer.from("one"));
});

test("[MA11] the outbox goes on after a request that the connected broker lost", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  machines.broker.faults = { drop: 1, double: 0, reorder: 0, delay: 0 };
  await a.create("a.md", "one\n");
  await machines.run(15_000);
  expect(b.files()).toEqual({});
  machines.broker.faults = { drop: 0, double: 0, reorder: 0, delay: 0 };
  await machines.run(15_000);
  expect(b.files()).toEqual({ "a.md": "one\n" });
});

test("[MA183] a machine waits for what later messages build on, also after a snapshot that had only the earlier ones", async () => {
  const machines = new Machines();
  const [ada, bob] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  let go = () => {};
  const held = new Promise<void>((done) => (go = done));
  const { applier, snapshots } = ada.link;
  const apply = applier.apply.bind(applier);
  vi.spyOn(applier, "apply").mockImplementationOnce((...item) => held.then(() => apply(...item)));
  await bob.create("b.md", "of bob\n");
  await machines.run(1_000);
  await ada.create("a.md", "of ada\n");
  await machines.run(1_000);
  await machines.during(snapshots.store()); // with ada's message, which names the one of bob that it waits for
  go();
  await machines.run(1_000);
  await ada.rename("b.md", "c.md");
  bob.kill();
  machines.broker.purge();
  const cem = machines.add("cem", {}, { joins: true });
  await machines.run(10_000);
  expect(cem.files()).toEqual({ "a.md": "of ada\n" });
  bob.start();
  await machines.run(10_000);
  expect(machines.reports).toEqual([]);
  for (const machine of [ada, bob, cem])
    expect(machine.files()).toEqual({ "a.md": "of ada\n", "c.md": "of bob\n" });
});

test("[MA130] a message that is made while another one is on its way reaches the broker once it is stored", async () => {
  const machines = new Machines();
  const a = machines.add("ada", {}, { flushMs: 20 });
  await machines.run(3_000);
  await machines.during(a.create("a.md", ""));
  for (let line = 0; line < 60; line++) {
    const appended = a.append("a.md", `${line}\n`);
    await machines.run(7);
    await machines.during(appended);
  }
  await machines.run(500);
  const numbers = machines.broker.memory.log.map(({ number }) => number);
  expect(numbers.length).toBeGreaterThan(20);
  expect(numbers).toEqual(Array.from(numbers, (_, i) => i + 1));
});

test("[MA18] changes that wait in a journal reach the others one by one, however long they waited", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada", {}, { mostWaiting: 1 }), machines.add("bob")];
  await machines.run(1_000);
  await a.create("a.md", "one\n");
  await machines.run(1_000);
  machines.broker.stop();
  await a.append("a.md", "two\n");
  await machines.run(1_000);
  expect(a.link.outbox.isFull).toBe(true);
  for (const line of ["three\n", "four\n", "five\n"]) {
    await a.append("a.md", line);
    await machines.run(15_000);
  }
  machines.broker.start();
  await machines.run(10_000);
  const { id } = a.store.documents()[0]!;
  const idsOf = ({ store }: Machine) => store.everyChangeOf(id).map((change) => change.id);
  expect(b.text("a.md")).toBe("one\ntwo\nthree\nfour\nfive\n");
  expect(idsOf(b)).toEqual(idsOf(a));
  await machines.run(15_000);
  expect(a.store.journal(id)).toEqual([]);
});

test("[MA38] the outbox says since when the oldest message waits, also after a restart", async () => {
  const machines = new Machines();
  const [a] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  await a.create("a.md", "one\n");
  await machines.run(5_000);
  expect(a.link.status).toMatchObject({ waiting: 0, waitingSince: undefined });
  machines.broker.stop();
  await machines.run(1_000);
  const before = machines.clock.now();
  await a.append("a.md", "two\n");
  await machines.run(5_000);
  await a.append("a.md", "three\n");
  await machines.run(1_000);
  const { waiting, waitingSince } = a.link.status;
  expect(waiting).toBe(2);
  expect(waitingSince).toBeGreaterThanOrEqual(before);
  expect(waitingSince).toBeLessThan(before + 5_000);
  a.kill();
  a.start();
  await machines.run(1_000);
  expect(a.link.status).toMatchObject({ waiting, waitingSince });
  machines.broker.start();
  await machines.run(15_000);
  expect(a.link.status).toMatchObject({ waiting: 0, waitingSince: undefined });
});

test("[MA140] what the broker refuses is published again after growing pauses, and one report names the reason", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  const publish = vi.spyOn(a.carrier, "publish");
  publish.mockImplementation(async () => {
    throw new CarrierError("refused", "NATS: maximum bytes exceeded");
  });
  for (const path of ["a.md", "b.md", "c.md"]) await a.create(path, "one\n");
  await machines.run(60_000);
  const numbers = publish.mock.calls.map(([, number]) => number);
  expect(numbers.filter((number) => number === numbers[0]).length).toBeGreaterThan(3);
  expect(numbers.filter((number) => number === numbers[0]).length).toBeLessThan(10);
  expect(machines.reports.filter((report) => report.includes("link.unpublished"))).toEqual([
    `ada: link.unpublished {"number":${numbers[0]},"reason":"NATS: maximum bytes exceeded"}`,
  ]);
  expect(a.link.status.waiting).toBeGreaterThan(0);
  expect(a.link.status.refusal).toBe("NATS: maximum bytes exceeded");
  publish.mockRestore();
  await machines.run(40_000);
  expect(a.link.status.refusal).toBeUndefined();
  expect(b.files()).toEqual({ "a.md": "one\n", "b.md": "one\n", "c.md": "one\n" });
  expect(a.link.status.waiting).toBe(0);
});

test("[MA140] a defect of the carrier is reported once and delays the outbox", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  const broken = async () => {
    throw new TypeError("a defect");
  };
  const spies = [vi.spyOn(a.carrier, "publish"), vi.spyOn(a.carrier, "newest")];
  for (const spy of spies) spy.mockImplementation(broken);
  await a.create("a.md", "one\n");
  await machines.run(20_000);
  expect(machines.reports).toEqual(['ada: link.defect {"number":1,"reason":"TypeError: a defect"}']);
  for (const spy of spies) spy.mockRestore();
  await machines.run(40_000);
  expect(b.files()).toEqual({ "a.md": "one\n" });
});

/** Holds back what is marked for the outbox of a machine from now on. */
function heldMarks({ link: { outbox } }: Machine) {
  const mark = outbox.mark.bind(outbox);
  const marked: string[] = [];
  outbox.mark = (id) => void marked.push(id);
  return { mark, marked };
}

/** Two machines that share two files, of which the first one's outbox cannot read the changes of `a.md`. */
async function withDamage() {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  await a.create("a.md", "one\n");
  await a.create("b.md", "one\n");
  await machines.run(10_000);
  const damaged = a.store.documents().find(({ path }) => path === "a.md")!.id;
  const { journal } = a.store;
  const read = vi.spyOn(a.store, "journal").mockImplementation((id, after) => {
    if (id === damaged) throw new RangeError("damaged");
    return journal.call(a.store, id, after);
  });
  return { machines, a, b, read, damaged };
}

test("[MA141] a document that can be put into no message delays no other one, and link.defect names it", async () => {
  const { machines, a, b, read, damaged } = await withDamage();
  const appended = [a.append("a.md", "two\n"), a.append("b.md", "two\n")];
  await Promise.all(appended);
  await machines.run(10_000);
  expect(b.files()).toEqual({ "a.md": "one\n", "b.md": "one\ntwo\n" });
  expect(machines.reports).toEqual([`ada: link.defect {"doc":"${damaged}","reason":"RangeError: damaged"}`]);
  read.mockRestore();
  await a.append("a.md", "three\n");
  await machines.run(10_000);
  expect(b.text("a.md")).toBe("one\ntwo\nthree\n");
});

test("[MA141] a document that is too large for a message delays no other one in its message", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  machines.mostBytes = 20_000;
  const { mark, marked } = heldMarks(a);
  for (const path of ["a.md", "b.md", "c.md"])
    await a.create(path, "one\n".repeat(path === "b.md" ? 20_000 : 1));
  for (const id of marked) mark(id);
  await machines.run(10_000);
  expect(b.files()).toEqual({ "a.md": "one\n", "c.md": "one\n" });
  const large = a.store.documents().find(({ path }) => path === "b.md")!.id;
  expect(machines.reports).toEqual([
    `ada: link.defect {"doc":"${large}","reason":"RangeError: the payload is too large"}`,
  ]);
});

test("[MA142] a change that is marked as the outbox ends its work is in a message at once", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  for (const path of ["a.md", "b.md"]) await a.create(path, "one\n");
  await machines.run(5_000);
  const { mark, marked } = heldMarks(a);
  for (const path of ["a.md", "b.md"]) await a.append(path, "two\n");
  const publish = a.carrier.publish.bind(a.carrier);
  a.carrier.publish = (...message) => {
    queueMicrotask(() => mark(marked[1]!));
    return publish(...message);
  };
  mark(marked[0]!);
  await machines.run(1_000);
  expect(b.files()).toEqual({ "a.md": "one\ntwo\n", "b.md": "one\ntwo\n" });
});
