import { expect, test } from "vitest";
import { Machines } from "./machines.ts";

test("[MC1] what is made, changed, renamed and deleted on one machine is so on the others", async () => {
  const machines = new Machines();
  const [a, b] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  await a.create("notes/plan.md", "one\n");
  await machines.run(1_000);
  expect(b.files()).toEqual({ "notes/plan.md": "one\n" });
  await b.append("notes/plan.md", "two\n");
  await machines.run(1_000);
  expect(a.text("notes/plan.md")).toBe("one\ntwo\n");
  a.save("notes/plan.md", "one\nand a half\ntwo\n");
  await machines.run(2_000);
  expect(b.text("notes/plan.md")).toBe("one\nand a half\ntwo\n");
  await b.rename("notes/plan.md", "notes/plans.md");
  await machines.run(1_000);
  expect(a.files()).toEqual({ "notes/plans.md": "one\nand a half\ntwo\n" });
  await a.remove("notes/plans.md");
  await machines.run(1_000);
  expect(b.files()).toEqual({});
  expect(machines.reports).toEqual([]);
});
