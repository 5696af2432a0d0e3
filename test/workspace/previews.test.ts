import { expect, test } from "vitest";
import { planAppend } from "../../src/workspace/edits/whole.ts";
import { ALICE, accepted, Bench, refused } from "./harness.ts";

/** Appends a text to a document that is empty. */
async function preview(bench: Bench, text: string) {
  const made = await bench.editor.preview([{ kind: "append", path: "a.md", plan: planAppend(text) }]);
  if ("refused" in made) throw new Error("was refused");
  const { patchId, baseHash } = made.shown;
  return { patchId, baseHash };
}

test("[PV5] the five hundred newest previews can be applied", async () => {
  const bench = new Bench({ "a.md": "" });
  const [oldest, second] = [await preview(bench, "1"), await preview(bench, "2")];
  for (let i = 0; i < 499; i++) await preview(bench, "3");
  expect(refused(await bench.editor.applyPreview(ALICE, oldest)).code).toBe("CONFLICT");
  accepted(await bench.editor.applyPreview(ALICE, second));
  expect(bench.read("a.md")).toBe("2");
});

test("[PV5] previews of large texts make room for each other", async () => {
  const bench = new Bench({ "a.md": "" }, { maxFileBytes: 32 << 20 });
  const large = "x".repeat(20 << 20);
  const oldest = await preview(bench, large);
  await preview(bench, large);
  expect(refused(await bench.editor.applyPreview(ALICE, oldest)).code).toBe("CONFLICT");
});
