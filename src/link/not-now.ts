import { isRefusal, type Outcome } from "../workspace/outcome/refusal.ts";

/** The error for an item that the store or a file refuses for now. The machine applies the item later. */
export class NotNow extends Error {}

/** @throws NotNow for a refusal that may pass */
export function need<T>(outcome: Outcome<T>): T {
  if (isRefusal(outcome)) throw new NotNow(outcome.message);
  return outcome;
}
