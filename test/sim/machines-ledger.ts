import { isMark } from "./ledger.ts";

/** The first of the characters that serve as marks. */
const FIRST = 0x4e00;

export function marksIn(text: string): string[] {
  return Array.from(text).filter(isMark);
}

interface Entry {
  readonly who: string;
  fate: "open" | "kept" | "refused";
  /** Somebody who had seen it took it out, or deleted its file. */
  isRemovable: boolean;
  /** It may be there several times. */
  isContested: boolean;
}

/**
 * The ledger of all machines. Every edit and save writes a mark of its own, a character that is nowhere else; the word
 * around it makes that no merge cuts it.
 */
export class MachinesLedger {
  readonly #entries = new Map<string, Entry>();
  /** Called for each mark that somebody begins to write. */
  onOpen: (mark: string, who: string) => void = () => {};

  open(who: string): string {
    const mark = String.fromCodePoint(FIRST + this.#entries.size);
    this.onOpen(mark, who);
    this.#entries.set(mark, { who, fate: "open", isRemovable: false, isContested: false });
    return mark;
  }

  close(mark: string, fate: Entry["fate"]): void {
    this.#entries.get(mark)!.fate = fate;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Notes that somebody removes these marks, and has seen them. */
  remove(marks: Iterable<string>): void {
    for (const mark of marks) this.#set(mark, { isRemovable: true });
  }

  /** Notes that what one machine made may be lost, because its folder came back from a backup. */
  lose(machine: string): void {
    this.loseBut(machine, []);
  }

  /** Notes that what one machine made may be lost, except these marks. */
  loseBut(machine: string, kept: readonly string[]): void {
    this.remove([...this.#entries.keys()].filter((mark) => this.isOf(mark, machine) && !kept.includes(mark)));
  }

  isOf(mark: string, machine: string): boolean {
    return this.#entries.get(mark)?.who.split(/[- ]/).includes(machine) ?? false;
  }

  /** Notes that a mark may be there several times. */
  contest(mark: string): void {
    this.#set(mark, { isContested: true });
  }

  #set(mark: string, facts: Partial<Entry>): void {
    const entry = this.#entries.get(mark);
    if (entry !== undefined) Object.assign(entry, facts);
  }

  /** Returns how the texts of a machine's files break the promise. What is in `elsewhere` is not lost, either. */
  problems(texts: readonly string[], elsewhere: readonly string[] = []): string[] {
    const apart = new Set(elsewhere.flatMap(marksIn));
    const counts = new Map<string, number>();
    for (const mark of texts.flatMap(marksIn)) counts.set(mark, (counts.get(mark) ?? 0) + 1);
    return [...this.#entries].flatMap(([mark, { who, fate, isRemovable, isContested }]) => {
      const count = counts.get(mark) ?? 0;
      if (count > 1 && !isContested) return `${mark} of ${who} (${fate}) is there ${count} times`;
      if (fate === "kept" && count === 0 && !isRemovable && !apart.has(mark))
        return `${mark} of ${who} was acknowledged and is lost`;
      if (fate === "refused" && count > 0) return `${mark} of ${who} was refused and is there`;
      return [];
    });
  }
}
