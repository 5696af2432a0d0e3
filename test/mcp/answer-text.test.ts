import { expect, test } from "vitest";
import { detailLines, hunksOf, warnings } from "../../src/mcp/answer-text.ts";

/** Returns texts that are cut at some place of a character with two units, whichever of the two comes first there. */
const cutTexts = (units: number) => [`${"x".repeat(units)}${"😀".repeat(units)}`, "😀".repeat(units * 2)];

test("[MC6, MC38] an answer is cut between characters, never inside one", () => {
  for (const pad of ["", "x"])
    for (const text of cutTexts(10_001).map((long) => pad + long)) {
      expect(hunksOf(`@@ -1 +1 @@\n+${text}\n`).isWellFormed()).toBe(true);
      expect(detailLines({ actual: text }).join("").isWellFormed()).toBe(true);
      const edited = { conflicts: [{ ours: { insert: text }, theirs: { insert: text } }] };
      const report = { path: "a.md", version: "1", summary: "", changeId: null, mirrored: true, ...edited };
      expect(warnings(report as never).join("")).not.toMatch(/\\ud83d/);
    }
});
