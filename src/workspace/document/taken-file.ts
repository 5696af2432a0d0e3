import { isFileProblem } from "../../mirror/files.ts";
import { isMissing } from "../../mirror/is-missing.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { DocumentRecord } from "../../store/store.ts";
import { RESCUER } from "../access/actor.ts";
import { isRefusal } from "../outcome/refusal.ts";
import type { Context } from "./context.ts";
import type { Document } from "./document.ts";

/**
 * Returns the record of a document whose file a power cut took: the file is missing and nowhere else, and was never
 * synced. The record is that of a document without a file. Undefined for any other document.
 */
export function withoutTakenFile(
  { ports: { files, clock } }: Context,
  record: DocumentRecord,
): DocumentRecord | undefined {
  const { image, ...rest } = record;
  if (record.deletedAt !== undefined || image === undefined || record.synced !== undefined) return undefined;
  const isTaken = files.isRootPresent() && isMissing(files, record.path as DocPath);
  return isTaken ? { ...rest, deletedAt: clock.now() } : undefined;
}

/** Gives a document the file again that a power cut took. Where that is not possible, it stays without one. */
export async function giveBack({ ports: { files, report } }: Context, document: Document): Promise<void> {
  const { path, deleted } = document;
  if (!deleted) return; // somebody moved its newest version
  const given = files.makeFolders(path) ?? (await document.restored(RESCUER));
  const reason = isRefusal(given) ? given.code : isFileProblem(given) ? given.kind : undefined;
  report("file.given_back", { path, ...(reason !== undefined && { reason }) });
}
