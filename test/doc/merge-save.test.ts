import { expect, test } from "vitest";
import { mergeSave } from "../../src/doc/merge-save.ts";
import { Text } from "../../src/text/text.ts";

test("[I7] a word that a save and an edit left in replaced text stays once, where Loro's merge has it once", () => {
  const known = "word";
  const replacedBy = (insert: string) => [{ from: 0, to: 4, insert }];
  const [before, text] = ["word here", "my word"].map(Text.of) as [Text, Text];
  const saved = replacedBy(`${text}`);
  const pending = replacedBy(`${before}`);
  const { overlaps, corrections } = mergeSave(
    { known, saved, pending, before, text },
    Text.of("my word here"),
  );
  expect(overlaps).toHaveLength(1);
  expect(corrections).toEqual([]);
});
