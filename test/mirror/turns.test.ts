import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { Turns } from "../../src/mirror/turns.ts";

test("[I14] each caller has a turn of its own, and what is waited for has every second one", async () => {
  const turns = new Turns();
  const order: string[] = [];
  let ended = 0;
  const work = (name: string, turn: Promise<void>) =>
    turn.then(() => {
      order.push(name);
      ended++;
    });
  const background = Array.from({ length: 5_000 }, (_, i) => work(`b${i}`, turns.inBackground()));
  await setImmediate();
  const before = order.length;
  const awaited = ["a0", "a1", "a2"].map((name) => work(name, turns.next()));
  await Promise.all(awaited);
  const since = order.slice(before);
  expect(since.filter((name) => name.startsWith("a"))).toEqual(["a0", "a1", "a2"]);
  expect(since.length).toBeLessThan(8);
  const seen = ended;
  await setImmediate();
  expect(ended - seen).toBeLessThanOrEqual(2);
  await Promise.all(background);
  expect(order.filter((name) => name.startsWith("b"))).toEqual(background.map((_, i) => `b${i}`));
});
