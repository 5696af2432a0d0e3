import type { Seq } from "../../src/store/store.ts";
import type { WorkspaceEvent } from "../../src/workspace/events/events.ts";
import { seqOf } from "../../src/workspace/versions/version.ts";
import type { Ledger } from "./ledger.ts";

/** What somebody knows who read the file at some moment: how often others had saved it, or been corrected, by then. */
export type Moment = number;

interface TakenOut {
  readonly mark: string;
  readonly author: string;
  /** Still owed: the author must be told, or the text given back (I6). */
  owed: boolean;
}

/**
 * What saves from old buffers took out of the file, and what the daemon must say of it. It owes nothing for a
 * return to an earlier version, nor to who saved, or was corrected, after those edits: they have seen them. A crash
 * may take what was about to be told, and a later save may hide the one before.
 */
export class StaleSaves {
  readonly #ledger: Ledger;
  #moment: Moment = 0;
  #taken: TakenOut[] = [];
  /** The change that gave something back, until the file holds it. */
  #rescued: Seq | undefined;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  get now(): Moment {
    return this.#moment;
  }

  /** Somebody saved the file, and what it held before was `before`. `earlier`: a return to an older version. */
  saved(before: string, text: string, read: Moment | undefined, earlier: boolean): void {
    const owed = read === this.#moment && !earlier;
    this.seen();
    for (const mark of this.#ledger.marksIn(before)) {
      if (text.includes(mark)) continue;
      const author = this.#ledger.takeOut(mark);
      this.#taken.push({ mark, author, owed });
    }
  }

  /** Nothing is owed for what happened so far, nor for what is saved from what was read by now. */
  seen(): void {
    for (const taken of this.#taken) taken.owed = false;
    this.#moment++;
  }

  hear(event: WorkspaceEvent): void {
    if (event.type !== "rescued" && event.type !== "superseded") return;
    if (event.type === "rescued") this.#rescued = seqOf(event.version);
    for (const taken of this.#taken) if (event.authors.includes(taken.author)) taken.owed = false;
  }

  /** What was given back is in the file by now, if the file holds that change: whoever reads it now has seen it. */
  landed(holds: (seq: Seq) => boolean): void {
    if (this.#rescued === undefined) return;
    this.#moment++;
    if (holds(this.#rescued)) this.#rescued = undefined;
  }

  problems(text: string): string[] {
    return this.#taken
      .filter(({ mark, owed }) => owed && !text.includes(mark))
      .map(({ mark, author }) => `${mark} of ${author} was taken out by a stale save, and nobody was told`);
  }
}
