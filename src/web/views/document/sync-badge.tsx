import { Icon } from "../../parts/controls/icon.tsx";
import { connected } from "../../state/base/session.ts";
import type { OpenDocument } from "../../state/documents/open-documents.ts";
import type { DocumentFeeds } from "./document-feeds.ts";

interface SyncBadgeProps {
  readonly document: OpenDocument;
  readonly sync: DocumentFeeds["sync"]["sync"];
}

/** Shows whether the daemon and the file have all edits. */
export function SyncBadge({ document, sync }: SyncBadgeProps) {
  if (document.ended.value !== undefined)
    return (
      <span class="chip bad">{document.ended.value.why === "deleted" ? "Deleted" : "Not updating"}</span>
    );
  if (document.pending.value)
    return (
      <span class="chip warn" role="status">
        {connected.value ? "Sending …" : "Typing kept until reconnected"}
      </span>
    );
  if (!connected.value) return <span class="chip">Disconnected</span>;
  switch (sync.value.is) {
    case "unknown":
      return null;
    case "saved":
      return (
        <span class="chip good" role="status" title="The file contains all edits">
          <Icon name="check" size={12} /> Saved
        </span>
      );
    case "writing":
      return (
        <span class="chip" role="status">
          Saving …
        </span>
      );
    case "blocked":
      return (
        <span class="chip bad" role="status" title={sync.value.reason}>
          <Icon name="alert" size={12} /> File not written: {sync.value.reason}
        </span>
      );
  }
}
