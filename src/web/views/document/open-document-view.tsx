import { signal, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { useAltKey } from "../../parts/controls/use-alt-key.ts";
import { ALL_THREADS, documentRoute, go, route } from "../../state/base/route.ts";
import { type DocumentEntry, documentsByPath } from "../../state/documents/documents.ts";
import type { OpenDocument } from "../../state/documents/open-documents.ts";
import type { ThreadAnchor } from "../../state/threads/thread-types.ts";
import { PendingBanner } from "../proposals/pending-banner.tsx";
import { ThreadDrawer } from "../threads/drawer.tsx";
import { AccessBanner } from "./banner.tsx";
import { followDocument } from "./document-feeds.ts";
import { DocumentNotices } from "./document-notices.tsx";
import { DocumentHead } from "./head.tsx";
import { LiveEditor } from "./live-editor.tsx";
import { RenameDialog } from "./rename.tsx";
import { SuggestEditor } from "./suggest.tsx";

/** Whether the gutter shows who wrote each line, as stored in this browser. */
const BLAME_KEY = "spliced.blame";
const blameShown = signal(localStorage.getItem(BLAME_KEY) === "on");

function toggleBlame(): void {
  blameShown.value = !blameShown.value;
  localStorage.setItem(BLAME_KEY, blameShown.value ? "on" : "off");
}

/** A window in which the drawer covers the text. */
const narrowWindow = matchMedia("(max-width: 1000px)");

/** Shows an open document: its head and notices, then its text. */
export function OpenDocumentView({
  document,
  reopen,
}: {
  readonly document: OpenDocument;
  readonly reopen: () => void;
}) {
  const feeds = useMemo(() => followDocument(document), [document]);
  useEffect(
    () => () => {
      for (const { end } of Object.values(feeds)) end();
    },
    [feeds],
  );
  const isRenaming = useSignal(false);
  const wantedAnchor = useSignal<string | undefined>(undefined);
  const shownThread = route.value.view === "document" ? route.value.thread : undefined;
  const isSuggesting = useSignal(false);
  const { path, ended } = document;
  /** Assumed to be write until the list of documents has arrived; the daemon refuses other edits anyway. */
  const permission = useSignal<DocumentEntry["permission"]>("write");
  useSignalEffect(() => {
    permission.value = documentsByPath.value?.get(path.value)?.permission ?? permission.peek();
  });
  useSignalEffect(() => {
    if (permission.value === "propose") isSuggesting.value = true;
  });
  const showThreads = (thread: string | undefined) => {
    go(documentRoute(path.value, "text", { thread }));
    if (thread === undefined)
      globalThis.document.querySelector<HTMLElement>(".threads-button button")?.focus();
  };
  const toggleThreads = () => showThreads(shownThread === undefined ? ALL_THREADS : undefined);
  useAltKey("t", toggleThreads);
  const showAnchor = (anchor: ThreadAnchor) => {
    // In a narrow window the drawer covers the text.
    const thread = narrowWindow.matches ? undefined : shownThread;
    go(documentRoute(anchor.path, "text", { thread }));
    if (anchor.path === path.value) wantedAnchor.value = anchor.messageId;
  };
  return (
    <section class="view document" aria-label={path.value}>
      <DocumentHead
        document={document}
        feeds={feeds}
        permission={permission.value}
        blame={blameShown.value}
        suggesting={isSuggesting.value}
        threadsShown={shownThread !== undefined}
        onBlame={toggleBlame}
        onThreads={toggleThreads}
        onSuggest={() => {
          isSuggesting.value = !isSuggesting.value;
        }}
        onRename={() => {
          isRenaming.value = true;
        }}
      />
      <AccessBanner
        document={document}
        permission={permission.value}
        suggesting={isSuggesting.value}
        reopen={reopen}
      />
      <PendingBanner path={path.value} />
      <DocumentNotices document={document} />
      <div class="document-body">
        {isSuggesting.value && ended.value === undefined ? (
          <SuggestEditor
            document={document}
            onDone={() => {
              isSuggesting.value = false;
            }}
          />
        ) : (
          <LiveEditor
            document={document}
            presence={feeds.presence}
            threads={feeds.threads}
            wantedAnchor={wantedAnchor}
            permission={permission.value}
            blame={blameShown.value}
            onBlame={toggleBlame}
          />
        )}
        {shownThread !== undefined && (
          <ThreadDrawer
            path={path.value}
            thread={shownThread}
            feed={feeds.threads}
            onAnchor={showAnchor}
            onClose={() => showThreads(undefined)}
          />
        )}
      </div>
      {isRenaming.value && (
        <RenameDialog
          path={path.value}
          onClose={() => {
            isRenaming.value = false;
          }}
        />
      )}
    </section>
  );
}
