import type { Seq } from "../../src/store/store.ts";
import type { WorkspaceEvent } from "../../src/workspace/events/events.ts";
import { seqOf } from "../../src/workspace/versions/version.ts";
import type { Ledger } from "./ledger.ts";

/** The knowledge of a person who read the file at a moment: how often others had saved it, or been corrected, by then. */
export type Moment = number;

/** The people who save the file. The daemon owes no report for what one of them wrote. */
const SAVERS = new Set(["person", "window"]);

interface TakenOut {
  readonly mark: string;
  readonly author: string;
  /** True while the daemon must report the loss to the author, or restore the text (I6). */
  owed: boolean;
}

/**
 * The edits that stale saves deleted from the file, and the reports that the daemon owes for them. It owes none for
 * a save by an author who saved, or was corrected, after those edits. A crash may
 * lose a report, and a later save may hide an earlier one.
 */
export class StaleSaves {
  readonly #ledger: Ledger;
  #moment: Moment = 0;
  #taken: TakenOut[] = [];
  /** The change that restored edits, until the file contains it. */
  #rescued: Seq | undefined;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  get now(): Moment {
    return this.#moment;
  }

  /** Notes a save of the file, whose content was `before`. */
  saved(before: string, text: string, read: Moment | undefined): void {
    const owed = read === this.#moment;
    this.seen();
    for (const mark of this.#ledger.marksIn(before)) {
      if (text.includes(mark)) continue;
      const author = this.#ledger.takeOut(mark);
      this.#taken.push({ mark, author, owed: owed && !SAVERS.has(author) });
    }
  }

  /** Cancels every report owed so far, and for saves of buffers read until now. */
  seen(): void {
    for (const taken of this.#taken) taken.owed = false;
    this.#moment++;
  }

  hear(event: WorkspaceEvent): void {
    if (event.type !== "rescued" && event.type !== "superseded") return;
    if (event.type === "rescued") this.#rescued = seqOf(event.version);
    for (const taken of this.#taken) if (event.authors.includes(taken.author)) taken.owed = false;
  }

  /** Notes that the file contains the restored edits, if it contains their change: each later reader has seen them. */
  landed(holds: (seq: Seq) => boolean): void {
    if (this.#rescued === undefined) return;
    this.#moment++;
    if (holds(this.#rescued)) this.#rescued = undefined;
  }

  problems(text: string): string[] {
    return this.#taken
      .filter(({ mark, owed }) => owed && !text.includes(mark) && !this.#ledger.isWithdrawn(mark))
      .map(({ mark, author }) => `${mark} of ${author} was taken out by a stale save, and nobody was told`);
  }
}
