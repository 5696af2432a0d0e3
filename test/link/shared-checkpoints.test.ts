import { expect, test } from "vitest";
import { isRefusal, type Outcome } from "../../src/workspace/outcome/refusal.ts";
import { ADA, type Machine, Machines } from "./machines.ts";

function made<T>(outcome: Outcome<T>): T {
  if (isRefusal(outcome)) throw outcome;
  return outcome;
}

async function checkpoint(machines: Machines, machine: Machine, name: string): Promise<void> {
  made(await machines.during(machine.services.checkpoints.create(ADA, name)));
}

async function restore(machines: Machines, machine: Machine, name: string): Promise<void> {
  const { failed } = made(await machines.during(machine.services.checkpoints.restore(ADA, name)));
  expect(failed).toEqual([]);
}

const namesOn = async (machine: Machine) =>
  (await machine.services.checkpoints.list(ADA))
    .map(({ name, machine: on }) => `${name} by ${on ?? "me"}`)
    .sort();

test("[MA84] a checkpoint of one machine is listed and restored on all", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  await a.create("plan.md", "one\n");
  await a.append("plan.md", "two\n");
  await a.create("gone.md", "gone\n");
  await machines.run(1_000);
  await checkpoint(machines, a, "before");
  await b.append("plan.md", "three\n");
  await b.remove("gone.md");
  await machines.run(1_000);
  expect(await namesOn(b)).toEqual(["before by ada"]);
  expect(b.files()).toEqual({ "plan.md": "one\ntwo\nthree\n" });
  await restore(machines, b, "before");
  await machines.run(2_000);
  for (const machine of [a, b])
    expect(machine.files()).toEqual({ "plan.md": "one\ntwo\n", "gone.md": "gone\n" });
  expect(machines.reports).toEqual([]);
});

test("[MA85] a checkpoint brings the texts that another machine never had", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  await a.create("plan.md", "one\ntwo\nthree\n");
  await machines.run(1_000);
  machines.broker.stop();
  await machines.run(1_000);
  a.save("plan.md", "ONE\ntwo\nthree\n");
  b.save("plan.md", "one\ntwo\nTHREE\n");
  await machines.run(1_000);
  await checkpoint(machines, a, "before");
  await checkpoint(machines, b, "before");
  machines.broker.start();
  await machines.run(5_000);
  for (const machine of [a, b]) expect(machine.text("plan.md")).toBe("ONE\ntwo\nTHREE\n");
  // Two checkpoints of one name are told apart on both machines alike.
  const names = (await namesOn(a)).map((name) => name.replace(/ by .*/, ""));
  expect(names).toHaveLength(2);
  expect(names).toContain("before");
  expect((await namesOn(b)).map((name) => name.replace(/ by .*/, ""))).toEqual(names);
  const texts: string[] = [];
  for (const [machine, name] of [
    [a, names[0]!],
    [b, names[0]!],
    [b, names[1]!],
    [a, names[1]!],
  ] as const) {
    await restore(machines, machine, name);
    await machines.run(2_000);
    expect(a.text("plan.md")).toBe(b.text("plan.md"));
    texts.push(a.text("plan.md")!);
  }
  expect(texts[0]).toBe(texts[1]);
  expect(texts[2]).toBe(texts[3]);
  expect([texts[0], texts[2]].sort()).toEqual(["ONE\ntwo\nthree\n", "one\ntwo\nTHREE\n"]);
});
