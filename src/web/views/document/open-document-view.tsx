import { signal, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { type DocumentEntry, documents } from "../../state/documents.ts";
import type { OpenDocument } from "../../state/open-documents.ts";
import { PendingFor } from "../proposals/pending-banner.tsx";
import { Banner } from "./banner.tsx";
import { follow } from "./document-feeds.ts";
import { Head } from "./head.tsx";
import { LiveEditor } from "./live-editor.tsx";
import { Rename } from "./rename.tsx";
import { Strip } from "./document-notices.tsx";
import { Suggest } from "./suggest.tsx";

/** Whether the gutter says who wrote each line; remembered in this browser. */
const KEPT_AS = "spliced.blame";
const blameShown = signal(localStorage.getItem(KEPT_AS) === "on");

function toggleBlame(): void {
  blameShown.value = !blameShown.value;
  localStorage.setItem(KEPT_AS, blameShown.value ? "on" : "off");
}

/** A document that is open: what is known of it above, its text below. */
export function Opened({
  document,
  reopen,
}: {
  readonly document: OpenDocument;
  readonly reopen: () => void;
}) {
  const followed = useMemo(() => follow(document), [document]);
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
    permission.value = documents.value?.get(path.value)?.permission ?? permission.peek();
  });
  useSignalEffect(() => {
    if (permission.value === "propose") suggesting.value = true;
  });
  return (
    <section class="view document" aria-label={path.value}>
      <Head
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
      <Banner
        document={document}
        permission={permission.value}
        suggesting={suggesting.value}
        reopen={reopen}
      />
      <PendingFor path={path.value} />
      <Strip document={document} />
      {suggesting.value && ended.value === undefined ? (
        <Suggest
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
        <Rename
          path={path.value}
          onClose={() => {
            renaming.value = false;
          }}
        />
      )}
    </section>
  );
}
