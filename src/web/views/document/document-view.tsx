import { useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Waiting } from "../../parts/waiting.tsx";
import { showError } from "../../state/base/messages.ts";
import { documentRoute, replaceRoute, route } from "../../state/base/route.ts";
import { daemon } from "../../state/base/session.ts";
import { documentsByPath } from "../../state/documents/documents.ts";
import { leaveDocument, type OpenDocument, openDocument } from "../../state/documents/open-documents.ts";
import { listsAreLoaded } from "../../state/loaded.ts";
import { Breadcrumb } from "./head.tsx";
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
    const end = document.live.on("renamed", ({ to }) => {
      const thread = route.value.view === "document" ? route.value.thread : undefined;
      replaceRoute(documentRoute(to, "text", { thread }));
    });
    return () => {
      end();
      leaveDocument(document);
    };
  });

  const reopen = () => {
    reopenings.value++;
  };
  // A text that appeared before the lists would move down when they add a banner to it.
  if (!listsAreLoaded.value) return <OpeningDocument path={path} />;
  switch (opening.value.is) {
    case "opening":
      return <OpeningDocument path={path} />;
    case "failed":
      return (
        <DocumentFrame path={path}>
          <NotOpened
            path={path}
            error={opening.value.error}
            entry={documentsByPath.value?.get(path)}
            reopen={reopen}
          />
        </DocumentFrame>
      );
    case "open":
      return (
        <OpenDocumentView key={opening.value.document.id} document={opening.value.document} reopen={reopen} />
      );
  }
}

function OpeningDocument({ path }: { readonly path: string }) {
  return (
    <DocumentFrame path={path}>
      <Waiting text="Opening …" place="view-body" />
    </DocumentFrame>
  );
}

/** The view of a document that has no text to show. */
function DocumentFrame({ path, children }: { readonly path: string; readonly children: ComponentChildren }) {
  return (
    <section class="view document" aria-label={path}>
      <header class="view-head document-head">
        <Breadcrumb path={path} />
      </header>
      {children}
    </section>
  );
}
