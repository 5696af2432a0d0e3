import type { Overlap } from "../../src/text/delta.ts";
import type { Text } from "../../src/text/text.ts";
import type { Seeded } from "../helpers/seeded.ts";

/**
 * What became of an edit, as its author knows. `open`: no answer yet, or none will come. `kept`: acknowledged
 * (an agent's), or fully saved (a person's). `refused`: told that nothing was changed.
 */
type Fate = "open" | "kept" | "refused";

interface Entry {
  readonly who: string;
  fate: Fate;
  /** Somebody who had not seen it took it out of the file, or left it behind: the history has it all the same. */
  takenOut?: true;
}

/** People, whose editors know nothing of each other: one saves over what the other one saved. */
const PEOPLE = ["person", "window"];

/** Where marks come from: plain letters of several scripts, and some beyond the first plane. */
const PLANES = [0x4e00, 0xac00, 0x1f300, 0x20000];
/** More than any run makes. */
const MOST = 0x300;

export function isMark(character: string): boolean {
  const point = character.codePointAt(0)!;
  return PLANES.some((plane) => point >= plane && point < plane + MOST);
}

/**
 * The ledger outside the daemon. Every edit writes a mark of its own, a character found nowhere else, so that
 * no later edit can cut it in two, and it can be counted.
 */
export class Ledger {
  readonly #entries = new Map<string, Entry>();
  readonly #contested = new Set<string>();
  #next = 0;

  /** A new mark, in an edit that nobody has answered yet. */
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
   * Two sides replaced the same characters, which was told of as a conflict. What both wrote stays, so a mark
   * among those characters may be there twice: each side may have kept it in what it wrote.
   */
  contest(base: Text, { ours, theirs }: Overlap): void {
    const both = [base.slice(ours.from, ours.to), base.slice(theirs.from, theirs.to)];
    for (const mark of this.#entries.keys())
      if (both.every((text) => text.includes(mark))) this.#contested.add(mark);
  }

  /** A mark was taken out of the file; answers whose it was. */
  takeOut(mark: string): string {
    const entry = this.#entries.get(mark)!;
    if (PEOPLE.includes(entry.who)) entry.fate = "open";
    else entry.takenOut = true;
    return entry.who;
  }

  /** What agents wrote was in a file that is another document's now. */
  leaveBehind(): void {
    for (const entry of this.#entries.values()) if (!PEOPLE.includes(entry.who)) entry.takenOut = true;
  }

  marksIn(text: string): string[] {
    return Array.from(text).filter((c) => this.#entries.has(c));
  }

  /** The marks in a text that agents wrote. */
  agentsIn(text: string): string[] {
    return this.marksIn(text).filter((c) => !PEOPLE.includes(this.#entries.get(c)!.who));
  }

  get size(): number {
    return this.#entries.size;
  }

  /**
   * How a text breaks the promise: what was kept is there once, or in the history (all that was ever put in) where
   * it was taken out; what was refused is not, nothing is twice.
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
