import { signal, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { type DocumentEntry, documentsByPath } from "../../state/documents.ts";
import type { OpenDocument } from "../../state/open-documents.ts";
import { PendingBanner } from "../proposals/pending-banner.tsx";
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
  return (
    <section class="view document" aria-label={path.value}>
      <DocumentHead
        document={document}
        feeds={feeds}
        permission={permission.value}
        blame={blameShown.value}
        suggesting={isSuggesting.value}
        onBlame={toggleBlame}
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
          permission={permission.value}
          blame={blameShown.value}
          onBlame={toggleBlame}
        />
      )}
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
