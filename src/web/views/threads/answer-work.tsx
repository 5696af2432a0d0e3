import { ChangeGroupCard } from "../../parts/changes/change-group.tsx";
import { Button } from "../../parts/controls/button.tsx";
import { plural } from "../../state/base/plural.ts";
import { type ChangeGroup, daysOf, type HistoryChange } from "../../state/changes/changes.ts";
import { redoRun, undoRun } from "../../state/changes/undo.ts";
import { reasonNotWritable } from "../../state/documents/permission.ts";
import { ThreadProposal } from "./thread-proposal.tsx";
import type { AnswerWork } from "./work.ts";
import "./answer-work.css";

/** Shows what an answer changed and proposed, each with its difference and the decisions about it. */
export function AnswerWorkView({
  work,
  known,
}: {
  readonly work: AnswerWork;
  readonly known: ReadonlyMap<string, HistoryChange>;
}) {
  const changes = work.changes
    .flatMap((id) => known.get(id) ?? [])
    .toSorted((a, b) => b.time.localeCompare(a.time));
  const missing = work.changes.length - changes.length;
  return (
    <div class="answer-work">
      {work.changes.length > 0 && (
        <section aria-label="Changes of this answer">
          <div class="answer-work-head">
            <h3>{plural(work.changes.length, "change")}</h3>
            <WholeAnswer changes={changes} />
          </div>
          {groupsOf(changes).map((group) => (
            <ChangeGroupCard key={group.key} group={group} />
          ))}
          {missing > 0 && (
            <p class="quiet">The history has no more of {plural(missing, "change")} of this answer.</p>
          )}
        </section>
      )}
      {work.proposals.map((id) => (
        <ThreadProposal key={id} id={id} />
      ))}
    </div>
  );
}

/** Undoes or restores all changes of an answer. */
function WholeAnswer({ changes }: { readonly changes: readonly HistoryChange[] }) {
  const shown = changes.filter(({ previous }) => previous !== null);
  const made = shown.filter(({ undone }) => !undone);
  if (shown.length === 0) return null;
  const reason = reasonNotWritable([...new Set(shown.map(({ path }) => path))]);
  const isUndone = made.length === 0;
  return (
    <Button
      icon={isUndone ? "redo" : "undo"}
      disabled={reason !== undefined}
      label={
        reason ?? (isUndone ? "Make all changes of this answer again" : "Undo all changes of this answer")
      }
      onClick={() => void (isUndone ? redoRun(shown) : undoRun(made))}
    >
      {isUndone ? "Restore" : "Undo all"}
    </Button>
  );
}

function groupsOf(changes: readonly HistoryChange[]): readonly ChangeGroup[] {
  return daysOf(changes).flatMap(({ groups }) => groups);
}
