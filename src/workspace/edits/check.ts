import { type ChangeRecord, firstSeqOf } from "../../store/store.ts";
import type { Splice } from "../../text/splice.ts";
import { MOST_INSERTED } from "../../work/bounds.ts";
import type { Document } from "../document/document.ts";
import { deletedRefusal } from "../folder/opener.ts";
import { Refusal } from "../outcome/refusal.ts";
import { tooLargeRefusal } from "../outcome/refusals.ts";
import { versionOf } from "../versions/version.ts";
import type { EditRequest, Resolved, ResolvedEdit } from "./request.ts";

/** Returns why a resolved edit cannot be made; undefined when it can. */
export function checkEdit(
  { document, request, resolved }: ResolvedEdit,
  maxFileBytes: number,
): Refusal | undefined {
  const { merge, splices } = resolved;
  // A deletion may have waited for the same write of the store as the opening.
  if (document.deleted) return deletedRefusal(document);
  if (request.undoes !== undefined) {
    if (isUndone(document, request.undoes)) return undoneRefusal(request.undoes.id);
    if (merge.overlaps.length > 0) return undoRefusal(document, request.undoes, resolved);
  }
  if (splices.length === 0) return undefined;
  return (
    readOnlyRefusal(document) ??
    insertRefusal(request, splices) ??
    sizeRefusal(document, splices, maxFileBytes)
  );
}

/** Returns true for two names of one file, also through a link or where the file system ignores case. */
export function isSameFile(a: Document, b: Document): boolean {
  const [one, other] = [a.mirror.image, b.mirror.image];
  return a === b || (one !== undefined && one.ino === other?.ino && one.dev === other.dev);
}

/** The refusal of an edit whose file an earlier edit of the same request names, at index `twin`. */
export function twinRefusal({ path }: EditRequest, document: Document, twin: number): Refusal {
  const name = path === document.path ? path : `${path} (which is ${document.path})`;
  return new Refusal("INVALID_ARGUMENT", `${name} is the same file as the one at ${twin}`, {
    suggestion: "Name each file once, with all of its changes.",
    details: { path: document.path, twin },
  });
}

/** Returns true for a change that a later one undid, and that no other one made again. */
function isUndone({ head, versions }: Document, { id, seq }: ChangeRecord): boolean {
  const undone = new Set<string>();
  for (let at = head.seq; at > seq; ) {
    const change = versions.entry(at);
    if (change?.undoes !== undefined && !undone.has(change.id))
      for (const one of [change.undoes, ...(change.alsoUndoes ?? [])]) undone.add(one);
    at = change === undefined ? seq : firstSeqOf(change) - 1;
  }
  return undone.has(id);
}

/** The refusal of an undo of a change that is undone. */
export function undoneRefusal(changeId: string): Refusal {
  return new Refusal("CONFLICT", `${changeId} was undone already; nothing was changed`, {
    suggestion: "redo makes it again.",
  });
}

function undoRefusal(document: Document, { id, seq }: ChangeRecord, { base, merge }: Resolved): Refusal {
  const lines = [...new Set(merge.overlaps.map(({ ours }) => base.text.lineAt(ours.from)))];
  const before = document.versions.change(seq - 1);
  return new Refusal(
    "CONFLICT",
    `later edits changed the text of ${id} (lines ${lines.join(", ")} of its version); nothing was undone`,
    {
      suggestion:
        "Undo the later edits first, or restore the version before it with history.restore, which removes all later edits, too.",
      details: {
        path: document.path,
        lines,
        ...(before && { restore: { path: document.path, version: versionOf(before) } }),
      },
    },
  );
}

/** Refuses edits of a file that its owner made read-only, though the folder would let the daemon replace it. */
export function readOnlyRefusal(document: Document): Refusal | undefined {
  const mode = document.mirror.image?.mode;
  if (mode === undefined || (mode & 0o222) !== 0) return undefined;
  return new Refusal(
    "PERMISSION_DENIED",
    `${document.path} is read-only on disk (mode ${mode.toString(8)})`,
    {
      suggestion: "Ask the person to make it writable (chmod u+w).",
    },
  );
}

/**
 * Bounds the insertion of an edit, because Loro imports it in one turn (I14). Undone and restored text was there
 * before.
 */
function insertRefusal({ kind, undoes }: EditRequest, splices: readonly Splice[]): Refusal | undefined {
  if (undoes !== undefined || kind === "restore") return undefined;
  const inserted = splices.reduce((sum, { insert }) => sum + insert.length, 0);
  if (inserted <= MOST_INSERTED) return undefined;
  return new Refusal("TOO_LARGE", `the edit inserts ${inserted} characters; the limit is ${MOST_INSERTED}`, {
    suggestion: "Send it in several edits, or save the file itself.",
    details: { inserted, limit: MOST_INSERTED },
  });
}

function sizeRefusal({ text }: Document, splices: readonly Splice[], limit: number): Refusal | undefined {
  const removed = text.removed(splices);
  const grown = splices.reduce(
    (sum, { insert }, i) => sum + Buffer.byteLength(insert) - Buffer.byteLength(removed[i]!),
    text.bytes,
  );
  if (grown <= limit || grown <= text.bytes) return undefined;
  return tooLargeRefusal(grown, limit);
}
