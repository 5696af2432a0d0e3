import type { Document } from "../../workspace/document/document.ts";
import { LATEST } from "../../workspace/edits/request.ts";
import { difference, type SyncStatus, syncStatus } from "../../workspace/folder/documents.ts";
import { isRefusal, type Outcome } from "../../workspace/outcome/refusal.ts";
import type { Version } from "../../workspace/versions/version.ts";
import type { TokenWorkers } from "../../workspace/workers/workers.ts";

/** The status of a document in the header of its diff. */
const HEADER_STATUS: Record<SyncStatus, string> = {
  synced: "synced",
  memory_ahead: "block_modified",
  disk_ahead: "disk_modified",
  conflict: "conflict",
  blocked: "blocked",
  deleted: "deleted",
};

/** Returns a version that a request names; undefined for the newest one, also under its name `latest`. */
export function olderVersion(version: Version | undefined): Version | undefined {
  return version === LATEST ? undefined : version;
}

/**
 * Returns the unified diff of a document below a header with its state, as the protocol sends it. `from` is the file's
 * text, and `to` the newest version, if they are undefined.
 */
export async function wireDiff(
  workers: TokenWorkers,
  document: Document,
  from: Version | undefined,
  to: Version | undefined,
): Promise<Outcome<{ diff: string }>> {
  const header = headerOf(document);
  const older = from === LATEST ? document.version : from;
  const newer = olderVersion(to);
  const names = { from: older ?? "disk", to: newer ?? "block" };
  const diff = await difference(workers, document, older, newer, names);
  return isRefusal(diff) ? diff : { diff: `${header}\n${diff}` };
}

function headerOf(document: Document): string {
  const { image } = document.mirror;
  return [
    `[file:${document.id}:${document.path}]`,
    `status: ${HEADER_STATUS[syncStatus(document)]}`,
    `disk_mtime: ${image === undefined ? "none" : new Date(Number(image.mtimeNs / 1_000_000n)).toISOString()}`,
    `block_version: ${document.version}`,
    "---",
  ].join("\n");
}
