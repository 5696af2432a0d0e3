import { expect, test, vi } from "vitest";
import type { PresenceChange } from "../../src/protocol/service/presence.ts";
import { isRefusal } from "../../src/workspace/outcome/refusal.ts";
import { ADA, type Machine, Machines } from "./machines.ts";

async function two(): Promise<{ machines: Machines; a: Machine; b: Machine }> {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  await a.create("plan.md", "one\ntwo\n");
  await machines.run(1_000);
  return { machines, a, b };
}

const presentOn = ({ services }: Machine, path: string) =>
  services.presences
    .at(path)
    .map(({ actor, machine, selection }) => ({ name: actor.name, machine, selection }));

async function arrive(machines: Machines, on: Machine, path: string): Promise<void> {
  const document = await machines.during(on.workspace.open(path));
  if (isRefusal(document)) throw document;
  on.services.presences.begin("s1");
  on.services.presences.set("s1", ADA, document, { from: 4, to: 7 });
}

test("[MA90] a client in a document is seen on other machines, until it leaves or its machine is away", async () => {
  const { machines, a, b } = await two();
  const seen: PresenceChange["type"][] = [];
  b.services.presences.listen(({ type }) => seen.push(type));
  const there = { name: "ada", machine: "ada", selection: { from: 4, to: 7 } };
  await arrive(machines, a, "plan.md");
  await machines.run(500);
  expect(presentOn(b, "plan.md")).toEqual([there]);
  a.services.presences.leave("s1", "plan.md");
  await machines.run(500);
  expect(presentOn(b, "plan.md")).toEqual([]);
  expect(seen).toEqual(["here", "gone"]);
  await arrive(machines, a, "plan.md");
  await machines.run(500);
  expect(presentOn(b, "plan.md")).toEqual([there]);
  machines.broker.stop();
  await machines.run(15_000);
  expect(presentOn(b, "plan.md")).toEqual([]);
  machines.broker.start();
  await machines.run(5_000);
  expect(presentOn(b, "plan.md")).toEqual([there]);
  a.kill();
  await machines.run(15_000);
  expect(presentOn(b, "plan.md")).toEqual([]);
});

test("[MA91] whoever answers a thread is seen on other machines, where nobody else begins to", async () => {
  const { machines, a, b } = await two();
  const docId = a.store.documentAt("plan.md")!.id;
  const asked = await a.services.threads.append(ADA, { to: { docIds: [docId] }, role: "user", text: "why?" });
  if (isRefusal(asked)) throw asked;
  const { thread } = asked;
  await machines.run(1_000);
  const lease = (on: Machine) => on.services.threads.answers.lease(ADA, thread, { connection: undefined });
  const granted = await lease(a);
  if (isRefusal(granted)) throw granted;
  await machines.run(500);
  expect(b.services.threads.list(ADA)).toMatchObject([
    { waiting: false, lease: { author: "ada", machine: "ada" } },
  ]);
  const refused = await lease(b);
  expect(isRefusal(refused) && refused.message).toContain("ada");
  const answer = { to: thread, role: "assistant", text: "because", leaseId: granted.leaseId } as const;
  expect(isRefusal(await a.services.threads.append(ADA, answer))).toBe(false);
  await machines.run(1_000);
  expect(b.services.threads.list(ADA)).toMatchObject([{ waiting: false, lease: null, messages: 2 }]);
});

test("[MA92] both answers stay, each with its machine, when agents of two machines answer one message apart", async () => {
  const { machines, a, b } = await two();
  const docId = a.store.documentAt("plan.md")!.id;
  const asked = await a.services.threads.append(ADA, { to: { docIds: [docId] }, role: "user", text: "why?" });
  if (isRefusal(asked)) throw asked;
  const { thread, message } = asked;
  await machines.run(1_000);
  machines.broker.stop();
  await machines.run(1_000);
  for (const [on, text] of [
    [a, "from a"],
    [b, "from b"],
  ] as const) {
    const granted = await on.services.threads.answers.lease(ADA, thread, { connection: undefined });
    if (isRefusal(granted)) throw granted;
    await on.services.threads.append(ADA, { to: thread, role: "assistant", text, leaseId: granted.leaseId });
  }
  machines.broker.start();
  await machines.run(5_000);
  const opened = await b.services.threads.get(ADA, thread);
  if (isRefusal(opened)) throw opened;
  const answers = opened.messages.filter(({ role }) => role === "assistant");
  expect(answers.map(({ text, machine, answers: to }) => [text, machine, to]).sort()).toEqual([
    ["from a", "ada", message.id],
    ["from b", undefined, message.id],
  ]);
});

test("[MA145] a defect beside a word is reported, and the words go on", async () => {
  const { machines, a, b } = await two();
  const lacks = vi.spyOn(a.link.state, "lacking", "get").mockImplementation(() => {
    throw new Error("a defect");
  });
  await machines.run(5_000);
  expect(machines.reports.join()).toContain("link.defect");
  lacks.mockRestore();
  await machines.run(5_000);
  expect(b.link.status.machines.every(({ isConnected }) => isConnected)).toBe(true);
});
