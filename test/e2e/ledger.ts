/** The violations of the promise in a text. */
export interface Audit {
  /** Acknowledged edits that the text lacks. */
  readonly lost: readonly string[];
  /** Edits that the text contains more than once, acknowledged or not. */
  readonly doubled: readonly string[];
}

/**
 * The ledger rule. Outside the daemon, clients note an edit once it is acknowledged, and editors a version once it is
 * fully saved. Afterwards the text contains each noted edit exactly once. Each edit carries a marker of its own, so
 * that it is found again in the text.
 */
export class Ledger {
  readonly #issued = new Set<string>();
  readonly #noted = new Set<string>();
  #next = 0;

  /** Returns a new marker, such as `«ann:17»`. */
  marker(author: string): string {
    const marker = `«${author}:${this.#next++}»`;
    this.#issued.add(marker);
    return marker;
  }

  /** Notes that the edit with the marker was acknowledged or saved. */
  note(marker: string): void {
    if (!this.#issued.has(marker)) throw new RangeError(`${marker} was never issued`);
    this.#noted.add(marker);
  }

  /** Returns a copy, which later notes do not change. */
  copy(): Ledger {
    const copy = new Ledger();
    for (const marker of this.#issued) copy.#issued.add(marker);
    for (const marker of this.#noted) copy.#noted.add(marker);
    return copy;
  }

  get size(): number {
    return this.#noted.size;
  }

  notedBy(author: string): number {
    return [...this.#noted].filter((marker) => marker.startsWith(`«${author}:`)).length;
  }

  audit(text: string): Audit {
    const found = new Map<string, number>();
    for (const [marker] of text.matchAll(/«\w+:\d+»/g)) found.set(marker, (found.get(marker) ?? 0) + 1);
    return {
      lost: [...this.#noted].filter((marker) => !found.has(marker)),
      doubled: [...found].filter(([, times]) => times > 1).map(([marker]) => marker),
    };
  }
}

export const NOTHING_AMISS: Audit = { lost: [], doubled: [] };
