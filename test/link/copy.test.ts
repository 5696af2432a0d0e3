import { expect, test } from "vitest";
import { Machines } from "./machines.ts";

/** Time in which machines exchange everything. */
const AWHILE_MS = 10_000;

test("[MA124] a folder and its copy that run at once both work alone, and the other machines go on", async () => {
  const machines = new Machines();
  const [a, b, c] = [machines.add("ada"), machines.add("bob"), machines.add("cem")];
  await a.create("a.md", "one\n");
  await machines.run(AWHILE_MS);
  const copy = machines.copy(b, "bob2", {});
  await machines.run(AWHILE_MS);
  expect([b.isAlone, copy.isAlone]).toEqual([true, true]);
  await copy.append("a.md", "the copy's\n");
  await b.append("a.md", "bob's\n");
  await c.append("a.md", "two\n");
  await machines.run(AWHILE_MS);
  for (const machine of [a, c]) expect(machine.files()).toEqual({ "a.md": "one\ntwo\n" });
  expect([b.files(), copy.files()]).toEqual([{ "a.md": "one\nbob's\n" }, { "a.md": "one\nthe copy's\n" }]);
});

test("[MA125] a word of an earlier process that comes late is no sign of a copied folder", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  await a.create("a.md", "one\n");
  await machines.run(AWHILE_MS);
  machines.broker.hang();
  await machines.run(3_000); // bob's next word waits at the broker
  b.kill();
  machines.broker.start();
  b.start();
  await machines.run(1_000);
  machines.broker.wake();
  await machines.run(AWHILE_MS);
  expect(b.isAlone).toBe(false);
  await b.append("a.md", "two\n");
  await machines.run(AWHILE_MS);
  expect(a.files()).toEqual({ "a.md": "one\ntwo\n" });
});
