import { Encoder } from "msgpackr";
import { expect, test } from "vitest";
import { decodeMessage, encodeMessage, type RecordItem } from "../../src/link/messages/message.ts";
import { isRefusal, type Outcome } from "../../src/workspace/outcome/refusal.ts";
import { ADA, type Machine, Machines } from "./machines.ts";

const DAY_MS = 24 * 3_600_000;

function made<T>(outcome: Outcome<T>): T {
  if (isRefusal(outcome)) throw outcome;
  return outcome;
}

async function two(): Promise<{ machines: Machines; a: Machine; b: Machine; docId: string }> {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  await a.create("plan.md", "one\ntwo\n");
  await machines.run(1_000);
  return { machines, a, b, docId: a.store.documentAt("plan.md")!.id };
}

async function say(machine: Machine, to: string | readonly string[], text: string): Promise<string> {
  const request = { to: typeof to === "string" ? to : { docIds: to }, role: "user", text } as const;
  return made(await machine.services.threads.append(ADA, request)).thread;
}

const threadsOn = ({ services }: Machine) => services.threads.list(ADA).map(({ title }) => title);

async function propose(machines: Machines, on: Machine): Promise<string> {
  const request = { path: "plan.md", operation: "replace", oldContent: "two", proposedValue: "TWO" } as const;
  return made(await machines.during(on.services.proposals.create(ADA, request))).id;
}

const proposalsOn = async (machines: Machines, { services }: Machine) =>
  made(await machines.during(services.proposals.list(ADA, {}))).proposals.map(({ status }) => status);

test("[MA95] what was stored right before a machine was killed is told when it starts again", async () => {
  const { machines, a, b, docId } = await two();
  const id = await propose(machines, a);
  await machines.run(1_000);
  // The daemon tells nothing from here to its end.
  await machines.during(a.link.close());
  made(await machines.during(a.services.checkpoints.create(ADA, "before")));
  made(await a.services.proposals.reject(ADA, id, "no"));
  await say(a, [docId], "hello");
  a.kill();
  await machines.run(5_000);
  expect(threadsOn(b)).toEqual([]);
  a.start();
  await machines.run(5_000);
  expect(threadsOn(b)).toEqual(["hello"]);
  expect(await proposalsOn(machines, b)).toEqual(["rejected"]);
  expect(await b.services.checkpoints.list(ADA)).toMatchObject([{ name: "before", machine: "ada" }]);
});

test("[MA96] a machine that joins has all records from a snapshot, and changes none by that", async () => {
  const { machines, a, b, docId } = await two();
  const thread = await say(a, [docId], "hello");
  await machines.run(1_000);
  await say(b, thread, "hello back");
  await propose(machines, b);
  made(await machines.during(a.services.checkpoints.create(ADA, "before")));
  await machines.run(10_000);
  await machines.during(a.link.storeSnapshot());
  for (const { name, link, carrier } of [a, b]) {
    expect(link.outbox.stored).toBe(0);
    await machines.during(carrier.drop(name, link.state.standing.next - 1));
  }
  const told = a.link.state.standing.next + b.link.state.standing.next;
  const c = machines.add("cyd");
  await machines.run(100);
  await machines.during(c.link.snapshots.take());
  await machines.run(5_000);
  expect(threadsOn(c)).toEqual(["hello"]);
  const { messages } = made(await c.services.threads.get(ADA, thread));
  expect(messages.map(({ text, machine }) => `${text} on ${machine}`)).toEqual([
    "hello on ada",
    "hello back on bob",
  ]);
  expect(await proposalsOn(machines, c)).toEqual(["pending"]);
  expect(await c.services.checkpoints.list(ADA)).toMatchObject([{ name: "before", machine: "ada" }]);
  expect(a.link.state.standing.next + b.link.state.standing.next).toBe(told);
  expect(c.link.state.standing.next).toBe(1);
});

test("[MA97] a record of a machine counts as far as the machine's rights allow it", async () => {
  const { machines, a, b, docId } = await two();
  const thread = await say(a, [docId], "hello");
  const id = await propose(machines, a);
  await machines.run(1_000);
  machines.levels.set("bob", "read");
  await say(b, [docId], "a question");
  await propose(machines, b);
  made(await machines.during(b.services.checkpoints.create(ADA, "bob's")));
  made(await b.services.proposals.reject(ADA, id, "no"));
  expect(await b.services.threads.clear(ADA, thread)).toBeUndefined();
  await machines.run(2_000);
  expect(threadsOn(a).sort()).toEqual(["a question", "hello"]);
  expect(await proposalsOn(machines, a)).toEqual(["pending"]);
  expect(await a.services.checkpoints.list(ADA)).toEqual([]);
  const denied = machines.reports.filter((report) => report.includes("link.denied"));
  expect(denied.map((report) => /"record":"(\w+)"/.exec(report)?.[1]).sort()).toEqual([
    "checkpoint",
    "proposal",
    "proposal",
    "thread",
  ]);
});

test("[MA98] a record of a wrong form is refused with the reason", () => {
  const stamp = { lamport: 1, machine: "m_1" };
  const given = { docs: ["doc_1"], places: [], user: "ada", status: "open", created: 1 };
  const item: RecordItem = { is: "record", kind: "thread", id: "thr_1", stamp, given };
  const message = { after: {}, items: [item] };
  expect(decodeMessage(encodeMessage(message))).toEqual(message);
  const bad: object[] = [
    { ...item, kind: "secrets" },
    { ...item, given: { ...given, status: "gone" } },
    { ...item, given: { ...given, docs: "doc_1" } },
    { ...item, kind: "message" },
    { ...item, given: undefined },
    { ...item, stamp: { lamport: -1, machine: "m_1" } },
  ];
  const read = (one: object) =>
    decodeMessage(new Encoder({ useRecords: false }).encode({ after: {}, items: [one] }));
  const refused = { is: "unreadable", doc: "thr_1", reason: expect.stringMatching(/./) };
  for (const one of bad) expect(read(one)).toEqual({ after: {}, items: [refused] });
});

test("[MA99] a thread or a proposal that is too old for one machine's clock stays on the others", async () => {
  const { machines, a, docId } = await two();
  const late = machines.add("late");
  await say(a, [docId], "hello");
  await propose(machines, a);
  await machines.run(2_000);
  const { threads, proposals } = late.services;
  expect(threadsOn(late)).toEqual(["hello"]);
  late.aheadMs = 40 * DAY_MS;
  await Promise.all([threads.expire(), machines.during(proposals.expire())]);
  expect(threadsOn(late)).toEqual([]);
  expect(await proposalsOn(machines, late)).toEqual(["expired"]);
  await machines.run(2_000);
  expect(await proposalsOn(machines, a)).toEqual(["pending"]);
  late.kill();
  late.start();
  await machines.run(5_000);
  expect(threadsOn(a)).toEqual(["hello"]);
  expect(await proposalsOn(machines, a)).toEqual(["pending"]);
});
