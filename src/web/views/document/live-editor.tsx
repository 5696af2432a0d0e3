import { EditorView, keymap } from "@codemirror/view";
import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { DocumentEntry } from "../../state/documents.ts";
import type { OpenDocument } from "../../state/open-documents.ts";
import { attempt, say } from "../../state/messages.ts";
import { BlameCard } from "./blame-card.tsx";
import { blame as blameGutter } from "./editor/blame.ts";
import { remoteCarets } from "./editor/carets.ts";
import { type Allowed, Editor } from "./editor/text-editor.ts";
import { flash } from "./editor/flash.ts";
import { sizeLimit } from "./editor/size-limit.ts";
import { Facts } from "./text-facts.tsx";
import type { Presence } from "./presence.ts";
import { sizeInWords } from "./size.ts";
import { useBlame } from "./use-blame.ts";
import { useCarets } from "./use-carets.ts";

interface LiveEditorProps {
  readonly document: OpenDocument;
  readonly presence: Presence;
  readonly permission: DocumentEntry["permission"];
  readonly blame: boolean;
  readonly onBlame: () => void;
}

/** The document's own text, with everybody's edits in it. */
export function LiveEditor({ document, presence, permission, blame, onBlame }: LiveEditorProps) {
  const box = useRef<HTMLDivElement>(null);
  const editor = useSignal<Editor | undefined>(undefined);
  const { live, path, ended, client } = document;
  const canWrite = permission === "write" || permission === "admin";
  const appends: Allowed = permission === "append" ? "appending" : "nothing";
  const allowed = ended.value !== undefined ? "nothing" : canWrite ? "everything" : appends;
  const { pointed, askHere, stay } = useBlame(document, editor, blame);
  useCarets(editor, presence);

  useEffect(() => {
    const keys = [
      { key: "Alt-b", run: did(onBlame) },
      { key: "Alt-w", run: askHere },
      { key: "Mod-s", run: did(() => void save(document)) },
    ];
    const { maxFileBytes, maxMessageBytes } = client.hello.limits;
    const made = new Editor({
      parent: box.current!,
      text: live,
      path: path.peek(),
      allowed,
      extra: [
        keymap.of(keys),
        flash,
        remoteCarets,
        blameGutter,
        sizeLimit({ file: maxFileBytes, edit: maxMessageBytes, refused: tooLarge }),
        EditorView.contentAttributes.of({ "aria-label": "Text of the document" }),
      ],
    });
    made.listen(() => {
      const { breaks } = made.binding;
      const { from, to } = made.view.state.selection.main;
      presence.move(breaks.toDocument(from), breaks.toDocument(to));
    });
    editor.value = made;
    made.view.focus();
    return () => {
      editor.value = undefined;
      made.close();
    };
  }, [document]);
  useSignalEffect(() => editor.value?.named(path.value));
  useEffect(() => editor.value?.allow(allowed), [allowed]);

  return (
    <div class="document-text">
      <div class="editor" ref={box} />
      {editor.value !== undefined && <Facts editor={editor.value} />}
      {pointed.value !== undefined && (
        <BlameCard
          key={pointed.value.change.changeId}
          at={pointed.value}
          path={path.value}
          canUndo={canWrite}
          onEnter={stay}
          onClose={(focusText) => {
            pointed.value = undefined;
            if (focusText) editor.value?.view.focus();
          }}
        />
      )}
    </div>
  );
}

/** A key's work that is always done. */
function did(run: () => void): () => boolean {
  return () => {
    run();
    return true;
  };
}

async function save({ client, path, live }: OpenDocument): Promise<void> {
  const saved = await attempt("It is not saved yet", async () => {
    await live.settled();
    return client.doc.save({ path: path.value });
  });
  if (saved !== undefined) say("good", "Saved: the file holds everything. It does so by itself, too.");
}

function tooLarge(bytes: number, limit: number): void {
  say(
    "bad",
    `That was not put in: it would come to ${sizeInWords(bytes)}, and the limit is ${sizeInWords(limit)}.`,
    "The document is as it was. Put in less, or raise the limit in daemon.config.ts.",
  );
}
