import { type DocumentLines, endingOf } from "./document-lines.ts";
import type { Hunk, HunkLine } from "./hunk.ts";
import type { Patch } from "./patch.ts";

export interface NewLine {
  readonly text: string;
  readonly ending: string;
}

/** Lines `from..to` (indexes, half-open) of the document that `lines` take the place of. */
export interface HunkGroup {
  from: number;
  to: number;
  lines: NewLine[];
  /** Characters of the first line that stay ahead of `lines`: a byte order mark that the patch does not show. */
  mark: number;
  /** What the hunk says of the end of the document it makes: without newline, with one, or nothing. */
  open: boolean | undefined;
}

/** Collects the changed lines of placed hunks, ascending, and gives new lines their endings. */
export class HunkGroups {
  readonly #document: DocumentLines;
  /** What ends the patch's lines where it shows line endings, that is, where some have a `\r`. */
  readonly #shown: string | undefined;
  readonly #fallback: string;
  readonly #groups: HunkGroup[] = [];

  constructor(document: DocumentLines, patch: Patch) {
    this.#document = document;
    const returns = patch.hunks.some((hunk) => hunk.lines.some((line) => line.text.endsWith("\r")));
    this.#fallback = patch.eol ?? "\n";
    this.#shown = patch.eol !== undefined || returns ? this.#fallback : undefined;
  }

  add(hunk: Hunk, place: number): void {
    const old = hunk.lines.filter((line) => line.kind !== "insert");
    const mark = place === 0 && !old[0]?.text.startsWith("\ufeff") ? this.#document.mark : 0;
    const eol = this.#isFaithful(old, place, mark) ? this.#shown : undefined;
    const marked = hunk.lines.filter((line) => line.noNewline);
    const open = marked.length === 0 ? undefined : marked.some((line) => line.kind !== "delete");
    let texts: string[] = [];
    let from = place;
    let to = place;
    for (const line of [...hunk.lines, { kind: "context" } as const]) {
      if (line.kind === "delete") to++;
      else if (line.kind === "insert") texts.push(line.text);
      else {
        const end = to - 1;
        const near = (text: string, i: number) => this.#endingFor(text, Math.min(from + i, end));
        const lines = texts.map((text, i) => ({ text, ending: eol ?? near(text, i) }));
        if (from < to || lines.length > 0) this.#push({ from, to, lines, mark: from === 0 ? mark : 0, open });
        texts = [];
        from = ++to;
      }
    }
  }

  done(): readonly HunkGroup[] {
    const last = this.#groups.at(-1);
    if (last?.to === this.#document.count) this.#closeAt(last);
    return this.#groups;
  }

  #push(group: HunkGroup): void {
    const last = this.#groups.at(-1);
    if (last?.to !== group.from) {
      this.#groups.push(group);
      return;
    }
    for (const line of group.lines) last.lines.push(line);
    last.to = group.to;
    last.open = group.open ?? last.open;
  }

  /** True when a hunk's old lines have just the endings that the document has. */
  #isFaithful(old: readonly HunkLine[], place: number, mark: number): boolean {
    const faithful = old.every(({ text }, i) => {
      const line = this.#document.line(place + i).slice(i === 0 ? mark : 0);
      return line === (line.endsWith("\n") ? text + this.#fallback : text);
    });
    return faithful && old.length > 0;
  }

  /** The ending of the line that a new one replaces or comes after, else of the one below. */
  #endingFor(text: string, index: number): string {
    // A line that shows its own \r would get a second one.
    if (text.endsWith("\r") && this.#fallback === "\n") return "\n";
    return this.#document.endingNear(index) ?? this.#fallback;
  }

  /** Keeps whether the document ends with a newline, unless the patch says otherwise. */
  #closeAt(group: HunkGroup): void {
    const { count, open } = this.#document;
    if (open && group.from === count) {
      // Lines come after one that had no line break: it needs one now.
      group.from--;
      const ending = this.#document.endingNear(group.from) ?? this.#fallback;
      group.lines.unshift({ text: this.#document.line(group.from), ending });
    } else if ((group.open ?? open) && group.lines.length === 0 && group.from > 0) {
      // The last lines go, and with them the break that set them off.
      group.from--;
      const line = this.#document.line(group.from);
      group.lines.push({ text: line.slice(0, line.length - endingOf(line).length), ending: "" });
    }
    const last = group.lines.pop();
    if (last !== undefined) group.lines.push((group.open ?? open) ? { ...last, ending: "" } : last);
  }
}
