const LF = 10;
const CR = 13;
const BOM = "\ufeff";

/**
 * A document's lines as a patch matches them. Two lines are equal even if their line endings differ, or a byte order
 * mark precedes the first line (R9). A line is cut out of the text only when a caller asks for it. Indexes are 0-based.
 */
export class DocumentLines {
  readonly #text: string;
  /** The start of each line in UTF-16 units, followed by the end of the last line. */
  readonly #starts: readonly number[];

  constructor(text: string) {
    this.#text = text;
    const starts = [0];
    for (let i = text.indexOf("\n"); i >= 0; i = text.indexOf("\n", i + 1)) starts.push(i + 1);
    if (starts.at(-1)! < text.length) starts.push(text.length);
    this.#starts = starts;
  }

  get count(): number {
    return this.#starts.length - 1;
  }

  /** The length of the byte order mark in UTF-16 units (and in code points): 1 or 0. */
  get mark(): number {
    return this.#text.startsWith(BOM) ? 1 : 0;
  }

  /** True when the last line exists and has no line break. */
  get open(): boolean {
    return this.count > 0 && !this.#text.endsWith("\n");
  }

  /** Returns lines `from..to` with their endings, as far as they exist. */
  slice(from: number, to: number): string {
    return this.#text.slice(this.#start(from), this.#start(to));
  }

  line(index: number): string {
    return this.slice(index, index + 1);
  }

  /** Returns lines `from..to` without their endings, as far as they exist. */
  bodies(from: number, to: number): string[] {
    const bodies: string[] = [];
    for (let i = Math.max(0, from); i < Math.min(to, this.count); i++)
      bodies.push(this.#text.slice(this.#starts[i]!, this.#end(i)));
    return bodies;
  }

  /**
   * Returns the ending of the nearest line, searching upwards from `index` first and then down; undefined when no line
   * has one.
   */
  endingNear(index: number): string | undefined {
    for (let i = Math.min(index, this.count - 1); i >= 0; i--)
      if (i < this.count - 1 || !this.open) return endingOf(this.line(i));
    return endingOf(this.line(Math.max(0, index + 1))) || undefined;
  }

  /** Returns true when the lines from `index` on equal the pattern, whose lines have no endings. */
  matchesAt(index: number, pattern: readonly string[]): boolean {
    if (index < 0 || index + pattern.length > this.count) return false;
    return pattern.every((line, i) => this.#is(index + i, line));
  }

  /** Returns each index in `from..to`, inclusive, at which the pattern matches (Knuth, Morris, Pratt). */
  find(pattern: readonly string[], from: number, to: number): number[] {
    const found: number[] = [];
    if (pattern.length === 0) return found;
    const end = Math.min(this.count, to + pattern.length);
    const back = fallbacks(pattern);
    let size = 0;
    for (let i = Math.max(0, from); i < end; i++) {
      while (size > 0 && !this.#is(i, pattern[size]!)) size = back[size - 1]!;
      if (this.#is(i, pattern[size]!)) size++;
      if (size < pattern.length) continue;
      found.push(i + 1 - size);
      size = back[size - 1]!;
    }
    return found;
  }

  #is(index: number, body: string): boolean {
    const start = this.#starts[index]!;
    const size = this.#end(index) - start;
    if (size === body.length) return this.#text.startsWith(body, start);
    return index === 0 && this.mark === 1 && size === body.length + 1 && this.#text.startsWith(body, 1);
  }

  #start(index: number): number {
    return this.#starts[Math.max(0, Math.min(index, this.count))]!;
  }

  /** Returns the end of a line before its `\n` and before every `\r` that precedes it. */
  #end(index: number): number {
    const start = this.#starts[index]!;
    let end = this.#starts[index + 1]!;
    if (end > start && this.#text.charCodeAt(end - 1) === LF) end--;
    while (end > start && this.#text.charCodeAt(end - 1) === CR) end--;
    return end;
  }
}

/** Returns, for each prefix of the pattern, the length of the longest shorter prefix that is also its suffix. */
function fallbacks(pattern: readonly string[]): Int32Array {
  const back = new Int32Array(pattern.length);
  for (let i = 1, size = 0; i < pattern.length; i++) {
    while (size > 0 && pattern[size] !== pattern[i]) size = back[size - 1]!;
    if (pattern[size] === pattern[i]) size++;
    back[i] = size;
  }
  return back;
}

export function endingOf(line: string): "\n" | "\r\n" | "" {
  return line.endsWith("\r\n") ? "\r\n" : line.endsWith("\n") ? "\n" : "";
}

/**
 * Returns a line's text without trailing `\r`s. It uses a loop because a regular expression would retry on every run
 * of them.
 */
export function withoutReturns(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === CR) end--;
  return text.slice(0, end);
}
