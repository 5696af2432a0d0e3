import { expect, test } from "vitest";
import { filterOf, keyHash, mayHave } from "../../src/store/format/key-filter.ts";

test("[ST41] a pack has each of its answers, and seems to have at most one in 20,000 of all others", () => {
  const keys = (name: string, count: number) =>
    Array.from({ length: count }, (_, i) => `owner/alice\n${name}-${i}`);
  const own = keys("own", 2048);
  const filter = filterOf(own);
  const found = (all: readonly string[]) => all.filter((key) => mayHave(filter, keyHash(key))).length;
  expect(found(own)).toBe(own.length);
  expect(found(keys("other", 100_000))).toBeLessThanOrEqual(5);
});
