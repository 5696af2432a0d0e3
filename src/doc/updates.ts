import type { Overlap } from "../text/delta.ts";
import type { Splice } from "../text/splice.ts";
import type { Text } from "../text/text.ts";

/** Loro updates of one change, by the replica of their origin. They must be imported in the order disk, then memory. */
export interface Updates {
  readonly disk?: Uint8Array;
  readonly memory?: Uint8Array;
}

/** The effect of one change on memory, and the updates for other replicas. */
export interface Applied {
  /** The splices in positions of `before`. */
  readonly splices: readonly Splice[];
  readonly before: Text;
  readonly after: Text;
  readonly updates: Updates;
}

/** The result of importing an outside save. */
export interface TakenIn extends Applied {
  /**
   * Places where the save (`ours`) and changes that were not yet in the file (`theirs`) changed the same words, or words
   * beside each other.
   */
  readonly overlaps: readonly Overlap[];
}

/** A change as the journal stored it; `joined`: the update of a later change contains its operations. */
export interface JournaledChange {
  readonly seq: number;
  readonly updates: Updates & { readonly joined?: true };
}

/** Returns updates in the order in which they must be imported. */
export function inOrder({ disk, memory }: Updates): Uint8Array[] {
  return [disk, memory].filter((update) => update !== undefined);
}

/** Returns true for the updates of a change that memory made, also of one whose operations are in a later update. */
export function isOfMemory({ memory, joined }: JournaledChange["updates"]): boolean {
  return memory !== undefined || joined === true;
}
