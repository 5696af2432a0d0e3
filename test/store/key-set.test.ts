import { expect, test } from "vitest";
import { KeySet, SoughtKey, storedKeysOf } from "../../src/store/format/key-set.ts";
import { answerPackOf, answersIn } from "../../src/store/format/packed-answers.ts";

const keys = (count: number, key: (i: number) => string) => Array.from({ length: count }, (_, i) => key(i));

/** Returns how many of some keys a set seems to have. */
function found(set: KeySet, sought: readonly string[]): number {
  return sought.filter((key) => set.mayHave(new SoughtKey(key))).length;
}

test("[ST41] counted keys take a few bytes together, and no other counted key seems to be among them", () => {
  const own = keys(3000, (i) => `owner/alice\nclient-${i < 1000 ? i : i + 500}`).toSorted();
  const stored = storedKeysOf(own);
  expect(stored).toEqual({
    numbered: [["owner/alice\nclient-", [0, 1000, 1500, 3500]]],
    filter: new Uint8Array(),
  });
  const set = new KeySet(stored);
  expect(found(set, own)).toBe(3000);
  const others = keys(10_000, (i) => `owner/alice\nclient-${i}`).filter((key) => !own.includes(key));
  expect(found(set, others)).toBe(0);
  expect(
    found(
      set,
      keys(10_000, (i) => `owner/bob\nclient-${i}`),
    ),
  ).toBe(0);
});

test("[ST41] keys with scattered numbers, or without any, are in a filter", () => {
  const own = [
    ...keys(500, (i) => `owner/alice\nop-${i * 1_000_003}`),
    ...keys(500, (i) => `owner/alice\n${i}th`),
  ];
  const stored = storedKeysOf(own);
  expect(stored.numbered).toEqual([]);
  const set = new KeySet(stored);
  expect(found(set, own)).toBe(1000);
  expect(
    found(
      set,
      keys(50_000, (i) => `owner/alice\nother-${i * 7}`),
    ),
  ).toBeLessThanOrEqual(3);
});

test("[ST41] numbers that are not written in the one usual way stay apart", () => {
  const own = keys(40, (i) => `owner/alice\nop-0${i}`);
  const set = new KeySet(storedKeysOf(own));
  expect(found(set, own)).toBe(40);
  expect(
    found(
      set,
      keys(40, (i) => `owner/alice\nop-${i}`),
    ),
  ).toBe(0);
});

test("[ST41] packed answers of counted calls take little more than the digests of their requests", () => {
  const answers = keys(3700, (seq) => `client-${seq}`).map((opId, seq) => ({
    agent: "owner/alice",
    opId,
    time: 1_700_000_000_000 + 95 * seq,
    result: { docId: "doc_0123456789abcdef", seq, baseSeq: seq - 1, tail: "0123456789ab", kind: "splice" },
    asked: (seq * 40_503) % 65_536,
  }));
  const pack = answerPackOf(answers);
  expect([pack.filter.length, pack.newest]).toEqual([0, answers.at(-1)!.time]);
  expect(pack.bytes.length).toBeLessThan(2 * answers.length + 500);
  const inSeconds = answers.map((answer) => ({ ...answer, time: 1000 * Math.floor(answer.time / 1000) }));
  expect(answersIn(pack)).toEqual(inSeconds);
});
