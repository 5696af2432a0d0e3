import { EditorView, keymap } from "@codemirror/view";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Button } from "../../parts/controls/button.tsx";
import { attempt, showMessage } from "../../state/base/messages.ts";
import { go } from "../../state/base/route.ts";
import { theDaemon } from "../../state/base/session.ts";
import type { DocumentEntry } from "../../state/documents/documents.ts";
import { keepDraft } from "../../state/documents/markdown-drafts.ts";
import { TextEditor } from "../document/editor/text-editor.ts";
import { LocalText } from "../document/local-text.ts";
import "../document/document.css";
import "../document/editor.css";

/** A Markdown view as the daemon showed it at a version, and as the person has edited it. */
export interface ReadView {
  readonly id: number;
  readonly text: string;
  readonly version: string;
  readonly edited: string;
}

interface MarkdownEditorProps {
  readonly path: string;
  readonly view: ReadView;
  /** Whether the document has changed since the version of the view. */
  readonly isOutdated: boolean;
  /** The position of the cursor, which one editor leaves to the next. */
  readonly cursor: { current: number | undefined };
  readonly permission: DocumentEntry["permission"];
  /** Called when the edit was saved or discarded. */
  readonly onDone: () => void;
}

/** Shows a Markdown view in an editor. The document changes when the person saves. */
export function MarkdownEditor({ path, view, isOutdated, cursor, permission, onDone }: MarkdownEditorProps) {
  const box = useRef<HTMLDivElement>(null);
  const copy = useMemo(() => new LocalText(view.edited), [view]);
  const hasChanged = useSignal(view.edited !== view.text);
  const isSaving = useSignal(false);
  const mayEdit = permission === "write" || permission === "admin" || permission === "propose";

  const save = async () => {
    if (!hasChanged.value || isSaving.value) return;
    isSaving.value = true;
    const saved = await attempt("Your edit was not saved", () =>
      theDaemon().edit.write({ path, text: copy.text, view: "markdown", version: view.version }),
    );
    isSaving.value = false;
    if (saved === undefined) return;
    onDone();
    const { proposal } = saved;
    if (proposal === undefined)
      showMessage("good", saved.merged ? "Saved, and merged with the changes of others." : "Saved.");
    else
      showMessage("good", "Proposed. The document changes once someone approves it.", undefined, {
        label: "Show proposal",
        run: () => go({ view: "proposals", id: proposal }),
      });
  };
  const saveByKey = useRef(save);
  saveByKey.current = save;

  useEffect(() => {
    const saveKey = () => {
      void saveByKey.current();
      return true;
    };
    const editor = new TextEditor({
      parent: box.current!,
      text: copy,
      path: "view.md",
      allowed: mayEdit ? "everything" : "nothing",
      extra: [
        keymap.of([{ key: "Mod-s", run: saveKey }]),
        EditorView.contentAttributes.of({ "aria-label": `${path} as Markdown` }),
      ],
    });
    editor.onChange(() => {
      hasChanged.value = copy.text !== view.text;
      const { text, version } = view;
      keepDraft(path, hasChanged.value ? { view: text, version, text: copy.text } : undefined);
    });
    const { state } = editor.view;
    if (cursor.current !== undefined) {
      const anchor = Math.min(cursor.current, state.doc.length);
      editor.view.dispatch({ selection: { anchor }, scrollIntoView: true });
      editor.view.focus();
    }
    return () => {
      cursor.current = editor.view.hasFocus ? editor.view.state.selection.main.head : undefined;
      editor.close();
    };
  }, [copy, mayEdit]);

  return (
    <div class="document-text">
      <div class="document-banner" role="note">
        <p>{remark(mayEdit, isOutdated)}</p>
        {mayEdit && (
          <>
            <Button disabled={!hasChanged.value} onClick={onDone}>
              Discard
            </Button>
            <Button
              icon="check"
              tone="primary"
              disabled={!hasChanged.value || isSaving.value}
              onClick={() => void save()}
            >
              {permission === "propose" ? "Propose" : "Save"}
            </Button>
          </>
        )}
      </div>
      <div class="editor" ref={box} />
    </div>
  );
}

function remark(mayEdit: boolean, isOutdated: boolean): string {
  if (!mayEdit) return "You can read this document but not edit it here.";
  if (isOutdated)
    return "The document has changed since. spliced merges your edit with the changes when you save.";
  return "This is the TOML document as Markdown. Comments, order and spelling of the TOML stay as they are.";
}
