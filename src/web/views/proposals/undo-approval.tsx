import { Button } from "../../parts/controls/button.tsx";
import { undoBatch, undoChange } from "../../state/changes/undo.ts";
import { reasonNotWritable } from "../../state/documents/permission.ts";
import { pathsOf } from "../../state/proposals/proposal-files.ts";
import type { ProposalEntry } from "../../state/proposals/proposal-types.ts";

/** Undoes the last approval of a proposal: its only change, or all of its changes together. */
export function UndoApproval({ proposal }: { readonly proposal: ProposalEntry }) {
  const { applied_change: changeId, applied_batch: batchId, path, author } = proposal;
  if (changeId === null) return null;
  const paths = pathsOf(proposal);
  const undo = () => (batchId === null ? undoChange({ changeId, path, author }) : undoBatch(batchId, paths));
  return (
    <Button icon="undo" disabled={reasonNotWritable(paths) !== undefined} onClick={() => void undo()}>
      Undo
    </Button>
  );
}
