import { createHash } from "node:crypto";
import type { Splice } from "../../text/splice.ts";
import { Refusal } from "../outcome/refusal.ts";
import type { Choice } from "./choice.ts";
import { quoted } from "./plan.ts";
import type { Part } from "./proposal.ts";

/** The share of a document that an approval may drop without a question, if it replaces the document by a part of it. */
const MOST_DROPPED = 1 / 4;
/** The share of a document from which a snippet is treated as the document. */
const NEARLY_ALL = 3 / 4;

/** A document to which a proposal is to be applied. */
interface Target {
  readonly path: string;
  readonly version: string;
  readonly text: { readonly chars: number; slice(from: number, to: number): string };
}

/**
 * Asks before an approval that replaces the document, or nearly all of it, by a part of it. A proposal of a whole old
 * file means only its changes, but would delete the rest (S0.13). `confirm` is the `patch_id` of that question.
 */
export function refuseShrinking(
  { id, part }: { readonly id: string; readonly part: Part },
  { path, version, text }: Target,
  { chosen }: Choice,
  confirm: string | undefined,
): Refusal | undefined {
  const { operation, currentValue, proposedValue } = part;
  if (operation !== "replace" && operation !== "full_replace") return undefined;
  const kept = proposedValue.trim();
  if (!currentValue.includes(kept) || currentValue.length < NEARLY_ALL * text.chars) return undefined;
  const dropped = chosen.reduce((sum, { from, to, insert }) => sum + to - from - insert.length, 0);
  if (dropped <= MOST_DROPPED * text.chars) return undefined;
  const patchId = `approve_${createHash("sha256")
    .update(JSON.stringify([id, version, chosen]))
    .digest("hex")
    .slice(0, 32)}`;
  if (confirm === patchId) return undefined;
  const gone = removedOf(text, chosen);
  return new Refusal(
    "CONFIRMATION_REQUIRED",
    `approving ${id} would remove ${dropped} of the ${text.chars} characters of ${path}, beginning with ${quoted(gone)}`,
    {
      suggestion: `To remove them, approve again with confirm: "${patchId}". Otherwise reject the proposal.`,
      details: { patchId, path, version, dropped, removes: gone.slice(0, MOST_SHOWN) },
    },
  );
}

/** The most UTF-16 units of removed text that a question shows. */
const MOST_SHOWN = 2_000;

function removedOf(text: Target["text"], splices: readonly Splice[]): string {
  let removed = "";
  for (const { from, to } of splices) {
    if (removed.length > MOST_SHOWN) break;
    removed += text.slice(from, Math.min(to, from + MOST_SHOWN));
  }
  return removed.toWellFormed();
}
