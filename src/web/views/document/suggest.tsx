import { EditorView } from "@codemirror/view";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { attempt, showMessage } from "../../state/messages.ts";
import type { OpenDocument } from "../../state/open-documents.ts";
import { go } from "../../state/route.ts";
import { TextEditor } from "./editor/text-editor.ts";
import { LocalText } from "./local-text.ts";

interface SuggestProps {
  readonly document: OpenDocument;
  readonly onDone: () => void;
}

/** A copy of the text to be changed freely; what came of it is proposed, and decided by others. */
export function SuggestEditor({ document, onDone }: SuggestProps) {
  const { client, live, path } = document;
  const box = useRef<HTMLDivElement>(null);
  const base = useMemo(
    () => ({ text: live.text, version: live.version, copy: new LocalText(live.text) }),
    [document],
  );
  const changed = useSignal(false);
  const asking = useSignal(false);
  const reason = useSignal("");
  useEffect(() => {
    const editor = new TextEditor({
      parent: box.current!,
      text: base.copy,
      path: path.peek(),
      allowed: "everything",
      extra: [EditorView.contentAttributes.of({ "aria-label": `Your suggestion for ${path.peek()}` })],
    });
    editor.onChange(() => {
      changed.value = base.copy.text !== base.text;
    });
    editor.view.focus();
    return () => editor.close();
  }, [base]);
  const propose = async () => {
    const made = await attempt("It could not be proposed", () =>
      client.proposal.create({
        path: path.value,
        operation: "full_replace",
        proposed_value: base.copy.text,
        version: base.version,
        ...(reason.value.trim() !== "" && { reasoning: reason.value.trim() }),
      }),
    );
    if (made === undefined) return;
    asking.value = false;
    onDone();
    showMessage("good", "Proposed. It changes nothing until it is approved.", undefined, {
      label: "Show it",
      run: () => go({ view: "proposals", id: made.id }),
    });
  };
  return (
    <div class="document-text suggesting">
      <div class="document-banner" role="note">
        <p>
          You are changing a copy. Propose it when it is done; the document stays as it is until that is
          approved.
        </p>
        <Button onClick={onDone}>Leave it</Button>
        <Button
          icon="proposal"
          tone="primary"
          disabled={!changed.value}
          onClick={() => {
            asking.value = true;
          }}
        >
          Propose …
        </Button>
      </div>
      <div class="editor" ref={box} />
      {asking.value && (
        <Dialog
          title="Propose these changes"
          action="Propose"
          onAction={() => void propose()}
          onClose={() => {
            asking.value = false;
          }}
        >
          <label>
            Why? Whoever approves it reads this.
            <textarea
              rows={3}
              maxLength={10_000}
              value={reason.value}
              onInput={(event) => {
                reason.value = event.currentTarget.value;
              }}
            />
          </label>
        </Dialog>
      )}
    </div>
  );
}
