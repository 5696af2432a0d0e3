import { expect, test } from "vitest";
import { Machines } from "./machines.ts";

/** Time in which machines exchange everything, and look at their files. */
const AWHILE_MS = 10_000;

/** A machine whose disk tells names apart, and one whose disk takes `a.md` and `A.md` for one name. */
async function two() {
  const machines = new Machines();
  const [ada, bob] = [machines.add("ada"), machines.add("bob", {}, { folds: true })];
  await machines.run(AWHILE_MS);
  await ada.create("a.md", "one\n");
  await machines.run(AWHILE_MS);
  return { machines, ada, bob };
}

test("[MA259] a change of case is a rename on a disk that folds names, too", async () => {
  const { machines, ada, bob } = await two();
  await ada.rename("a.md", "A.md");
  await machines.run(AWHILE_MS);
  for (const machine of [ada, bob]) expect(machine.files()).toEqual({ "A.md": "one\n" });
  bob.disk.move("A.md", "a.md");
  await machines.run(AWHILE_MS);
  await bob.append("a.md", "two\n");
  await machines.run(AWHILE_MS);
  for (const machine of [ada, bob]) expect(machine.files()).toEqual({ "a.md": "one\ntwo\n" });
  expect(ada.link.state.standing.next).toBe(3); // nobody made the file anew
});

test("[MA259] two files whose names differ in case only are both on a disk that folds names", async () => {
  const { machines, ada, bob } = await two();
  await ada.create("A.md", "two\n");
  await machines.run(AWHILE_MS);
  for (const machine of [ada, bob])
    expect(machine.files()).toEqual({ "A (ada).md": "two\n", "a.md": "one\n" });
  await bob.remove("a.md");
  await machines.run(AWHILE_MS);
  for (const machine of [ada, bob]) expect(machine.files()).toEqual({ "A.md": "two\n" });
});

test("[MA264] files exchange names that differ in case only from their former ones, on a disk that folds names", async () => {
  const machines = new Machines();
  const [cem, zed] = [machines.add("cem"), machines.add("zed")];
  const bob = machines.add("bob", {}, { folds: true });
  await machines.run(AWHILE_MS);
  cem.carrier.cut("both");
  await cem.create("a.md", "one\n");
  await zed.create("A.md", "two\n");
  await zed.create("a.md", "one\n");
  await machines.run(AWHILE_MS);
  expect(bob.files()).toEqual({ "A.md": "two\n", "a (zed).md": "one\n" });
  cem.carrier.cut(undefined); // its document is older than both of the others
  await machines.run(2 * AWHILE_MS);
  for (const machine of [bob, cem, zed])
    expect(machine.files()).toEqual({ "A (zed).md": "two\n", "a.md": "one\n" });
});
