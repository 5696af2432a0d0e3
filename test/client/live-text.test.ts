import { describe, expect, test } from "vitest";
import type { LiveText } from "../../src/client/live-text.ts";
import { until } from "../e2e/until.ts";
import { Bed } from "./bed.ts";

/** What an editor shows that applies nothing but the changes it is told of. */
function mirrored(live: LiveText): { text: string } {
  const editor = { text: live.text };
  live.on("change", ({ splices }) => {
    for (const { from, to, insert } of splices.toReversed())
      editor.text = editor.text.slice(0, from) + insert + editor.text.slice(to);
  });
  return editor;
}

describe("a live text", () => {
  test("[CN7] shows its own edits at once and others' when they come", async () => {
    const bed = new Bed({ "a.md": "one 🙂 two\n" });
    const [one, two] = [await bed.client({ name: "one" }), await bed.client({ name: "two" })];
    const [a, b] = [await one.openDocument("a.md"), await two.openDocument("a.md")];
    const [shownA, shownB] = [mirrored(a), mirrored(b)];
    a.edit([{ from: 7, to: 7, insert: "🙃" }]);
    b.edit([{ from: 0, to: 3, insert: "1" }]);
    expect(a.text).toBe("one 🙂 🙃two\n");
    expect(a.pending).toBe(true);
    await Promise.all([a.settled(), b.settled()]);
    await until("both have both", () => a.text === b.text && a.text === "1 🙂 🙃two\n");
    expect([shownA.text, shownB.text]).toEqual([a.text, b.text]);
    expect(a.version).toBe(b.version);
  });
});
