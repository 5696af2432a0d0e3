import type { ChangeRecord } from "../../store/store.ts";
import { countsOf, type Splice } from "../../text/splice.ts";
import type { Document } from "../document/document.ts";
import { digestNow } from "../versions/digest.ts";
import { versionOf } from "../versions/version.ts";
import type { EditAnswer, EditResult, ResolvedEdit } from "./request.ts";

/** Returns the part of an edit's answer that is known before the commit; without a change nothing is left to do. */
export function answerOf(edit: ResolvedEdit, change: ChangeRecord | undefined): EditAnswer {
  const { document, request, resolved } = edit;
  const { merged, conflicts, splices, plan } = resolved;
  return {
    changeId: change?.id ?? null,
    path: document.path,
    version: change === undefined ? document.version : versionOf(change),
    summary:
      change === undefined
        ? `nothing to change (${request.kind}, version=${document.version})`
        : summaryOf({ kind: request.kind, path: document.path, merged, applied: plan.applied }, change),
    splices,
    durable: true,
    merged,
    conflicts,
    baseVersion: resolved.base.version,
    ...(plan.applied && { applied: plan.applied }),
  };
}

/** Returns the result of an edit that changes nothing, or nothing yet. */
export function unchangedResult(edit: ResolvedEdit): EditResult {
  const { document, resolved } = edit;
  return {
    ...answerOf(edit, undefined),
    splices: [],
    mirrored: document.pendingWrites === 0,
    sha256: digestNow(document.content) ?? null,
    before: document.text,
    base: resolved.base.text,
  };
}

/** Returns the result of a change of a document's file, which leaves its text as it is. */
export function fileResult(document: Document, changeId: string, summary: string): EditResult {
  const { path, version, text, content, pendingWrites } = document;
  return {
    changeId,
    path,
    version,
    sha256: digestNow(content) ?? null,
    summary,
    splices: [],
    durable: true,
    mirrored: pendingWrites === 0,
    merged: false,
    conflicts: [],
    before: text,
    base: text,
  };
}

/** Returns the numbers of characters that splices add and remove, as `+3 -2`. */
export function sizeOf(splices: readonly Splice[]): string {
  const { added, removed } = countsOf(splices);
  return [added > 0 ? `+${added}` : "", removed > 0 ? `-${removed}` : ""].filter(Boolean).join(" ");
}

/** The facts of an edit that its summary contains beside its change. */
interface Told {
  readonly kind: string;
  readonly path: string;
  readonly merged?: boolean | undefined;
  readonly applied?: EditAnswer["applied"];
}

/** Returns the sentence about a made change. */
export function summaryOf({ kind, path, merged, applied }: Told, change: ChangeRecord): string {
  const hunks = applied === undefined ? "" : `Applied ${applied.hunks} hunks to '${path}'; `;
  return `${hunks}applied: ${sizeOf(change.splices)} chars (${kind}, version=${versionOf(change)}${merged ? ", merged" : ""})`;
}
