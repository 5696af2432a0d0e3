import { describe, expect, test } from "vitest";
import { diff } from "../../src/text/diff/diff.ts";
import { merge } from "../../src/text/merge/merge.ts";
import { Text } from "../../src/text/text.ts";
import { rescue } from "../../src/workspace/saves/rescue.ts";

/**
 * Rescues the edits that a save from `base` removed from `known`. `memory` contains pending edits beside `known`, and
 * `now` is the text after the daemon imported the save.
 */
function rescued(texts: { base: string; known: string; saved: string; memory: string; now: string }) {
  const { base, known, saved, memory, now } = texts;
  const pending = diff(known, memory);
  const { splices, overlaps } = rescue(Text.of(known), merge(base, known, saved), pending, Text.of(now));
  return { text: Text.of(now).splice(splices).toString(), splices, overlaps };
}

describe("a rescue", () => {
  test("[I6] inserts the removed text once, also next to pending edits", () => {
    const { text, overlaps } = rescued({
      base: "top\n\n[end]",
      known: "top\n\n[given][end]",
      saved: "top, mine\n\n[end]",
      memory: "top\n\n [before][given][behind]\n[end]",
      now: "top, mine\n\n [before][behind]\n[end]",
    });
    expect(text).toBe("top, mine\n\n [before][given][behind]\n[end]");
    expect(overlaps).toEqual([]);
  });

  test.each(["[mine][pending]\n", "[pending][mine]\n"])(
    "[I6] preserves the order of the save's words and pending ones: %j",
    (now) => {
      const { splices } = rescued({
        base: "\n",
        known: "[given]\n",
        saved: "[mine]\n",
        memory: "[given][pending]\n",
        now,
      });
      expect(splices.map(({ from, to }) => to - from)).toEqual([0]);
    },
  );
});
