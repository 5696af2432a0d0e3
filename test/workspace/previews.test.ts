import { expect, test } from "vitest";
import { planAppend } from "../../src/workspace/edits/whole.ts";
import { ALICE, accepted, Bench, BOB, refused } from "./harness.ts";

/** Appends a text to a document that is empty. */
async function preview(bench: Bench, text: string, actor = ALICE) {
  const made = await bench.editor.preview(actor, [{ kind: "append", path: "a.md", plan: planAppend(text) }]);
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

test("[PV5] previews of one token leave those of another, and a preview that is too large is refused", async () => {
  const bench = new Bench({ "a.md": "" }, { maxFileBytes: 64 << 20 });
  const guest = { ...BOB, agent: "guest/bob" };
  const [own, small] = [await preview(bench, "1"), await preview(bench, "2", guest)];
  const large = "x".repeat(20 << 20);
  const first = await preview(bench, large);
  const second = await preview(bench, large);
  for (const gone of [own, first])
    expect(refused(await bench.editor.applyPreview(ALICE, gone)).code).toBe("CONFLICT");
  const tooLarge = await bench.editor.preview(ALICE, [
    { kind: "append", path: "a.md", plan: planAppend(large.repeat(2)) },
  ]);
  expect(tooLarge).toMatchObject({ refused: [{ refusal: { code: "TOO_LARGE" } }] });
  accepted(await bench.editor.applyPreview(guest, small));
  expect(refused(await bench.editor.applyPreview(ALICE, second)).message).not.toContain("never made");
});
