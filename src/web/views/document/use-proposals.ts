import { type ReadonlySignal, useSignalEffect } from "@preact/signals";
import { pendingProposals } from "../../state/proposals/proposals.ts";
import { showProposed } from "./editor/proposal-marks.ts";
import type { TextEditor } from "./editor/text-editor.ts";
import { proposedLines } from "./proposed-lines.ts";

/** Marks in an editor the lines that the pending proposals of a document would change. */
export function useProposals(
  editor: ReadonlySignal<TextEditor | undefined>,
  path: ReadonlySignal<string>,
): void {
  useSignalEffect(() => {
    if (editor.value === undefined) return;
    const here = pendingProposals.value ?? [];
    const lines = here.flatMap((proposal) => proposedLines(proposal, path.value));
    showProposed(editor.value.view, lines);
  });
}
