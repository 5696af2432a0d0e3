import type { ChangeRecord, DocumentRecord } from "../../store/store.ts";
import type { Text } from "../../text/text.ts";
import { versionOf } from "../versions/version.ts";
import { changeSummary } from "./change-summary.ts";
import type { WorkspaceEvent } from "./events.ts";

/** Returns the event of a change of a document's text; `previous` is the change before, and `before` its text. */
export function changedEvent(
  document: Pick<DocumentRecord, "id" | "path">,
  change: ChangeRecord,
  previous: ChangeRecord,
  before: Text,
): WorkspaceEvent {
  return {
    type: "changed",
    ...changeSummary(document, change),
    previous: versionOf(previous),
    sha256: change.sha256 ?? null,
    splices: change.splices,
    before,
  };
}
