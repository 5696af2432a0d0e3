/** Updates that the file contains and the disk replica has not imported yet, oldest first. */
export class Landed {
  #updates: Uint8Array[] = [];
  #bytes = 0;

  get size(): number {
    return this.#updates.length;
  }

  /** The size of all updates in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  add(updates: readonly Uint8Array[]): void {
    for (const update of updates) {
      this.#updates.push(update);
      this.#bytes += update.length;
    }
  }

  /** Removes all updates and returns them. */
  take(): readonly Uint8Array[] {
    const updates = this.#updates;
    this.#updates = [];
    this.#bytes = 0;
    return updates;
  }
}
