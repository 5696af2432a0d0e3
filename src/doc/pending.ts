import type { Text } from "../text/text.ts";

interface PendingChange {
  /** Undefined for a change whose operations are in a later update. */
  readonly update: Uint8Array | undefined;
  /** Memory's text when this was the newest pending change. */
  readonly after: Text;
}

/** Memory's changes that the file does not contain yet, oldest first. */
export class Pending {
  #changes: PendingChange[] = [];

  get size(): number {
    return this.#changes.length;
  }

  add(update: Uint8Array | undefined, after: Text): void {
    this.#changes.push({ update, after });
  }

  /** Sets the update of the newest change, which has the operations of those before it that have none. */
  complete(update: Uint8Array): void {
    this.#changes.push({ ...this.#changes.pop()!, update });
  }

  /** Notes that memory has another text since the newest change, which lands with it. */
  amend(after: Text): void {
    this.#changes.push({ ...this.#changes.pop()!, after });
  }

  /**
   * Removes the oldest `count` changes, which the file contains now. Returns their updates, and the file's text. @throws
   * for changes of which only a part of an update would land
   */
  land(count: number): { readonly updates: readonly Uint8Array[]; readonly after: Text } {
    const newest = this.#changes[count - 1];
    if (newest === undefined) throw new RangeError(`${count} changes are not pending`);
    if (newest.update === undefined) throw new Error("the file contains a part of joined edits");
    const landed = this.#changes.splice(0, count);
    return { updates: landed.flatMap(({ update }) => update ?? []), after: newest.after };
  }
}
