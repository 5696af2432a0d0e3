import { type DocumentLines, endingOf } from "./document-lines.ts";
import type { Hunk, HunkLine } from "./hunk.ts";
import type { Patch } from "./patch.ts";

interface NewLine {
  readonly text: string;
  readonly ending: string;
}

/** The lines `from..to` (indexes, half-open) of the document that `lines` replace. */
export interface HunkGroup {
  from: number;
  to: number;
  lines: NewLine[];
  /** The number of characters of the first line to leave in place: a byte order mark that the patch does not show. */
  mark: number;
  /** True if the hunk leaves the document without a newline at its end; undefined when its marks do not decide this. */
  open: boolean | undefined;
}

/** Collects the changed lines of placed hunks, ascending, and gives each new line its ending. */
export class HunkGroups {
  readonly #document: DocumentLines;
  /** The ending of the patch's lines, if the patch shows line endings, that is, if some lines have a `\r`. */
  readonly #patchEol: string | undefined;
  readonly #fallback: string;
  readonly #groups: HunkGroup[] = [];

  constructor(document: DocumentLines, patch: Patch) {
    this.#document = document;
    const returns = patch.hunks.some((hunk) => hunk.lines.some((line) => line.text.endsWith("\r")));
    this.#fallback = patch.eol ?? "\n";
    this.#patchEol = patch.eol !== undefined || returns ? this.#fallback : undefined;
  }

  add(hunk: Hunk, place: number): void {
    const old = hunk.lines.filter((line) => line.kind !== "insert");
    const mark = place === 0 && !old[0]?.text.startsWith("\ufeff") ? this.#document.mark : 0;
    const eol = this.#isFaithful(old, place, mark) ? this.#patchEol : undefined;
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

  /** Returns true when a hunk's old lines have exactly the endings that the document has. */
  #isFaithful(old: readonly HunkLine[], place: number, mark: number): boolean {
    const faithful = old.every(({ text }, i) => {
      const line = this.#document.line(place + i).slice(i === 0 ? mark : 0);
      return line === (line.endsWith("\n") ? text + this.#fallback : text);
    });
    return faithful && old.length > 0;
  }

  /** Returns the ending of the line that a new line replaces or follows, or else of the line below. */
  #endingFor(text: string, index: number): string {
    // A line that ends in \r already would get a second one.
    if (text.endsWith("\r") && this.#fallback === "\n") return "\n";
    return this.#document.endingNear(index) ?? this.#fallback;
  }

  /** Leaves the document with or without a newline at its end as before, unless the patch changes that. */
  #closeAt(group: HunkGroup): void {
    const { count, open } = this.#document;
    if (open && group.from === count) {
      // The new lines follow a line without a line break, which needs one now.
      group.from--;
      const ending = this.#document.endingNear(group.from) ?? this.#fallback;
      group.lines.unshift({ text: this.#document.line(group.from), ending });
    } else if ((group.open ?? open) && group.lines.length === 0 && group.from > 0) {
      // The last lines are deleted, so the line above them loses its line break.
      group.from--;
      const line = this.#document.line(group.from);
      group.lines.push({ text: line.slice(0, line.length - endingOf(line).length), ending: "" });
    }
    const last = group.lines.pop();
    if (last !== undefined) group.lines.push((group.open ?? open) ? { ...last, ending: "" } : last);
  }
}
