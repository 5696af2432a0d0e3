import type { ChangeRecord } from "../../store/store.ts";
import { countChars } from "../../text/positions.ts";
import type { Splice } from "../../text/splice.ts";

/** More code points than any text has. */
const ENDLESS = 2 ** 50;

/** A part of a text that one change inserted. */
export interface BlameRun {
  /** The length in code points. */
  readonly size: number;
  /** Undefined for text older than the history. */
  readonly change: ChangeRecord | undefined;
}

/**
 * Records which change inserted each character of a text. Consecutive edits are mostly close together, so the search
 * for each starts at the one before.
 */
export class Blame {
  readonly #runs: { size: number; change: ChangeRecord | undefined }[] = [];
  /** The run of the last edit and the position at which the run starts. */
  #cursor = { index: 0, from: 0 };

  /** Starts with a text that `first` inserted. Its length shows at the end, as that of the newest text is known. */
  constructor(first: ChangeRecord | undefined) {
    this.#runs.push({ size: ENDLESS, change: first });
  }

  /** Returns the runs of the text in their order; it has `chars` code points now. */
  runsOf(chars: number): readonly BlameRun[] {
    const runs: BlameRun[] = [];
    let left = chars;
    for (const { size, change } of this.#runs) {
      if (left === 0) break;
      runs.push({ size: Math.min(size, left), change });
      left -= Math.min(size, left);
    }
    return runs;
  }

  /** Applies the next change: `splices` of it, where the rest is applied already. */
  apply(change: ChangeRecord, splices = change.splices): void {
    for (const splice of splices.toReversed()) this.#splice(splice, change);
  }

  /** Names the entries of the history in which changes are now. */
  rename(entryOf: (change: ChangeRecord) => ChangeRecord | undefined): void {
    for (const run of this.#runs) run.change = run.change && (entryOf(run.change) ?? run.change);
  }

  #splice({ from, to, insert }: Splice, change: ChangeRecord): void {
    const start = this.#cut(from);
    const end = this.#cut(to);
    const size = countChars(insert);
    this.#runs.splice(start, end - start, ...(size > 0 ? [{ size, change }] : []));
    this.#cursor = { index: start, from };
  }

  /** Splits the runs at a position; returns the index of the run that starts there. */
  #cut(position: number): number {
    let { index, from } = this.#cursor;
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
    this.#cursor = { index, from };
    return index;
  }
}
