import type { Overlap } from "../../src/text/delta.ts";
import type { Text } from "../../src/text/text.ts";
import type { Seeded } from "../helpers/seeded.ts";

/**
 * The fate of an edit, as its author knows it. `open`: no answer yet, or none will come. `kept`: acknowledged (an
 * agent's), or fully saved (a person's). `refused`: answered that nothing was changed.
 */
type Fate = "open" | "kept" | "refused";

interface Entry {
  readonly who: string;
  fate: Fate;
  /** True when an author who had not seen the mark deleted it from the file, or left it behind: the history has it. */
  takenOut?: true;
  /** True when an agent asked to undo the edit: nobody owes a report of its loss. */
  withdrawn?: true;
}

/** People, whose editors do not know of each other: one overwrites the other's save. */
const PEOPLE = ["person", "window"];

/** The characters for marks: letters of several scripts, and some beyond the first plane. */
const PLANES = [0x4e00, 0xac00, 0x1f300, 0x20000];
/** More marks than any run makes. */
const MOST = 0x300;

export function isMark(character: string): boolean {
  const point = character.codePointAt(0)!;
  return PLANES.some((plane) => point >= plane && point < plane + MOST);
}

/**
 * The ledger outside the daemon. Every edit writes a mark of its own, a character that is nowhere else. So no later
 * edit can cut it in two, and the ledger can count it.
 */
export class Ledger {
  readonly #entries = new Map<string, Entry>();
  readonly #contested = new Set<string>();
  #next = 0;

  /** Returns a new mark, for an edit without an answer yet. */
  open(who: string, random: Seeded): string {
    const mark = String.fromCodePoint(random.pick(PLANES) + this.#next++);
    this.#entries.set(mark, { who, fate: "open" });
    return mark;
  }

  close(mark: string, fate: Fate): void {
    const entry = this.#entries.get(mark);
    if (entry !== undefined) entry.fate = fate;
  }

  /**
   * Notes a reported conflict: two authors replaced the same words. Both texts stay, so a mark among those
   * characters may be there twice, when both authors left it in their text. So may a mark that was taken out and that
   * both sides brought back: a rescue, and a person who returned to an earlier version.
   */
  contest(base: Text, { ours, theirs }: Overlap): void {
    const replaced = [base.slice(ours.from, ours.to), base.slice(theirs.from, theirs.to)];
    const inserted = [ours.insert, theirs.insert];
    for (const [mark, { takenOut }] of this.#entries) {
      const has = (text: string) => text.includes(mark);
      if (replaced.every(has) || (takenOut && inserted.every(has))) this.#contested.add(mark);
    }
  }

  /** Notes that a mark was deleted from the file; returns its author. */
  takeOut(mark: string): string {
    const entry = this.#entries.get(mark)!;
    if (PEOPLE.includes(entry.who)) entry.fate = "open";
    else entry.takenOut = true;
    return entry.who;
  }

  /** Notes that an agent asks to undo the edit of a mark. */
  withdraw(mark: string): void {
    const entry = this.#entries.get(mark)!;
    entry.takenOut = true;
    entry.withdrawn = true;
  }

  isWithdrawn(mark: string): boolean {
    return this.#entries.get(mark)!.withdrawn ?? false;
  }

  /** Notes that agents' marks were in a file that belongs to another document now. */
  leaveBehind(): void {
    for (const entry of this.#entries.values()) if (!PEOPLE.includes(entry.who)) entry.takenOut = true;
  }

  /** Notes that every mark that a file lacks may stay in the history of the document that the file was before. */
  takeOutAllBut(text: string): void {
    for (const [mark, entry] of this.#entries) if (!text.includes(mark)) entry.takenOut = true;
  }

  marksIn(text: string): string[] {
    return Array.from(text).filter((c) => this.#entries.has(c));
  }

  /** Returns the agents' marks in a text. */
  agentsIn(text: string): string[] {
    return this.marksIn(text).filter((c) => !PEOPLE.includes(this.#entries.get(c)!.who));
  }

  get size(): number {
    return this.#entries.size;
  }

  /**
   * Returns how a text breaks the promise. Each kept mark must be there once, or in the history (all text that was ever
   * inserted) if it was deleted. No refused mark may be there, and no mark twice.
   */
  problems(text: string, history: string): string[] {
    const counts = new Map<string, number>();
    for (const c of Array.from(text)) if (this.#entries.has(c)) counts.set(c, (counts.get(c) ?? 0) + 1);
    return [...this.#entries].flatMap(([mark, { who, fate, takenOut }]) => {
      const count = counts.get(mark) ?? 0;
      if (count > 1 && !this.#contested.has(mark))
        return `${mark} of ${who} (${fate}) is there ${count} times`;
      if (fate === "kept" && count === 0 && !(takenOut && history.includes(mark)))
        return `${mark} of ${who} was acknowledged and is lost`;
      if (fate === "refused" && count === 1) return `${mark} of ${who} was refused and is there`;
      return [];
    });
  }
}
