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

/** Whether the gutter says who wrote each line; remembered in this browser. */
const BLAME_KEY = "spliced.blame";
const blameShown = signal(localStorage.getItem(BLAME_KEY) === "on");

function toggleBlame(): void {
  blameShown.value = !blameShown.value;
  localStorage.setItem(BLAME_KEY, blameShown.value ? "on" : "off");
}

/** A document that is open: what is known of it above, its text below. */
export function OpenDocumentView({
  document,
  reopen,
}: {
  readonly document: OpenDocument;
  readonly reopen: () => void;
}) {
  const followed = useMemo(() => followDocument(document), [document]);
  useEffect(
    () => () => {
      for (const { end } of Object.values(followed)) end();
    },
    [followed],
  );
  const renaming = useSignal(false);
  const suggesting = useSignal(false);
  const { path, ended } = document;
  /** Until the list of documents has it: it could be opened, and edits tell of themselves when they may not be. */
  const permission = useSignal<DocumentEntry["permission"]>("write");
  useSignalEffect(() => {
    permission.value = documentsByPath.value?.get(path.value)?.permission ?? permission.peek();
  });
  useSignalEffect(() => {
    if (permission.value === "propose") suggesting.value = true;
  });
  return (
    <section class="view document" aria-label={path.value}>
      <DocumentHead
        document={document}
        followed={followed}
        permission={permission.value}
        blame={blameShown.value}
        suggesting={suggesting.value}
        onBlame={toggleBlame}
        onSuggest={() => {
          suggesting.value = !suggesting.value;
        }}
        onRename={() => {
          renaming.value = true;
        }}
      />
      <AccessBanner
        document={document}
        permission={permission.value}
        suggesting={suggesting.value}
        reopen={reopen}
      />
      <PendingBanner path={path.value} />
      <DocumentNotices document={document} />
      {suggesting.value && ended.value === undefined ? (
        <SuggestEditor
          document={document}
          onDone={() => {
            suggesting.value = false;
          }}
        />
      ) : (
        <LiveEditor
          document={document}
          presence={followed.presence}
          permission={permission.value}
          blame={blameShown.value}
          onBlame={toggleBlame}
        />
      )}
      {renaming.value && (
        <RenameDialog
          path={path.value}
          onClose={() => {
            renaming.value = false;
          }}
        />
      )}
    </section>
  );
}
