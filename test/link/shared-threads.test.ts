import { expect, test } from "vitest";
import { isRefusal, type Outcome } from "../../src/workspace/outcome/refusal.ts";
import { ADA, type Machine, Machines } from "./machines.ts";

/** Returns two machines that share a document, and its id. */
async function two(): Promise<{ machines: Machines; a: Machine; b: Machine; docId: string }> {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  await a.create("plan.md", "one\ntwo\n");
  await machines.run(1_000);
  const docId = a.store.documentAt("plan.md")!.id;
  return { machines, a, b, docId };
}

function made<T>(outcome: Outcome<T>): T {
  if (isRefusal(outcome)) throw outcome;
  return outcome;
}

/** Says something, in a new thread about a document or in a thread. */
async function say(
  machine: Machine,
  to: string | { docId: string },
  text: string,
  role: "user" | "assistant" = "user",
): Promise<{ thread: string; message: { id: string } }> {
  const request = { to: typeof to === "string" ? to : { docIds: [to.docId] }, role, text };
  return made(await machine.services.threads.append(ADA, request));
}

/** Returns what a thread says on a machine, with the names of the machines where it was said. */
async function said(machine: Machine, thread: string): Promise<string[]> {
  const { messages } = made(await machine.services.threads.get(ADA, thread));
  return messages.map(
    (message) => `${message.text}${message.machine === undefined ? "" : ` (${message.machine})`}`,
  );
}

const textsOf = (lines: readonly string[]) => lines.map((line) => line.replace(/ \(.*/, ""));

test("[MA80] a thread and its messages are on all machines, with author and machine", async () => {
  const { machines, a, b, docId } = await two();
  const { thread } = await say(a, { docId }, "is it done?");
  await machines.run(1_000);
  expect(await said(b, thread)).toEqual(["is it done? (ada)"]);
  await say(b, thread, "not yet", "assistant");
  await machines.run(1_000);
  expect(await said(a, thread)).toEqual(["is it done?", "not yet (bob)"]);
  const [listed] = b.services.threads.list(ADA);
  expect(listed).toMatchObject({ id: thread, title: "is it done?", waiting: false, paths: ["plan.md"] });
  made(await b.services.threads.resolve(ADA, thread, true));
  await machines.run(1_000);
  expect(a.services.threads.list(ADA)).toMatchObject([{ id: thread, status: "resolved" }]);
  expect(machines.reports).toEqual([]);
});

test("[MA81] messages that cross stand in one order on all machines", async () => {
  const { machines, a, b, docId } = await two();
  const { thread } = await say(a, { docId }, "first");
  await machines.run(1_000);
  machines.broker.stop();
  for (const text of ["a1", "a2"]) await say(a, thread, text);
  for (const text of ["b1", "b2"]) await say(b, thread, text);
  machines.broker.start();
  await machines.run(5_000);
  const [onA, onB] = [textsOf(await said(a, thread)), textsOf(await said(b, thread))];
  expect(onA).toEqual(onB);
  expect(onA[0]).toBe("first");
  expect(onA.toSorted()).toEqual(["a1", "a2", "b1", "b2", "first"]);
  expect(onA.indexOf("a1")).toBeLessThan(onA.indexOf("a2"));
  await say(b, thread, "last");
  await machines.run(1_000);
  expect(textsOf(await said(a, thread)).at(-1)).toBe("last");
});

test("[MA82] a thread stays where it was cleared or resolved without its newest message", async () => {
  const { machines, a, b, docId } = await two();
  const third = machines.add("cyd");
  const { thread } = await say(a, { docId }, "first");
  const { thread: other } = await say(a, { docId }, "another");
  await machines.run(2_000);
  machines.broker.stop();
  expect(await a.services.threads.clear(ADA, thread)).toBeUndefined();
  made(await a.services.threads.resolve(ADA, other, true));
  await say(b, thread, "wait");
  await say(b, other, "wait, too");
  machines.broker.start();
  await machines.run(10_000);
  for (const machine of [a, b, third]) {
    expect(machine.services.threads.list(ADA).map(({ status }) => status)).toEqual(["open", "open"]);
    expect(textsOf(await said(machine, thread))).toEqual(["first", "wait"]);
    expect(textsOf(await said(machine, other))).toEqual(["another", "wait, too"]);
  }
});

test("[MA83] a thread is cleared on all machines, also on one that was killed, and on one that joins later", async () => {
  const { machines, a, b, docId } = await two();
  const { thread } = await say(a, { docId }, "first");
  const { thread: kept } = await say(a, { docId }, "kept");
  await machines.run(1_000);
  a.kill();
  expect(await b.services.threads.clear(ADA, thread)).toBeUndefined();
  b.kill();
  await machines.run(1_000);
  for (const machine of [a, b]) machine.start();
  await machines.run(5_000);
  await machines.during(a.link.storeSnapshot());
  const third = machines.add("cyd");
  await machines.run(100);
  await machines.during(third.link.snapshots.take());
  await machines.run(5_000);
  for (const machine of [a, b, third])
    expect(machine.services.threads.list(ADA).map(({ id }) => id)).toEqual([kept]);
});
