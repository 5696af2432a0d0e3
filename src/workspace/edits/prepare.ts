import type { ChangeRecord } from "../../store/store.ts";
import type { Splice } from "../../text/splice.ts";
import { MOST_INSERTED } from "../../work/bounds.ts";
import type { Document } from "../document/document.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { tooLargeRefusal } from "../outcome/refusals.ts";
import { versionOf } from "../versions/version.ts";
import type { EditRequest, Ready, RefusedEdit, Resolved } from "./request.ts";
import type { Resolver } from "./resolve.ts";

/** Resolves each edit against its document: all that can be made, or every reason why some cannot. */
export function prepare(
  opened: readonly Outcome<Document>[],
  requests: readonly EditRequest[],
  maxFileBytes: number,
  resolver: Resolver,
): { readonly ready: readonly Ready[] } | { readonly refused: readonly RefusedEdit[] } {
  const prepared = requests.map((request, i) => prepareOne(resolver, opened, request, i, maxFileBytes));
  const refused = prepared.flatMap((one, index) => (isRefusal(one) ? [{ index, refusal: one }] : []));
  return refused.length > 0
    ? { refused }
    : { ready: prepared.flatMap((one) => (isRefusal(one) ? [] : [one])) };
}

function prepareOne(
  resolver: Resolver,
  opened: readonly Outcome<Document>[],
  request: EditRequest,
  index: number,
  maxFileBytes: number,
): Outcome<Ready> {
  const document = opened[index]!;
  if (isRefusal(document)) return document;
  const twin = opened.findIndex((other) => !isRefusal(other) && sameFile(document, other));
  if (twin < index) return twinRefusal(request, document, twin);
  const found = resolver.resolve(document, request);
  if (isRefusal(found)) return found;
  const resolved = request.arbitrate?.(document, found) ?? found;
  if (isRefusal(resolved)) return resolved;
  const { conflicts, splices } = resolved;
  if (request.undoes !== undefined && conflicts.length > 0)
    return undoRefusal(document, request.undoes, resolved);
  if (splices.length === 0) return { document, request, resolved };
  const refused =
    readOnlyRefusal(document) ??
    insertRefusal(request, splices) ??
    sizeRefusal(document, splices, maxFileBytes);
  return refused ?? { document, request, resolved };
}

/** Two names of one file, also by a link or where case does not count. */
function sameFile(a: Document, b: Document): boolean {
  const [one, other] = [a.mirror.image, b.mirror.image];
  return a === b || (one !== undefined && one.ino === other?.ino && one.dev === other.dev);
}

function twinRefusal({ path }: EditRequest, document: Document, twin: number): Refusal {
  const name = path === document.path ? path : `${path} (which is ${document.path})`;
  return new Refusal("INVALID_ARGUMENT", `${name} is the same file as the one at ${twin}`, {
    suggestion: "Name each file once, with all of its changes.",
    details: { path: document.path, twin },
  });
}

function undoRefusal(document: Document, { id, seq }: ChangeRecord, { base, conflicts }: Resolved): Refusal {
  const lines = [...new Set(conflicts.map(({ ours }) => base.text.lineAt(ours.from)))];
  const before = document.versions.change(seq - 1);
  return new Refusal(
    "CONFLICT",
    `later edits changed what ${id} changed (lines ${lines.join(", ")} of its version); nothing was undone`,
    {
      suggestion:
        "Undo the later edits first, or restore the version before it with history.restore, which takes back all that came after, too.",
      details: {
        path: document.path,
        lines,
        ...(before && { restore: { path: document.path, version: versionOf(before) } }),
      },
    },
  );
}

/** A file that its owner made read-only is not written to, though its folder would let us replace it. */
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

/** What is put back was there before; all else is bounded, because nobody is answered while Loro takes it in (I14). */
function insertRefusal({ kind, undoes }: EditRequest, splices: readonly Splice[]): Refusal | undefined {
  if (undoes !== undefined || kind === "restore") return undefined;
  const inserted = splices.reduce((sum, { insert }) => sum + insert.length, 0);
  if (inserted <= MOST_INSERTED) return undefined;
  return new Refusal("TOO_LARGE", `the edit puts in ${inserted} characters; the limit is ${MOST_INSERTED}`, {
    suggestion: "Send it in several edits, or save the file itself.",
    details: { inserted, limit: MOST_INSERTED },
  });
}

function sizeRefusal({ text }: Document, splices: readonly Splice[], limit: number): Refusal | undefined {
  const grown = splices.reduce(
    (sum, s) => sum + Buffer.byteLength(s.insert) - Buffer.byteLength(text.slice(s.from, s.to)),
    text.bytes,
  );
  if (grown <= limit || grown <= text.bytes) return undefined;
  return tooLargeRefusal(grown, limit);
}
