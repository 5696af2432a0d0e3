import { type FailureReason, StructureFailure } from "../../structured/failure.ts";
import type { Edited } from "../../structured/set-field.ts";
import type { Text } from "../../text/text.ts";
import { type Outcome, Refusal, type RefusalCode } from "../outcome/refusal.ts";
import type { Plan } from "./plan.ts";

const CODES: Readonly<Record<FailureReason, RefusalCode>> = {
  invalid_document: "INVALID_ARGUMENT",
  no_such_field: "NO_MATCH",
  invalid_value: "INVALID_ARGUMENT",
  unknown_format: "INVALID_ARGUMENT",
  not_carried: "INVALID_ARGUMENT",
  too_large: "TOO_LARGE",
};

/** Times that parsing a structured document costs what reading its text does. */
const PARSING = 8;

/** The work of reading a structured document and of checking the edited one. */
export function structureCost(text: Text): number {
  return PARSING * text.utf16;
}

export function structuredPlan(edited: Edited | StructureFailure): Outcome<Plan> {
  return edited instanceof StructureFailure ? structureRefusal(edited) : { splices: edited.splices };
}

export function structureRefusal({ reason, message, line, suggestion }: StructureFailure): Refusal {
  return new Refusal(CODES[reason], line === undefined ? message : `line ${line}: ${message}`, {
    ...(suggestion !== undefined && { suggestion }),
    details: { reason, ...(line !== undefined && { line }) },
  });
}
