import { type ReadonlySignal, type Signal, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { attempt, showMessage } from "../../state/base/messages.ts";
import { ALL_THREADS, documentRoute, go, route } from "../../state/base/route.ts";
import { connected } from "../../state/base/session.ts";
import type { OpenDocument } from "../../state/documents/open-documents.ts";
import type { DocumentThreads } from "../../state/threads/document-threads.ts";
import { keepDraft, messageDraft, newThreadKey } from "../../state/threads/message-drafts.ts";
import { focusComposer } from "../threads/composer.tsx";
import { goToAnchor, showAnchors } from "./editor/anchor-marks.ts";
import type { TextEditor } from "./editor/text-editor.ts";

/** Most characters of an anchor, as for the daemon. */
const MOST_CHARS = 10_000;

/** Marks the anchors of a document's threads in an editor, and shows the one of the message in `wanted`. */
export function useAnchors(
  editor: ReadonlySignal<TextEditor | undefined>,
  threads: ReadonlySignal<DocumentThreads>,
  path: ReadonlySignal<string>,
  wanted: Signal<string | undefined>,
): void {
  const drawn = useRef<DocumentThreads>(undefined);
  const drawnFor = useRef<string>(undefined);
  const drawnIn = useRef<TextEditor>(undefined);
  useSignalEffect(() => {
    const { value: state } = threads;
    const open = route.value.view === "document" ? route.value.thread : undefined;
    if (editor.value === undefined || state.is !== "listed") return;
    const same = drawn.current === state && drawnFor.current === open && drawnIn.current === editor.value;
    if (same) return;
    drawn.current = state;
    drawnFor.current = open;
    drawnIn.current = editor.value;
    const { breaks } = editor.value.binding;
    const anchors = state.threads
      .filter(({ id, status }) => status === "open" || id === open)
      .flatMap(({ id, anchors = [] }) => anchors.map((anchor) => ({ ...anchor, thread: id })))
      .filter((anchor) => !anchor.deleted && anchor.path === path.peek())
      .map(({ thread, messageId, from, to }) => {
        const place = { from: breaks.toEditor(from), to: breaks.toEditor(to) };
        return { thread, messageId, ...place, isOpen: thread === open };
      });
    showAnchors(editor.value.view, anchors);
  });
  useSignalEffect(() => {
    if (editor.value === undefined || wanted.value === undefined || threads.value.is !== "listed") return;
    const isShown = goToAnchor(editor.value.view, wanted.value);
    wanted.value = undefined;
    if (isShown) editor.value.view.focus();
    else showMessage("info", "This place is not in the text any more.");
  });
}

/** Begins a message about the selected text, and opens the drawer for it. */
export async function askAboutSelection({ live, path }: OpenDocument, editor: TextEditor): Promise<void> {
  if (!connected.value) return showMessage("bad", "Disconnected. You can ask when spliced is running again.");
  // The daemon has to know the text that the selection is in.
  await attempt("Could not ask about this text", async () => {
    await live.settled();
    const { from, to } = editor.view.state.selection.main;
    const quote = editor.view.state.sliceDoc(from, to);
    if (quote.length > MOST_CHARS)
      return showMessage("bad", `Select at most ${MOST_CHARS.toLocaleString("en")} characters to ask about.`);
    const { breaks } = editor.binding;
    const key = newThreadKey(path.value);
    const anchor = {
      from: breaks.toDocument(from),
      to: breaks.toDocument(to),
      version: live.version,
      quote,
    };
    keepDraft(key, { ...messageDraft(key), anchor });
    focusComposer();
    go(documentRoute(path.value, "text", { thread: ALL_THREADS }));
  });
}
