import { type FailureReason, StructureFailure } from "../../structured/failure.ts";
import type { Edited } from "../../structured/set-field.ts";
import type { Text } from "../../text/text.ts";
import { type Outcome, Refusal, type RefusalCode } from "../outcome/refusal.ts";
import type { Plan } from "./plan.ts";

/** The refusal code for each reason why a structured edit fails. */
const CODES: Readonly<Record<FailureReason, RefusalCode>> = {
  invalid_document: "INVALID_ARGUMENT",
  no_such_field: "NO_MATCH",
  invalid_value: "INVALID_ARGUMENT",
  unknown_format: "INVALID_ARGUMENT",
  not_carried: "INVALID_ARGUMENT",
  too_large: "TOO_LARGE",
};

/** The cost of parsing a structured document, as a multiple of the cost of reading its text. */
const PARSE_COST = 8;

/** Returns the cost of parsing a structured document and of checking the edited one. */
export function structureCost(text: Text): number {
  return PARSE_COST * text.utf16;
}

/** Returns the plan of an edit of a structured document, or the refusal for its failure. */
export function structuredPlan(edited: Edited | StructureFailure): Outcome<Plan> {
  return edited instanceof StructureFailure ? structureRefusal(edited) : { splices: edited.splices };
}

/** Returns the refusal for a structured document that cannot be read or edited as requested. */
export function structureRefusal({ reason, message, line, ...failure }: StructureFailure): Refusal {
  const suggestion = failure.suggestion ?? (reason === "invalid_document" ? repairAt(line) : undefined);
  return new Refusal(CODES[reason], line === undefined ? message : `line ${line}: ${message}`, {
    ...(suggestion !== undefined && { suggestion }),
    details: { reason, ...(line !== undefined && { line }) },
  });
}

/** Returns the next step for a document that its format cannot read. */
function repairAt(line: number | undefined): string {
  const place = line === undefined ? "the document" : `line ${line}`;
  return `Read ${place} and repair it with edit.replace or edit.patch, then send the request again.`;
}
