import { adoptEol } from "../../text/lines.ts";
import { safeCut } from "../../text/positions.ts";
import { type Outcome, Refusal } from "../outcome/refusal.ts";
import { planPatch } from "../planners/patch.ts";
import type { PatchTarget } from "../planners/patch-target.ts";
import type { Planner } from "../planners/plan.ts";
import { planReplace } from "../planners/replace.ts";
import { planWrite } from "../planners/whole.ts";
import type { EditOperation } from "./proposal.ts";

/** An operation to propose, as a client asks for it. */
export interface ProposedOperation {
  readonly operation: EditOperation;
  readonly oldContent?: string | undefined;
  readonly proposedValue?: string | undefined;
  readonly patch?: string | undefined;
}

/** The most characters of an expected text that a refusal shows. */
const SHOWN = 50;

type Field = "oldContent" | "proposedValue" | "patch";
const FIELDS: readonly Field[] = ["oldContent", "proposedValue", "patch"];
/** The names of the fields in refusals, which clients know. */
const NAMES: Record<Field, string> = {
  oldContent: "old_content",
  proposedValue: "proposed_value",
  patch: "patch",
};
const NEEDED: Record<EditOperation, readonly Field[]> = {
  append: ["proposedValue"],
  replace: ["oldContent", "proposedValue"],
  full_replace: ["proposedValue"],
  patch: ["patch"],
};

/**
 * Returns the planner of a proposal's edit; refuses an operation that lacks a field, or has one too many. `own` is true
 * when the proposal names the version that it was made from.
 */
export function planProposal(wish: ProposedOperation, own: boolean, target: PatchTarget): Outcome<Planner> {
  const { operation, oldContent = "", proposedValue = "", patch = "" } = wish;
  if (operation === "replace" && oldContent === "")
    return new Refusal("INVALID_ARGUMENT", "no old content specified: replace needs old_content", {
      suggestion: "Give in old_content the text to replace, exactly as in the document.",
    });
  const needed = NEEDED[operation];
  const wrong = FIELDS.find((field) => (wish[field] !== undefined) !== needed.includes(field));
  if (wrong !== undefined)
    return new Refusal(
      "INVALID_ARGUMENT",
      needed.includes(wrong)
        ? `${operation} needs ${NAMES[wrong]}`
        : `${NAMES[wrong]} does not go with ${operation}`,
      { suggestion: `Give ${needed.map((field) => NAMES[field]).join(" and ")} with ${operation}.` },
    );
  switch (operation) {
    case "append":
      return planAppendLines(proposedValue);
    case "replace":
      return planSnippet(oldContent, proposedValue);
    case "full_replace":
      return planWrite(proposedValue);
    case "patch":
      return planPatch(patch, "strict", own, target);
  }
}

/** Plans whole lines at the end, so that several appended side by side do not run together; the final newline stays. */
function planAppendLines(added: string): Planner {
  return ({ text, eol }) => {
    if (added === "") return { splices: [] };
    const ending = eol === "crlf" ? "\r\n" : "\n";
    const body = adoptEol(added, eol).replace(/\r?\n$/, "");
    const insert = text.chars === 0 || text.endsWithBreak ? body + ending : ending + body;
    return { splices: [{ from: text.chars, to: text.chars, insert }] };
  };
}

/** Plans the replacement of the first occurrence. */
function planSnippet(old: string, updated: string): Planner {
  const plan = planReplace(old, updated, "first");
  return (base) => {
    const planned = plan(base);
    if (!(planned instanceof Refusal) || planned.code !== "NO_MATCH") return planned;
    const { message, suggestion, details } = planned;
    return new Refusal(
      "NO_MATCH",
      `old content not found: expected ${quoted(old)}; the document may have changed since (${message})`,
      { ...(suggestion !== undefined && { suggestion }), details },
    );
  };
}

/** Returns the beginning of a text, quoted. */
export function quoted(text: string): string {
  return JSON.stringify(text.length <= SHOWN ? text : `${text.slice(0, safeCut(text, SHOWN))}...`);
}
