import { expect, test } from "vitest";
import { encodeMessage } from "../../src/link/messages/message.ts";
import { Machines, sealedBy } from "./machines.ts";

/** The time in which all attempts for one document with a defect end, with a margin. */
const FEW_MS = 8_000;
const COUNT = 20;

/** A document whose operations nobody can read. */
function garbage(i: number) {
  const stamp = { lamport: 50, machine: "mal" };
  const who = { author: "mal", agent: "mal", origin: "agent", time: 1 };
  const changes = [{ id: `chg_${i}`, seq: 0, ...who, splices: [], removed: [] }];
  const snapshot = { seq: 0, form: "update", bytes: Buffer.from("garbage") };
  const name = { path: `${i}.md`, isDeleted: false, stamp };
  return { is: "document", doc: `doc_${i}`, bom: false, born: stamp, name, snapshot, changes };
}

/** Has a machine send these messages, each with some documents that nobody can read, and another one make a file. */
async function delayedBy(messages: readonly (readonly number[])[]) {
  const machines = new Machines();
  const [ada, mal, cem] = [machines.add("ada"), machines.add("mal"), machines.add("cem")];
  await machines.run(1_000);
  mal.kill();
  for (const [i, documents] of messages.entries()) {
    const message = encodeMessage({ after: {}, items: documents.map(garbage) as never });
    machines.broker.store("mal", i + 1, sealedBy("mal", i + 1, message));
  }
  await machines.run(100);
  await cem.create("c.md", "cem\n");
  await machines.run(FEW_MS);
  const defects = machines.reports.filter((one) => one.startsWith("ada: link.defect"));
  return { ada, defects };
}

const numbers = Array.from({ length: COUNT }, (_, i) => i);

test("[MA208] a message with many documents that have defects delays the others as long as one, and is one report", async () => {
  const { ada, defects } = await delayedBy([numbers]);
  expect(ada.files()).toEqual({ "c.md": "cem\n" });
  expect(ada.link.state.standing.received).toMatchObject({ mal: 1 });
  expect(defects).toEqual([
    `ada: link.defect {"machine":"mal","doc":"doc_0","reason":"Decode error: (Invalid import data)","items":${COUNT}}`,
  ]);
  for (const i of numbers) expect(ada.link.state.document(`doc_${i}`)?.lacks?.messages).toEqual({ mal: 1 });
});

test("[MA208] many messages with a defect of one machine delay the others as long as one", async () => {
  const { ada, defects } = await delayedBy(numbers.map((i) => [i]));
  expect(ada.files()).toEqual({ "c.md": "cem\n" });
  expect(defects).toHaveLength(COUNT);
});

test("[MA208] a snapshot with many documents that have defects keeps a machine from joining as long as one", async () => {
  const machines = new Machines();
  const ada = machines.add("ada");
  for (let i = 0; i < 4 * 32; i++) await ada.create(`${i}.md`, "one\n");
  await machines.run(10_000);
  await machines.during(ada.link.storeSnapshot());
  const bob = machines.add("bob", {}, { joins: true });
  bob.link.applier.adopt = () => Promise.reject(new Error("as the test wants it"));
  await machines.run(FEW_MS);
  expect(bob.isJoining).toBe(false);
});
