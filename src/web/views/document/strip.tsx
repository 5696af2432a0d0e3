import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import type { OpenDocument } from "../../state/open-documents.ts";
import { theDaemon } from "../../state/session.ts";
import { attempt, say } from "../../state/tell.ts";
import type { followNotices } from "./notices.ts";

interface StripProps {
  readonly document: OpenDocument;
  readonly notices: ReturnType<typeof followNotices>;
}

/** What happened to the document, above its text, until it is dismissed: rescues, conflicts, and text that was lost. */
export function Strip({ document, notices }: StripProps) {
  if (notices.notices.value.length === 0 && document.lost.value.length === 0) return null;
  return (
    <div class="strip" role="log" aria-label="Notices of this document">
      {document.lost.value.map(({ id, reason, suggestion, text }) => (
        <div key={`lost ${id}`} class="strip-notice bad">
          <Icon name="alert" />
          <div>
            <p>Your edit was not taken: {reason}</p>
            {suggestion && <p class="quiet">{suggestion}</p>}
            {text !== "" && <textarea readOnly rows={3} aria-label="Your text" value={text} />}
          </div>
          {text !== "" && <Button icon="copy" label="Copy the text" onClick={() => void copy(text)} />}
          <Button icon="close" label="Dismiss" onClick={() => document.forget(id)} />
        </div>
      ))}
      {notices.notices.value.map(({ id, tone, text, more, undo }) => (
        <div key={id} class={`strip-notice ${tone}`}>
          <Icon name="alert" />
          <div>
            <p>{text}</p>
            {more && <p class="quiet">{more}</p>}
          </div>
          {undo !== undefined && (
            <Button
              icon="undo"
              onClick={async () => {
                const { changeId } = undo;
                const undone = await attempt("It could not be undone", () => theDaemon().undo({ changeId }));
                if (undone !== undefined) notices.dismiss(id);
              }}
            >
              {undo.label}
            </Button>
          )}
          <Button icon="close" label="Dismiss" onClick={() => notices.dismiss(id)} />
        </div>
      ))}
    </div>
  );
}

async function copy(text: string): Promise<void> {
  const copied = await attempt("It could not be copied", async () => {
    await navigator.clipboard.writeText(text);
    return true;
  });
  if (copied) say("good", "Copied.");
}
