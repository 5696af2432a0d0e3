import * as z from "zod";
import { keySizeAtMost } from "../../store/lmdb/record-key.ts";
import type { Vector } from "../base/vector.ts";

export const bytes = z.instanceof(Uint8Array);
export const count = z.int().min(0);

/** The largest key of a store that a name of another machine makes by itself; some keys have an id beside it. Bytes. */
const MOST_KEY_BYTES = 1_750;

/**
 * Returns true for a name that every store can have as a key. This machine would try to apply a message with a longer one
 * for ever.
 */
export function fitsStore(name: string): boolean {
  return keySizeAtMost(name) <= MOST_KEY_BYTES;
}

/** More machines than a vector of this workspace can name. */
const MOST_ENTRIES = 10_000;

/**
 * Returns a schema for a list, which fails at the first element with a defect: an issue for each element of a long list
 * would fill the memory (I14a).
 */
export function listOf<T>(element: z.ZodType<T>, least = 0) {
  return z.unknown().transform((value, context): T[] => {
    const found: T[] = [];
    const values: readonly unknown[] = Array.isArray(value) ? value : [];
    for (const one of values) {
      const parsed = element.safeParse(one);
      if (!parsed.success) {
        const { path, message } = parsed.error.issues[0]!;
        context.addIssue({ code: "custom", message, path: [found.length, ...path] });
        return z.NEVER;
      }
      found.push(parsed.data);
    }
    if (Array.isArray(value) && found.length >= least) return found;
    context.addIssue({ code: "custom", message: `must be a list of at least ${least}` });
    return z.NEVER;
  });
}

/** The schema of a vector; no name in it is that of a property which every object has. */
export const vectorSchema = z.unknown().transform((value, context): Vector => {
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : undefined;
  const isSound = ([machine, number]: readonly [string, unknown]) =>
    /^[\w-]{1,64}$/.test(machine) && !(machine in {}) && Number.isSafeInteger(number) && Number(number) >= 0;
  if (entries !== undefined && entries.length <= MOST_ENTRIES && entries.every(isSound))
    return Object.fromEntries(entries) as Vector;
  context.addIssue({ code: "custom", message: "must be the number of the newest message of each machine" });
  return z.NEVER;
});
