import type { Rights } from "../access/rights.ts";
import { decide } from "../conflicts/decide.ts";
import { isRefusal, type Outcome } from "../outcome/refusal.ts";
import { checkEdit, isSameFile, twinRefusal } from "./check.ts";
import type { OpenedEdits } from "./open.ts";
import type { EditRequest, RefusedEdits, ResolvedEdit } from "./request.ts";

export interface PrepareOptions {
  readonly maxFileBytes: number;
  /** Rights whose conflict policy decides where a save changed the same words; without them both texts stay. */
  readonly policy?: Pick<Rights, "conflict"> | undefined;
}

/** Resolves, decides and checks each edit of its document: all of them, or every reason why some cannot be made. */
export function prepareEdits(
  opened: OpenedEdits,
  options: PrepareOptions,
): RefusedEdits | { readonly edits: readonly ResolvedEdit[] } {
  const prepared = opened.requests.map((request, i) => prepareEdit(opened, request, i, options));
  const refused = prepared.flatMap((one, index) => (isRefusal(one) ? [{ index, refusal: one }] : []));
  if (refused.length > 0) return { refused };
  return { edits: prepared.flatMap((one) => (isRefusal(one) ? [] : [one])) };
}

function prepareEdit(
  { documents, resolver }: OpenedEdits,
  request: EditRequest,
  index: number,
  { maxFileBytes, policy }: PrepareOptions,
): Outcome<ResolvedEdit> {
  const document = documents[index]!;
  if (isRefusal(document)) return document;
  const twin = documents.findIndex((other) => !isRefusal(other) && isSameFile(document, other));
  if (twin < index) return twinRefusal(request, document, twin);
  const resolved = resolver.resolve(document, request);
  if (isRefusal(resolved)) return resolved;
  const decision = decide(policy?.conflict(document.path) ?? "merge", document, resolved);
  if (isRefusal(decision)) return decision;
  const { splices, losing } = decision;
  const edit = { document, request, resolved: { ...resolved, splices }, ...(losing && { losing }) };
  return checkEdit(edit, maxFileBytes) ?? edit;
}
