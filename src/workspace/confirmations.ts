import type { Document } from "./document.ts";
import type { Plan } from "./edits/plan.ts";
import { Refusal } from "./refusal.ts";

interface Shown {
  readonly docId: string;
  readonly seq: number;
  readonly splices: string;
}

/** How many shown edits are remembered; the oldest go first (I15). */
const KEPT = 500;

/** Edits that were shown instead of made, until they are confirmed. */
export class Confirmations {
  readonly #newId: (prefix: string) => string;
  readonly #shown = new Map<string, Shown>();

  constructor(newId: (prefix: string) => string) {
    this.#newId = newId;
  }

  /** Why an edit may not be made yet; undefined when it may. What is confirmed is what was shown. */
  check(document: Document, request: { confirm?: string | undefined }, plan: Plan): Refusal | undefined {
    if (plan.confirm === undefined) return undefined;
    const now: Shown = {
      docId: document.id,
      seq: document.head.seq,
      splices: JSON.stringify(plan.splices),
    };
    if (request.confirm === undefined) {
      const id = this.#remember(now);
      return new Refusal("CONFIRMATION_REQUIRED", `not applied yet: ${plan.confirm}`, {
        suggestion:
          "Check that the place is right, then send the same edit with confirm set to the patch_id.",
        details: {
          patch_id: id,
          reason: plan.confirm,
          applied: plan.applied,
          hunks: plan.doubts,
          splices: plan.splices,
        },
      });
    }
    const shown = this.#shown.get(request.confirm);
    if (
      shown !== undefined &&
      shown.docId === now.docId &&
      shown.seq === now.seq &&
      shown.splices === now.splices
    ) {
      this.#shown.delete(request.confirm);
      return undefined;
    }
    return new Refusal("CONFLICT", "the document or the edit is not what was shown", {
      suggestion: "Send the edit without confirm to see it again.",
      details: { status: 409, version: document.version },
    });
  }

  #remember(shown: Shown): string {
    const id = this.#newId("patch");
    this.#shown.set(id, shown);
    for (const oldest of this.#shown.keys()) {
      if (this.#shown.size <= KEPT) break;
      this.#shown.delete(oldest);
    }
    return id;
  }
}
