import { expect, test } from "vitest";
import { MOST_INSERTED } from "../../src/work/bounds.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { ALICE, accepted, Bench, BOB, refused } from "./harness.ts";

/** Appends a text to a document that is empty. */
async function preview(bench: Bench, text: string, actor = ALICE) {
  const made = await bench.editor.preview(actor, [{ kind: "append", path: "a.md", plan: planAppend(text) }]);
  if ("refused" in made) throw new Error("was refused");
  const { patchId, baseHash } = made.stored;
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

/** A text of the longest length of an edit; the previews of eight such edits exceed a token's bounds. */
const LARGE = "x".repeat(MOST_INSERTED);
const ROOM = { maxFileBytes: 64 << 20 };

test("[PV5] previews of large texts make room for each other", async () => {
  const bench = new Bench({ "a.md": "" }, ROOM);
  const oldest = await preview(bench, LARGE);
  for (let i = 0; i < 8; i++) await preview(bench, LARGE);
  expect(refused(await bench.editor.applyPreview(ALICE, oldest)).code).toBe("CONFLICT");
});

test("[PV11] previews of one token leave those of another, and a preview that is too large is refused", async () => {
  const paths = Array.from({ length: 9 }, (_, i) => `${i}.md`);
  const bench = new Bench({ "a.md": "", ...Object.fromEntries(paths.map((path) => [path, ""])) }, ROOM);
  const guest = { ...BOB, agent: "guest/bob" };
  const [own, small] = [await preview(bench, "1"), await preview(bench, "2", guest)];
  const first = await preview(bench, LARGE);
  for (let i = 0; i < 8; i++) await preview(bench, LARGE);
  for (const gone of [own, first])
    expect(refused(await bench.editor.applyPreview(ALICE, gone)).code).toBe("CONFLICT");
  const tooLarge = await bench.editor.preview(
    ALICE,
    paths.map((path) => ({ kind: "append", path, plan: planAppend(LARGE) })),
  );
  expect(tooLarge).toMatchObject({ refused: [{ refusal: { code: "TOO_LARGE" } }] });
  accepted(await bench.editor.applyPreview(guest, small));
});
