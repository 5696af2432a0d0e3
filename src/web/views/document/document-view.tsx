import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { documentsByPath } from "../../state/documents.ts";
import { showError } from "../../state/messages.ts";
import { leaveDocument, type OpenDocument, openDocument } from "../../state/open-documents.ts";
import { documentRoute, replaceRoute } from "../../state/route.ts";
import { daemon } from "../../state/session.ts";
import { NotOpened } from "./not-opened.tsx";
import { OpenDocumentView } from "./open-document-view.tsx";
import { restoreTyping } from "./restore-typing.ts";
import "./document.css";
import "./editor.css";

type Opening = { readonly is: "opening" } | { readonly is: "failed"; readonly error: unknown } | OpenState;

interface OpenState {
  readonly is: "open";
  readonly document: OpenDocument;
}

/** Shows the live text of a document for editing. */
export function DocumentView({ path }: { readonly path: string }) {
  const opening = useSignal<Opening>({ is: "opening" });
  /** Number of requests to open the document again. */
  const reopenings = useSignal(0);
  const client = daemon.value;
  const again = reopenings.value;

  useEffect(() => {
    const before = opening.peek().is === "open" ? (opening.peek() as OpenState).document : undefined;
    const same = before?.path.peek() === path;
    // After a rename, the open document already has the new path.
    if (same && before.ended.peek() === undefined && before.client === client) return;
    let isGone = false;
    if (!same) opening.value = { is: "opening" };
    openDocument(path).then(
      (document) => {
        if (isGone) return leaveDocument(document);
        if (same && before.pending.peek()) restoreTyping(document.live, before.live.text);
        opening.value = { is: "open", document };
      },
      (error: unknown) => {
        if (isGone) return;
        // The view keeps the text that it has.
        if (same) showError("Could not open the document again", error);
        else opening.value = { is: "failed", error };
      },
    );
    return () => {
      isGone = true;
    };
  }, [path, client, again]);

  useSignalEffect(() => {
    if (opening.value.is !== "open") return;
    const { document } = opening.value;
    const end = document.live.on("renamed", ({ to }) => replaceRoute(documentRoute(to)));
    return () => {
      end();
      leaveDocument(document);
    };
  });

  const reopen = () => {
    reopenings.value++;
  };
  switch (opening.value.is) {
    case "opening":
      return <p class="document-wait quiet">Opening {path} …</p>;
    case "failed":
      return (
        <NotOpened
          path={path}
          error={opening.value.error}
          entry={documentsByPath.value?.get(path)}
          reopen={reopen}
        />
      );
    case "open":
      return (
        <OpenDocumentView key={opening.value.document.id} document={opening.value.document} reopen={reopen} />
      );
  }
}
