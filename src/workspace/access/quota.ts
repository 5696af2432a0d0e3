import type { Bounds } from "../../work/bounds.ts";
import { Refusal } from "../outcome/refusal.ts";

/** How a refusal names what is counted, and what its holder does to have room again. */
export interface QuotaWords {
  /** In the plural. */
  readonly things: string;
  readonly advice: string;
}

interface Item {
  readonly holder: string;
  readonly bytes: number;
}

const NOTHING: Bounds = { count: 0, bytes: 0 };

/** Counts things of one kind and their bytes by who holds them, so that no holder takes another's room (I15). */
export class Quota {
  readonly #bounds: Bounds;
  readonly #words: QuotaWords;
  readonly #items = new Map<string, Item>();
  readonly #used = new Map<string, Bounds>();

  constructor(bounds: Bounds, words: QuotaWords) {
    this.#bounds = bounds;
    this.#words = words;
  }

  used(holder: string): Bounds {
    return this.#used.get(holder) ?? NOTHING;
  }

  /** True while a holder has more than the bounds, which only `count` can bring about. */
  isOver(holder: string): boolean {
    const { count, bytes } = this.used(holder);
    return count > this.#bounds.count || bytes > this.#bounds.bytes;
  }

  /** Counts a thing as its holder's, in place of the one with the same id; refused where the bounds do not allow it. */
  admit(holder: string, id: string, bytes: number): Refusal | undefined {
    const refusal = this.refusal(holder, id, bytes);
    if (refusal === undefined) this.count(holder, id, bytes);
    return refusal;
  }

  /** Counts a thing whatever the bounds are. */
  count(holder: string, id: string, bytes: number): void {
    this.release(id);
    this.#items.set(id, { holder, bytes });
    this.#add(holder, 1, bytes);
  }

  release(id: string): void {
    const item = this.#items.get(id);
    if (item === undefined) return;
    this.#items.delete(id);
    this.#add(item.holder, -1, -item.bytes);
  }

  /** Why a thing cannot be its holder's; undefined when it can. */
  refusal(holder: string, id: string, bytes: number): Refusal | undefined {
    const { things, advice } = this.#words;
    const [before, limit] = [this.#items.get(id), this.#bounds];
    const used = this.used(holder);
    const details = { count: used.count, bytes: used.bytes, limits: limit };
    if (bytes > limit.bytes)
      return new Refusal(
        "TOO_LARGE",
        `this takes ${bytes} bytes; all ${things} of a token may take ${limit.bytes}`,
        {
          suggestion: "Send less at once.",
          details,
        },
      );
    if (before === undefined && used.count >= limit.count)
      return new Refusal("OVERLOADED", `this token has ${used.count} ${things}, which is the limit`, {
        suggestion: advice,
        details,
      });
    const total = used.bytes - (before?.bytes ?? 0) + bytes;
    if (total > limit.bytes)
      return new Refusal(
        "OVERLOADED",
        `the ${things} of this token would take ${total} bytes; the limit is ${limit.bytes}`,
        { suggestion: advice, details },
      );
    return undefined;
  }

  #add(holder: string, count: number, bytes: number): void {
    const used = this.used(holder);
    const now = { count: used.count + count, bytes: used.bytes + bytes };
    if (now.count === 0) this.#used.delete(holder);
    else this.#used.set(holder, now);
  }
}
