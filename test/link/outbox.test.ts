import { expect, test } from "vitest";
import { LinkState, outboxId, outboxShelf } from "../../src/link/link-state.ts";
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
