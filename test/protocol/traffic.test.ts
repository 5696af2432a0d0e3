import { describe, expect, test } from "vitest";
import { Traffic } from "../../src/protocol/service/traffic.ts";
import { FREE_ANSWER_BYTES, MOST_ANSWER_BYTES } from "../../src/work/bounds.ts";

const ALICE = {};
const BOB = {};
const HALF = MOST_ANSWER_BYTES / 2;

/** Returns whether a promise has resolved. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  const pending = {};
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
}

describe("answers under way", () => {
  test("[BD7] wait in their order for unread answers of their token", async () => {
    const traffic = new Traffic();
    const [one, two, three, four] = [0, 1, 2, 3].map(() => traffic.answer(ALICE));
    await one!.reserve(HALF);
    await two!.reserve(HALF);
    const third = three!.reserve(HALF);
    const fourth = four!.reserve(HALF + 1);
    expect([await isDone(third), await isDone(fourth)]).toEqual([false, false]);
    one!.release();
    await third;
    expect(await isDone(fourth)).toBe(false);
    two!.release();
    three!.release();
    await fourth;
  });

  test("[BD18] do not wait for other tokens' answers, and small ones wait for none", async () => {
    const traffic = new Traffic();
    await traffic.answer(ALICE).reserve(MOST_ANSWER_BYTES);
    await traffic.answer(BOB).reserve(MOST_ANSWER_BYTES);
    await traffic.answer(ALICE).reserve(FREE_ANSWER_BYTES);
    expect(await isDone(traffic.answer(ALICE).reserve(FREE_ANSWER_BYTES + 1))).toBe(false);
  });

  test("[BD7] of any size are sent when alone, and their growth is only counted", async () => {
    const traffic = new Traffic();
    const place = traffic.answer(ALICE);
    await place.reserve(MOST_ANSWER_BYTES);
    await place.reserve(3 * MOST_ANSWER_BYTES);
    const next = traffic.answer(ALICE).reserve(HALF);
    expect(await isDone(next)).toBe(false);
    place.release();
    await next;
  });
});
