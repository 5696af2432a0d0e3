import { describe, expect, test } from "vitest";
import { Machines } from "./machines.ts";

/** Time in which machines exchange everything. */
const AWHILE_MS = 10_000;

/** Three machines with one file, to which the second one appended a line after its folder was backed up. */
async function backedUp() {
  const machines = new Machines();
  const [a, b, c] = [machines.add("ada"), machines.add("bob"), machines.add("cem")];
  await a.create("a.md", "one\n");
  await machines.run(AWHILE_MS);
  await b.append("a.md", "two\n");
  await machines.run(AWHILE_MS);
  const backup = b.backup();
  const turnBack = () => {
    b.kill();
    b.turnBack(backup);
    b.start();
  };
  return { machines, a, b, c, turnBack };
}

describe("a machine whose folder came back from an older backup", () => {
  test.each(["the broker says", "another machine says"])(
    "[MA122] works alone once it is known that it sent more, as %s",
    async (who) => {
      const { machines, a, b, c, turnBack } = await backedUp();
      await b.append("a.md", "three\n");
      await machines.run(AWHILE_MS);
      turnBack();
      if (who === "another machine says") b.carrier.newest = () => new Promise(() => {});
      await b.append("a.md", "four\n");
      await machines.run(3 * AWHILE_MS);
      expect(b.isAlone).toBe(true);
      expect(b.files()).toEqual({ "a.md": "one\ntwo\nfour\n" });
      await c.append("a.md", "five\n");
      await machines.run(AWHILE_MS);
      for (const machine of [a, c]) expect(machine.files()).toEqual({ "a.md": "one\ntwo\nthree\nfive\n" });
    },
  );

  test("[MA122] works alone, also if it was started twice since then, and sent as many messages", async () => {
    const { machines, a, b, c, turnBack } = await backedUp();
    await b.append("a.md", "three\n");
    await machines.run(AWHILE_MS);
    turnBack();
    b.carrier.cut("both");
    await b.append("a.md", "four\n");
    b.kill();
    b.start();
    await machines.run(3 * AWHILE_MS);
    expect(b.isAlone).toBe(true);
    for (const machine of [a, c]) expect(machine.files()).toEqual({ "a.md": "one\ntwo\nthree\n" });
  });

  test("[MA122] works alone also after later starts, though it has made as many messages meanwhile", async () => {
    const { machines, a, b, c, turnBack } = await backedUp();
    await b.append("a.md", "three\n");
    await machines.run(AWHILE_MS);
    turnBack();
    await b.append("a.md", "four\n");
    await machines.run(AWHILE_MS);
    expect(b.isAlone).toBe(true);
    await b.append("a.md", "five\n");
    b.kill();
    b.isAlone = false;
    machines.broker.wipe(); // so that only the folder can know
    b.start();
    await machines.run(2 * AWHILE_MS);
    expect(b.isAlone).toBe(true);
    for (const machine of [a, c]) expect(machine.files()).toEqual({ "a.md": "one\ntwo\nthree\n" });
  });

  test("[MA122] goes on where it has sent nothing since", async () => {
    const { machines, a, b, turnBack } = await backedUp();
    await a.append("a.md", "three\n");
    await machines.run(AWHILE_MS);
    turnBack();
    await b.append("a.md", "four\n");
    await machines.run(3 * AWHILE_MS);
    expect(b.isAlone).toBe(false);
    expect(a.text("a.md")?.split("\n").toSorted()).toEqual(["", "four", "one", "three", "two"]);
    expect(b.files()).toEqual(a.files());
  });
});

describe("[MA168] a message in a machine's own log that the machine did not make", () => {
  const FORGED = Buffer.from("anybody who can write to the broker");

  test.each([
    ["a message", FORGED],
    ["the name of an object", FORGED.subarray(0, 1)],
  ])("does not end its link: %s", async (_, bytes) => {
    const { machines, a, b } = await backedUp();
    machines.broker.store("bob", 1_000, bytes);
    await machines.run(AWHILE_MS);
    expect(b.isAlone).toBe(false);
    await b.append("a.md", "three\n");
    await machines.run(AWHILE_MS);
    expect(a.files()).toEqual({ "a.md": "one\ntwo\nthree\n" });
  });

  test("does not keep it from sending after a start", async () => {
    const { machines, a, b } = await backedUp();
    b.kill();
    machines.broker.store("bob", 1_000, FORGED);
    b.start();
    await b.append("a.md", "three\n");
    await machines.run(1_000);
    expect(b.isAlone).toBe(false);
    expect(a.files()).toEqual({ "a.md": "one\ntwo\nthree\n" });
  });
});
