import type { Bounds } from "../../work/bounds.ts";
import { Refusal } from "../outcome/refusal.ts";

/** The texts of a quota's refusals. */
interface QuotaTexts {
  /** The name of the things, in the plural. */
  readonly things: string;
  /** The steps by which a holder gets room again. */
  readonly advice: string;
}

interface Item {
  readonly holder: string;
  readonly bytes: number;
}

const NOTHING: Bounds = { count: 0, bytes: 0 };

/** Limits the number and the bytes of things of one kind for each holder, so that no holder uses another's room (I15). */
export class Quota {
  readonly #bounds: Bounds;
  readonly #texts: QuotaTexts;
  readonly #items = new Map<string, Item>();
  readonly #used = new Map<string, Bounds>();

  constructor(bounds: Bounds, texts: QuotaTexts) {
    this.#bounds = bounds;
    this.#texts = texts;
  }

  /** Returns the number and the bytes of a holder's things. */
  used(holder: string): Bounds {
    return this.#used.get(holder) ?? NOTHING;
  }

  /** True if a holder exceeds the bounds, which only `count` can cause. */
  isOver(holder: string): boolean {
    const { count, bytes } = this.used(holder);
    return count > this.#bounds.count || bytes > this.#bounds.bytes;
  }

  /** Counts a thing for its holder, in place of one with the same id, or refuses it if it exceeds the bounds. */
  admit(holder: string, id: string, bytes: number): Refusal | undefined {
    const refusal = this.refusal(holder, id, bytes);
    if (refusal === undefined) this.count(holder, id, bytes);
    return refusal;
  }

  /** Counts a thing even if it exceeds the bounds. */
  count(holder: string, id: string, bytes: number): void {
    this.release(id);
    this.#items.set(id, { holder, bytes });
    this.#add(holder, 1, bytes);
  }

  /** Stops counting a thing. */
  release(id: string): void {
    const item = this.#items.get(id);
    if (item === undefined) return;
    this.#items.delete(id);
    this.#add(item.holder, -1, -item.bytes);
  }

  /** Returns the refusal for a thing that would exceed its holder's bounds; undefined if it fits. */
  refusal(holder: string, id: string, bytes: number): Refusal | undefined {
    const { things, advice } = this.#texts;
    const [before, limit] = [this.#items.get(id), this.#bounds];
    const used = this.used(holder);
    const details = { count: used.count, bytes: used.bytes, limits: limit };
    if (bytes > limit.bytes)
      return new Refusal(
        "TOO_LARGE",
        `this request needs ${bytes} bytes; all ${things} of a token together may have ${limit.bytes}`,
        {
          suggestion: "Send a smaller request.",
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
        `the ${things} of this token would have ${total} bytes; the limit is ${limit.bytes}`,
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
