import { expect, test, vi } from "vitest";
import { Publisher } from "../../src/link/sending/publisher.ts";
import { encodeWord } from "../../src/link/talk/word.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { Machines, sealedBy } from "./machines.ts";

/** The number of files, each of which is one message at least. */
const FILES = 10;

/** A machine with some messages, and one that asks for all of them, again and again. */
async function asked() {
  const machines = new Machines();
  const [ada, bob] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  for (let i = 0; i < FILES; i++) {
    await ada.create(`${i}.md`, "one\n");
    await machines.run(50);
  }
  bob.kill();
  await machines.run(1_000);
  const word = { process: "x", held: {}, newest: 0, needs: { ada: 1 }, first: 1 };
  const ask = async () => {
    machines.broker.word(bob.carrier, "bob", sealedBy("bob", 0, encodeWord(word)));
    await machines.run(500);
  };
  return { machines, ada, ask };
}

test("[MA207] a machine that asks for the same messages without end gets them after growing pauses", async () => {
  const { ada, ask } = await asked();
  const { next } = ada.link.state.standing;
  const publish = vi.spyOn(ada.carrier, "publish");
  for (let i = 0; i < 240; i++) await ask(); // two minutes
  const first = publish.mock.calls.filter(([, number]) => number === next - 1).length;
  expect(first).toBeGreaterThan(3);
  expect(first).toBeLessThan(12);
});

test("[MA207] messages that the broker loses again and again still come, at the latest after the longest pause", async () => {
  const machines = new Machines();
  const [ada, bob] = [machines.add("ada"), machines.add("bob")];
  await machines.run(1_000);
  await ada.create("a.md", "one\n");
  await machines.run(1_000);
  const lost = vi.spyOn(machines.broker, "store").mockImplementation(() => {});
  for (let i = 0; i < 20; i++) {
    await ada.append("a.md", `${i}\n`);
    await machines.run(5_000);
  }
  expect(bob.text("a.md")).toBe("one\n");
  lost.mockRestore();
  await machines.run(40_000);
  expect(bob.text("a.md")).toBe(ada.text("a.md"));
  expect(bob.text("a.md")).toContain("19\n");
});

test("[MA207] a message that is lost for the first time comes at once, however often others were lost", async () => {
  const { machines, ada, ask } = await asked();
  for (let i = 0; i < 100; i++) await ask();
  const bob = machines.all.get("bob")!;
  bob.start();
  await machines.run(3_000);
  const publish = vi.spyOn(ada.carrier, "publish").mockResolvedValueOnce(); // the broker loses it
  await ada.append("0.md", "two\n");
  await machines.run(3_000);
  expect(publish).toHaveBeenCalledTimes(2);
  expect(bob.text("0.md")).toBe("one\ntwo\n");
});

test("[MA207] a machine that asks without end keeps no later message from a slow broker", async () => {
  const clock = new FakeClock();
  const published = new Set<number>();
  const carrier = {
    maxBytes: 1_000,
    newest: async () => undefined,
    publish: async (_machine: string, number: number) => {
      await clock.sleep(10_000, new AbortController().signal);
      published.add(number);
    },
  };
  const stored = { first: 1, unstored: 501 };
  const own = { isOlderThan: () => false, published() {} };
  const store = { shelved: () => ({ bytes: Buffer.from("x") }) };
  const parts = { store, carrier, clock, report() {}, machine: "ada", own, stored: () => stored };
  const publisher = new Publisher(parts as never, 1);
  void publisher.connected();
  for (let i = 0; i < 200; i++) {
    await clock.advance(500);
    publisher.again("bob", 1);
  }
  expect(published.size).toBe(500);
});
