import type { ChangeRecord, DocumentRecord } from "../../store/store.ts";
import { countsOf } from "../../text/splice.ts";
import { type Version, versionOf } from "../versions/version.ts";

/** A change without its text, as events and the history report it. */
export interface ChangeSummary {
  readonly changeId: string;
  readonly path: string;
  readonly docId: string;
  readonly version: Version;
  readonly author: string;
  readonly agent: string;
  readonly origin: ChangeRecord["origin"];
  /** ISO 8601. */
  readonly time: string;
  readonly message?: string;
  /** Code points inserted and removed. */
  readonly added: number;
  readonly removed: number;
  readonly undoes?: string;
  readonly batchId?: string;
  readonly lacked?: { base: Version; authors: string[] };
}

/** Returns the summary of a change of a document. */
export function changeSummary(
  { id, path }: Pick<DocumentRecord, "id" | "path">,
  change: ChangeRecord,
): ChangeSummary {
  const { author, agent, origin, time, message, splices, undoes, batch, lacked } = change;
  return {
    changeId: change.id,
    path,
    docId: id,
    version: versionOf(change),
    author,
    agent,
    origin,
    time: new Date(time).toISOString(),
    ...(message !== undefined && { message }),
    ...countsOf(splices),
    ...(undoes !== undefined && { undoes }),
    ...(batch !== undefined && { batchId: batch.id }),
    ...(lacked !== undefined && { lacked: { base: lacked.base, authors: [...lacked.authors] } }),
  };
}
