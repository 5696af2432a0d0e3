import { expect, test } from "vitest";
import { Rights } from "../../src/workspace/access/rights.ts";
import type { Outcome } from "../../src/workspace/outcome/refusal.ts";
import { isRefusal } from "../../src/workspace/outcome/refusal.ts";
import { ADA, type Machine, Machines } from "./machines.ts";

const BOB = { ...ADA, name: "bob", agent: "owner/bob" };

function made<T>(outcome: Outcome<T>): T {
  if (isRefusal(outcome)) throw outcome;
  return outcome;
}

async function two(text: string): Promise<{ machines: Machines; a: Machine; b: Machine }> {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  await a.create("plan.md", text);
  await machines.run(1_000);
  return { machines, a, b };
}

async function propose(machines: Machines, on: Machine, oldContent: string, proposedValue: string) {
  const request = { path: "plan.md", operation: "replace", oldContent, proposedValue } as const;
  return made(await machines.during(on.services.proposals.create(ADA, request)));
}

const approve = (machines: Machines, on: Machine, id: string) =>
  machines.during(on.services.proposals.approve(BOB, { id }));

async function shown(machines: Machines, on: Machine, id: string) {
  return made(await machines.during(on.services.proposals.get(BOB, id)));
}

test("[MA86] a proposal of one machine is listed on another, and approved there as its author's", async () => {
  const { machines, a, b } = await two("one\ntwo\nthree\n");
  const { id } = await propose(machines, a, "two", "TWO");
  await machines.run(1_000);
  expect(await shown(machines, b, id)).toMatchObject({ status: "pending", author: "ada", machine: "ada" });
  made(await approve(machines, b, id));
  await machines.run(1_000);
  for (const machine of [a, b]) {
    expect(machine.text("plan.md")).toBe("one\nTWO\nthree\n");
    expect(await shown(machines, machine, id)).toMatchObject({ status: "approved", reviewer: "bob" });
  }
  const again = await approve(machines, a, id);
  expect(isRefusal(again) && again.code).toBe("CONFLICT");
  const { id: other } = await propose(machines, b, "three", "THREE");
  await machines.run(1_000);
  made(await machines.during(a.services.proposals.reject(ADA, other, "too loud")));
  await machines.run(1_000);
  expect(await shown(machines, b, other)).toMatchObject({ status: "rejected", reason: "too loud" });
  expect(machines.reports).toEqual([]);
});

test("[MA87, MA134] a proposal that two machines approve at the same time is made once", async () => {
  const { machines, a, b } = await two("one\ntwo\nthree\n");
  const { id } = await propose(machines, a, "two\n", "TWO\nand a half\n");
  await machines.run(1_000);
  machines.broker.stop();
  await machines.run(1_000);
  made(await approve(machines, a, id));
  made(await approve(machines, b, id));
  machines.broker.start();
  await machines.run(10_000);
  for (const machine of [a, b]) {
    expect(machine.text("plan.md")).toBe("one\nTWO\nand a half\nthree\n");
    expect(await shown(machines, machine, id)).toMatchObject({ status: "approved" });
  }
  const [onA, onB] = [await shown(machines, a, id), await shown(machines, b, id)];
  expect(onA.approvals.map(({ changes }) => changes[0]!.change)).toEqual(
    onB.approvals.map(({ changes }) => changes[0]!.change),
  );
  expect(onA.reviewedAt).toBe(onB.reviewedAt);
});

test("[MA88] an approval counts, though another machine rejected the proposal meanwhile", async () => {
  const { machines, a, b } = await two("one\ntwo\n");
  const third = machines.add("cyd");
  const { id } = await propose(machines, a, "two", "TWO");
  await machines.run(2_000);
  machines.broker.stop();
  await machines.run(1_000);
  made(await approve(machines, a, id));
  made(await machines.during(b.services.proposals.reject(BOB, id, "no")));
  machines.broker.start();
  await machines.run(10_000);
  for (const machine of [a, b, third]) {
    expect(machine.text("plan.md")).toBe("one\nTWO\n");
    expect(await shown(machines, machine, id)).toMatchObject({ status: "approved" });
  }
});

test("[MA89] a proposal fits the text of a machine that had other edits before it", async () => {
  const { machines, a, b } = await two("one\ntwo\nthree\n");
  machines.broker.stop();
  await machines.run(1_000);
  a.save("plan.md", "ONE\ntwo\nthree\n");
  b.save("plan.md", "zero\none\ntwo\nthree\n");
  await machines.run(1_000);
  const { id } = await propose(machines, a, "three", "THREE");
  machines.broker.start();
  await machines.run(5_000);
  made(await approve(machines, b, id));
  await machines.run(2_000);
  for (const machine of [a, b]) expect(machine.text("plan.md")).toBe("zero\nONE\ntwo\nTHREE\n");
});

test("[PO55] a proposal is withdrawn on its own machine, and not by another one's agent of the same identity", async () => {
  const { machines, a, b } = await two("one\ntwo\nthree\n");
  const rights = new Rights([{ glob: "**", level: "propose", conflict: "merge" }]);
  const proposer = { ...ADA, rights };
  const { id } = await propose(machines, a, "two", "TWO");
  const { id: other } = await propose(machines, a, "three", "THREE");
  await machines.run(1_000);
  const denied = await machines.during(b.services.proposals.reject(proposer, id, "no"));
  expect(isRefusal(denied) && denied.code).toBe("PERMISSION_DENIED");
  made(await machines.during(b.services.proposals.reject(ADA, id, "no")));
  made(await machines.during(a.services.proposals.reject(proposer, other, "better idea")));
  await machines.run(1_000);
  for (const machine of [a, b]) {
    expect(await shown(machines, machine, id)).toMatchObject({ status: "rejected", withdrawn: false });
    expect(await shown(machines, machine, other)).toMatchObject({ status: "rejected", withdrawn: true });
  }
});
