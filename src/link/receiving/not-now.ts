import { storeFailure } from "../../store/store.ts";
import type { Document } from "../../workspace/document/document.ts";
import { isRefusal, type Outcome } from "../../workspace/outcome/refusal.ts";

/** The error for an item that the store or a file refuses for now. The machine applies the item later. */
export class NotNow extends Error {}

/** The error for a document whose file is here, and which a rule of this machine leaves out by now. */
export class LeftOut extends Error {}

/** @throws NotNow for a refusal that may pass */
export function need<T>(outcome: Outcome<T>): T {
  if (isRefusal(outcome)) throw new NotNow(outcome.message);
  return outcome;
}

/** Resolves once the store has everything of some documents. @throws NotNow if it refused any of it */
export async function allKept(documents: Iterable<Document>): Promise<void> {
  const failures = await Promise.all(Array.from(documents, ({ durable }) => storeFailure(durable)));
  const failure = failures.find((one) => one !== undefined);
  if (failure !== undefined) throw new NotNow(failure.message);
}
