import type { ChangeRecord } from "../../store/store.ts";
import { countChars } from "../../text/positions.ts";
import type { Splice } from "../../text/splice.ts";

/** A stretch of a text that one change put there. */
export interface BlameRun {
  /** In code points. */
  readonly size: number;
  /** Undefined for what was there before the history that is kept. */
  readonly change: ChangeRecord | undefined;
}

/**
 * Tells which change put each character of a text there. Edits are mostly near one another, so each is looked
 * for from where the one before was.
 */
export class Blame {
  readonly #runs: { size: number; change: ChangeRecord | undefined }[] = [];
  /** A run and the position at which it starts. */
  #at = { index: 0, from: 0 };

  /** A text of so many code points, all put there by `first`. */
  constructor(first: ChangeRecord | undefined, chars: number) {
    if (chars > 0) this.#runs.push({ size: chars, change: first });
  }

  get runs(): readonly BlameRun[] {
    return this.#runs;
  }

  /** The next change; its splices are in the positions of the text before it. */
  apply(change: ChangeRecord): void {
    for (const splice of change.splices.toReversed()) this.#splice(splice, change);
  }

  #splice({ from, to, insert }: Splice, change: ChangeRecord): void {
    const start = this.#cut(from);
    const end = this.#cut(to);
    const size = countChars(insert);
    this.#runs.splice(start, end - start, ...(size > 0 ? [{ size, change }] : []));
    this.#at = { index: start, from };
  }

  /** Makes a run begin at a position and answers its index. */
  #cut(position: number): number {
    let { index, from } = this.#at;
    while (index > 0 && from > position) from -= this.#runs[--index]!.size;
    while (index < this.#runs.length && from + this.#runs[index]!.size <= position)
      from += this.#runs[index++]!.size;
    if (from < position) {
      const run = this.#runs[index]!;
      this.#runs.splice(
        index,
        1,
        { ...run, size: position - from },
        { ...run, size: from + run.size - position },
      );
      from = position;
      index++;
    }
    this.#at = { index, from };
    return index;
  }
}
