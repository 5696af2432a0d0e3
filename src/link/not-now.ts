import { isRefusal, type Outcome, type Refusal } from "../workspace/outcome/refusal.ts";

/** The error for an item that the store or a file refuses for now. The machine applies the item later. */
export class NotNow extends Error {}

/** The codes of refusals that pass. */
const PASSING: ReadonlySet<string> = new Set([
  "STORAGE_FULL",
  "INTERNAL",
  "OVERLOADED",
  "MIRROR_BLOCKED",
  "ALREADY_EXISTS",
]);

/** Returns true for a refusal that may pass without a person; one of the system's rights does not. */
export function passes({ code, details }: Refusal): boolean {
  return PASSING.has(code) && details["problem"] !== "denied";
}

/** @throws NotNow for a refusal that may pass */
export function need<T>(outcome: Outcome<T>): T {
  if (isRefusal(outcome)) throw new NotNow(outcome.message);
  return outcome;
}
