import { expect, test } from "vitest";
import { newOpId } from "../../src/client/repeats.ts";

test("[CN4] the ids of requests are counted, after a random beginning", () => {
  const [one, next] = [newOpId(), newOpId()].map((id) => /^([0-9a-f]{32})-(\d+)$/.exec(id)!);
  expect(next![1]).toBe(one![1]);
  expect(Number(next![2])).toBe(Number(one![2]) + 1);
});
