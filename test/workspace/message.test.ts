import { describe, expect, test } from "vitest";
import { Batches } from "../../src/workspace/batches/batches.ts";
import { Checkpoints } from "../../src/workspace/history/checkpoints.ts";
import { shortMessage } from "../../src/workspace/outcome/message.ts";
import { planAppend } from "../../src/workspace/planners/whole.ts";
import { ALICE, accepted, Bench, BOB } from "./harness.ts";

const EMOJI = "\u{1f600}";

describe("a change's message", () => {
  const CUT: [text: string, kept: string][] = [
    ["as it is", "as it is"],
    [`${"x".repeat(78)}${EMOJI}`, `${"x".repeat(78)}${EMOJI}`],
    [`${"x".repeat(79)}${EMOJI}`, "x".repeat(79)],
    [`${"x".repeat(80)}${EMOJI}`, "x".repeat(80)],
  ];
  for (const [text, kept] of CUT)
    test(`[PK8] of ${text.length} units keeps ${kept.length}`, () => expect(shortMessage(text)).toBe(kept));

  test("[PK8] that names a checkpoint holds no half character", async () => {
    const bench = new Bench({ "a.md": "" });
    const checkpoints = new Checkpoints(bench.workspace, bench.editor);
    const name = `${"x".repeat(71)}${EMOJI}`;
    accepted(await checkpoints.create(ALICE, name));
    accepted(await bench.edit(ALICE, { path: "a.md", plan: planAppend("1\n") }));
    accepted(await checkpoints.restore(BOB, name));
    expect((await bench.document("a.md")).head.message).toBe(`back to ${"x".repeat(71)}`);
  });

  test("[PK8] that is a batch's label holds no half character", async () => {
    const bench = new Bench({ "a.md": "" });
    const files = [{ path: "a.md", notes: {}, kind: "append", plan: planAppend("1\n"), changes: [] }];
    const notes = { batchLabel: `${"x".repeat(79)}${EMOJI}` };
    const made = await new Batches(bench.workspace, bench.editor, bench.fileBatches).apply(ALICE, {
      notes,
      files,
    });
    expect("refused" in made).toBe(false);
    expect((await bench.document("a.md")).head.message).toBe("x".repeat(79));
  });
});
