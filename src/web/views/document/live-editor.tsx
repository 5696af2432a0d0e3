import { EditorView, keymap } from "@codemirror/view";
import { type Signal, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { attempt, showMessage } from "../../state/base/messages.ts";
import { documentRoute, go } from "../../state/base/route.ts";
import type { DocumentEntry } from "../../state/documents/documents.ts";
import type { OpenDocument } from "../../state/documents/open-documents.ts";
import type { DocumentThreadsFeed } from "../../state/threads/document-threads.ts";
import { BlameCard } from "./blame-card.tsx";
import { anchorMarks } from "./editor/anchor-marks.ts";
import { askButton } from "./editor/ask-button.ts";
import { blameGutter } from "./editor/blame.ts";
import { remoteCarets } from "./editor/carets.ts";
import { flash } from "./editor/flash.ts";
import { nameLabels } from "./editor/name-labels.ts";
import { proposalMarks } from "./editor/proposal-marks.ts";
import { sizeLimit } from "./editor/size-limit.ts";
import { type EditingAllowed, TextEditor } from "./editor/text-editor.ts";
import type { PresenceFeed } from "./presence.ts";
import { sizeText } from "./size.ts";
import { TextFacts } from "./text-facts.tsx";
import { askAboutSelection, useAnchors } from "./use-anchors.ts";
import { useBlame } from "./use-blame.ts";
import { useCarets } from "./use-carets.ts";
import { useLine } from "./use-line.ts";
import { useProposals } from "./use-proposals.ts";

interface LiveEditorProps {
  readonly document: OpenDocument;
  readonly presence: PresenceFeed;
  readonly threads: DocumentThreadsFeed;
  /** The message whose anchor the editor has to show. */
  readonly wantedAnchor: Signal<string | undefined>;
  readonly permission: DocumentEntry["permission"];
  readonly blame: boolean;
  readonly onBlame: () => void;
}

/** Shows the live text of a document in an editor, with the edits of all authors. */
export function LiveEditor(props: LiveEditorProps) {
  const { document, presence, threads, wantedAnchor, permission, blame, onBlame } = props;
  const box = useRef<HTMLDivElement>(null);
  const editor = useSignal<TextEditor | undefined>(undefined);
  const { live, path, ended, client } = document;
  const canWrite = permission === "write" || permission === "admin";
  const otherwise: EditingAllowed = permission === "append" ? "appending" : "nothing";
  const allowed = ended.value !== undefined ? "nothing" : canWrite ? "everything" : otherwise;
  const { pointed, openHere, keepOpen } = useBlame(document, editor, blame);
  useCarets(editor, presence);
  useProposals(editor, path);
  useAnchors(editor, threads.state, path, wantedAnchor);
  useLine(editor);

  useEffect(() => {
    const keys = [
      { key: "Alt-b", run: keyAction(onBlame) },
      { key: "Alt-w", run: openHere },
      { key: "Mod-s", run: keyAction(() => void save(document)) },
    ];
    const { maxFileBytes, maxMessageBytes } = client.hello.limits;
    const newEditor = new TextEditor({
      parent: box.current!,
      text: live,
      path: path.peek(),
      allowed,
      extra: [
        keymap.of(keys),
        flash,
        remoteCarets,
        nameLabels,
        proposalMarks,
        anchorMarks((thread) => go(documentRoute(path.value, "text", { thread }))),
        askButton(() => void askAboutSelection(document, newEditor)),
        blameGutter,
        sizeLimit({ file: maxFileBytes, edit: maxMessageBytes, refused: showTooLarge }),
        EditorView.contentAttributes.of({ "aria-label": "Text of the document" }),
      ],
    });
    newEditor.onChange(() => {
      const { breaks } = newEditor.binding;
      const { from, to } = newEditor.view.state.selection.main;
      presence.move(breaks.toDocument(from), breaks.toDocument(to));
    });
    editor.value = newEditor;
    newEditor.view.focus();
    return () => {
      editor.value = undefined;
      newEditor.close();
    };
  }, [document]);
  useSignalEffect(() => editor.value?.setPath(path.value));
  useEffect(() => editor.value?.allow(allowed), [allowed]);

  return (
    <div class="document-text">
      <div class="editor" ref={box} />
      {editor.value !== undefined && <TextFacts editor={editor.value} />}
      {pointed.value !== undefined && (
        <BlameCard
          key={pointed.value.change.changeId}
          at={pointed.value}
          path={path.value}
          canUndo={canWrite}
          onEnter={keepOpen}
          onClose={(focusText) => {
            pointed.value = undefined;
            if (focusText) editor.value?.view.focus();
          }}
        />
      )}
    </div>
  );
}

/** Returns a key binding that always runs and stops other bindings. */
function keyAction(run: () => void): () => boolean {
  return () => {
    run();
    return true;
  };
}

async function save({ client, path, live }: OpenDocument): Promise<void> {
  const saved = await attempt("Could not save the file yet", async () => {
    await live.settled();
    return client.doc.save({ path: path.value });
  });
  if (saved !== undefined) showMessage("good", "Saved. spliced also saves by itself.");
}

function showTooLarge(bytes: number, limit: number): void {
  showMessage(
    "bad",
    `Not inserted: the size would be ${sizeText(bytes)}, and the limit is ${sizeText(limit)}.`,
    "The document did not change. Insert less, or raise the limit in daemon.config.ts.",
  );
}
