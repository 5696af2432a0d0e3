import { signal, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { type DocumentEntry, documents } from "../../state/documents.ts";
import type { OpenDocument } from "../../state/open-documents.ts";
import { Asked } from "./asked.tsx";
import { Banner } from "./banner.tsx";
import { Head, type HeadAction } from "./head.tsx";
import { followAuthors } from "./lately.ts";
import { LiveEditor } from "./live-editor.tsx";
import { followNotices } from "./notices.ts";
import { followPresence } from "./presence.ts";
import { Strip } from "./strip.tsx";
import { Suggest } from "./suggest.tsx";
import { followSync } from "./sync.ts";

/** Whether the gutter says who wrote each line; remembered in this browser. */
const KEPT_AS = "spliced.blame";
const blameShown = signal(localStorage.getItem(KEPT_AS) === "on");

function toggleBlame(): void {
  blameShown.value = !blameShown.value;
  localStorage.setItem(KEPT_AS, blameShown.value ? "on" : "off");
}

/** What a document's view needs as long as it is shown. */
function follow(document: OpenDocument) {
  return {
    sync: followSync(document),
    presence: followPresence(document),
    authors: followAuthors(document),
    notices: followNotices(document),
  };
}

export type Followed = ReturnType<typeof follow>;

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
  const asked = useSignal<HeadAction | undefined>(undefined);
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
  const done = () => {
    asked.value = undefined;
  };
  return (
    <section class="view document" aria-label={path.value}>
      <Head
        document={document}
        followed={followed}
        permission={permission.value}
        blame={blameShown.value}
        suggesting={suggesting.value}
        onBlame={toggleBlame}
        onAction={(action) => {
          if (action === "suggest") suggesting.value = !suggesting.value;
          else asked.value = action;
        }}
      />
      <Banner
        document={document}
        permission={permission.value}
        suggesting={suggesting.value}
        reopen={reopen}
      />
      <Strip document={document} notices={followed.notices} />
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
      {asked.value !== undefined && <Asked action={asked.value} path={path.value} onClose={done} />}
    </section>
  );
}
