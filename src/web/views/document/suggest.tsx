import { EditorView } from "@codemirror/view";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Button } from "../../parts/controls/button.tsx";
import { Dialog } from "../../parts/controls/dialog.tsx";
import { attempt, showMessage } from "../../state/base/messages.ts";
import { go } from "../../state/base/route.ts";
import type { OpenDocument } from "../../state/documents/open-documents.ts";
import { TextEditor } from "./editor/text-editor.ts";
import { LocalText } from "./local-text.ts";
import "../../parts/merged-text.css";

interface SuggestProps {
  readonly document: OpenDocument;
  readonly onDone: () => void;
}

/** Shows a copy of the text for editing. The person can propose the result to others. */
export function SuggestEditor({ document, onDone }: SuggestProps) {
  const { client, live, path } = document;
  const box = useRef<HTMLDivElement>(null);
  const base = useMemo(
    () => ({ text: live.text, version: live.version, copy: new LocalText(live.text) }),
    [document],
  );
  const hasChanged = useSignal(false);
  const isDialogOpen = useSignal(false);
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
      hasChanged.value = base.copy.text !== base.text;
    });
    editor.view.focus();
    const original = editor.view.state.doc;
    let isClosed = false;
    void attempt("Could not mark the suggested text", async () => {
      // The merge view is large, and only this view and the timeline need it.
      const { markSuggested } = await import("./editor/suggested.ts");
      if (!isClosed) markSuggested(editor.view, original);
    });
    return () => {
      isClosed = true;
      editor.close();
    };
  }, [base]);
  const propose = async () => {
    const created = await attempt("Could not create the proposal", () =>
      client.proposal.create({
        path: path.value,
        operation: "full_replace",
        proposed_value: base.copy.text,
        version: base.version,
        ...(reason.value.trim() !== "" && { reasoning: reason.value.trim() }),
      }),
    );
    if (created === undefined) return;
    isDialogOpen.value = false;
    onDone();
    showMessage("good", "Proposed. The document changes once someone approves it.", undefined, {
      label: "Show proposal",
      run: () => go({ view: "proposals", id: created.id }),
    });
  };
  return (
    <div class="document-text suggesting">
      <div class="document-banner" role="note">
        <p>
          You are editing a copy. Propose your changes when you are done. The document changes once someone
          approves them.
        </p>
        <Button onClick={onDone}>Discard</Button>
        <Button
          icon="proposal"
          tone="primary"
          disabled={!hasChanged.value}
          onClick={() => {
            isDialogOpen.value = true;
          }}
        >
          Propose …
        </Button>
      </div>
      <div class="editor merged-text" ref={box} />
      {isDialogOpen.value && (
        <Dialog
          title="Propose these changes"
          action="Propose"
          onAction={() => void propose()}
          onClose={() => {
            isDialogOpen.value = false;
          }}
        >
          <label>
            Why? The reviewer reads this.
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
