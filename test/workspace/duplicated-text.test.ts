import { describe, expect, test } from "vitest";
import { diff } from "../../src/text/diff/diff.ts";
import { merge } from "../../src/text/merge/merge.ts";
import { duplicatesText } from "../../src/workspace/saves/duplicated-text.ts";

/** Returns whether the merge of a save from `base` into `known` has text twice that both sides inserted. */
function duplicates({ base, known, saved }: { base: string; known: string; saved: string }): boolean {
  const [own, newer] = [diff(base, saved), diff(base, known)];
  return duplicatesText(own, newer, merge(base, known, saved).text, [known, saved]);
}

describe("a merge of a save from an old text", () => {
  const base = "line 3 of the notes\nline 4 of the notes\nline 5 of the notes\n";
  const saved = "Three lines were too many, so here is «a:20» and the rest.\n";

  test("[I6] has an agent's few characters twice that the save has among its own words", () => {
    expect(duplicates({ base, saved, known: base.replace("line 4 of", "line 4 «a:20» of") })).toBe(true);
  });

  test("[I6, I6g] has an agent's words twice behind others that both sides have in common by chance", () => {
    const text = "a two - one one\na\ncat sat one\n  indented one é   indented\n";
    expect(
      duplicates({
        base: text,
        known: text.replace("two -", "two -\n  indented cat sat é ‹agents:20›\n"),
        saved: text
          .replace("two -", "two -\n  indented cthe ‹persons:21›‹agents:20›\n")
          .replace("\n  indented one", "\n  ‹persons:22›indented one"),
      }),
    ).toBe(true);
  });

  test("[EE66] has an agent's few characters twice that a comparison finds shifted", () => {
    const text = "two: «bob:14» «ann:16»\n";
    const known = text.replace("two:", "two: «bob:19»");
    expect(diff(text, known)[0]!.insert).toBe("19» «bob:");
    expect(duplicates({ base: text, known, saved: known.replace("two:", "two: «ed:28»") })).toBe(true);
  });

  test("[I6] has nothing twice where both sides inserted other characters", () => {
    expect(duplicates({ base, saved, known: base.replace("line 4 of", "line 4 «b:31» of") })).toBe(false);
  });
});
