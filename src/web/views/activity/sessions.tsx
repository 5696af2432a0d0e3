import { useSignal } from "@preact/signals";
import type { Result } from "../../../protocol/schemas/schemas.ts";
import { Diff } from "../../parts/changes/diff.tsx";
import { Button } from "../../parts/controls/button.tsx";
import { Dialog } from "../../parts/controls/dialog.tsx";
import { plural } from "../../state/base/plural.ts";
import { authorName } from "../../state/changes/authors.ts";
import type { HistoryChange } from "../../state/changes/changes.ts";
import { applyUndo, previewUndo } from "../../state/changes/undo-session.ts";
import { sessionFilter } from "./filter.ts";

type Preview = Result<"preview.create">;

/** The most characters of a session's name that are shown. */
const SHOWN = 12;

/** Shows the sessions of an author, and undoes everything of the chosen one after showing it. */
export function Sessions({
  author,
  changes,
}: {
  readonly author: string;
  readonly changes: readonly HistoryChange[];
}) {
  const preview = useSignal<Preview | undefined>(undefined);
  const sessions = [...new Set(changes.flatMap(({ session }) => session ?? []))];
  const chosen = sessionFilter.value;
  if (sessions.length === 0) return null;
  const show = async (session: string) => {
    preview.value = await previewUndo(author, session);
  };
  return (
    <fieldset class="filter-sessions" aria-label="Filter by session">
      {sessions.map((session) => (
        <button
          type="button"
          key={session}
          class="filter-session"
          aria-pressed={session === chosen}
          title={`Session ${session}`}
          onClick={() => {
            sessionFilter.value = session === chosen ? undefined : session;
          }}
        >
          {session.length > SHOWN ? `${session.slice(0, SHOWN)}…` : session}
        </button>
      ))}
      {chosen !== undefined && (
        <Button icon="undo" onClick={() => void show(chosen)}>
          Undo everything of this session
        </Button>
      )}
      {preview.value !== undefined && (
        <UndoDialog author={author} preview={preview.value} close={() => (preview.value = undefined)} />
      )}
    </fieldset>
  );
}

function UndoDialog({
  author,
  preview,
  close,
}: {
  readonly author: string;
  readonly preview: Preview;
  readonly close: () => void;
}) {
  const { files } = preview;
  return (
    <Dialog
      title={`Undo ${authorName(author)}’s session in ${plural(files.length, "document")}?`}
      action="Undo everything"
      tone="danger"
      onAction={() => {
        close();
        void applyUndo(preview);
      }}
      onClose={close}
    >
      <p>Later changes of others stay. You can redo it.</p>
      <div class="undo-preview">
        {files.map(({ path, diff, warnings }) => (
          <section key={path}>
            <h3>
              {path}
              {warnings.length > 0 && `: ${warnings.join("; ")}`}
            </h3>
            {diff !== "" && <Diff diff={diff} lines={60} />}
          </section>
        ))}
      </div>
    </Dialog>
  );
}
