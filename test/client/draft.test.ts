import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Draft } from "../../src/client/draft.ts";
import { rebase } from "../../src/text/delta.ts";
import type { Splice } from "../../src/text/splice.ts";
import { Text } from "../../src/text/text.ts";
import { times } from "../e2e/long.ts";

type Step = {
  readonly does: "edit" | "send" | "theirs" | "ours" | "refused";
  readonly at: number;
  readonly size: number;
};

const steps = fc.array(
  fc.record({
    does: fc.constantFrom("edit", "edit", "send", "theirs", "ours", "refused"),
    at: fc.nat({ max: 1000 }),
    size: fc.nat({ max: 4 }),
  }) as fc.Arbitrary<Step>,
  { maxLength: 30 },
);

/** Returns a splice at a random place with a unique insert. */
function somewhere({ at, size }: Step, text: Text, insert: string): Splice[] {
  const from = at % (text.chars + 1);
  return [{ from, to: Math.min(text.chars, from + size), insert }];
}

/** Simulates a daemon that applies edits in its own order; returns the final texts of the editor and the draft. */
function play(given: readonly Step[]): { shown: string; editor: string; confirmed: string } {
  const draft = new Draft(Text.of("abc🙂def\n"));
  let editor = draft.visible;
  /** The edit under way, as the daemon would apply it now. */
  let sent: Splice[] | undefined;
  const show = (splices: readonly Splice[]) => {
    editor = editor.splice(splices);
  };
  const answer = () => {
    show(draft.confirm(sent!));
    sent = undefined;
  };
  given.forEach((step, i) => {
    if (step.does === "edit") {
      const splices = somewhere(step, draft.visible, `<${i}>`);
      draft.edit(splices);
      show(splices);
    } else if (step.does === "theirs") {
      const splices = somewhere(step, draft.confirmed, `{${i}}`);
      if (sent !== undefined) sent = rebase(sent, splices).splices;
      show(draft.applyRemote(splices));
    } else if (step.does === "send" && sent === undefined) sent = [...draft.send(2 + step.size)];
    else if (step.does === "ours" && sent !== undefined) answer();
    else if (step.does === "refused" && sent !== undefined) {
      sent = undefined;
      const { splices, lost } = draft.revertSent();
      show(splices);
      draft.edit(lost); // the caller can restore a lost edit
      show(lost);
    }
  });
  if (sent !== undefined) answer();
  while (draft.isWaiting) {
    sent = [...draft.send(3)];
    answer();
  }
  const texts = { shown: draft.visible, editor, confirmed: draft.confirmed };
  return { shown: `${texts.shown}`, editor: `${texts.editor}`, confirmed: `${texts.confirmed}` };
}

describe("a draft", () => {
  test("[CN8, CN23] the visible text becomes the daemon's, and so does an editor's that applies the changes", () => {
    fc.assert(
      fc.property(steps, (given) => {
        const { shown, editor, confirmed } = play(given);
        expect(confirmed).toBe(shown);
        expect(editor).toBe(shown);
      }),
      { numRuns: times(300, 20_000) },
    );
  });

  test("[CN8] shows an edit as the daemon applied it", () => {
    const draft = new Draft(Text.of("one two"));
    draft.edit([{ from: 0, to: 3, insert: "1" }]);
    draft.send();
    draft.edit([{ from: 5, to: 5, insert: "!" }]);
    expect(`${draft.visible}`).toBe("1 two!");
    draft.confirm([{ from: 0, to: 3, insert: "uno" }]);
    expect(`${draft.visible}`).toBe("uno two!");
    expect(`${draft.confirmed}`).toBe("uno two");
  });
});
