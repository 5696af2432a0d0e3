/** A part of a line: text, or marked parts. */
export type Inline =
  | string
  | { readonly is: "strong" | "em" | "del"; readonly parts: readonly Inline[] }
  | { readonly is: "code"; readonly text: string }
  | { readonly is: "link"; readonly href: string; readonly parts: readonly Inline[] };

/** Marks that have begun and not ended, with the parts since. */
interface Open {
  readonly mark: string;
  readonly parts: Inline[];
}

/** Length in characters from which a paragraph is shown as plain text. */
const LONG = 20_000;
/** Most marks inside one another. */
const DEEPEST = 12;

const KINDS: Readonly<Record<string, "strong" | "em" | "del">> = {
  "**": "strong",
  __: "strong",
  "*": "em",
  _: "em",
  "~~": "del",
};
const ESCAPED = /\\([!-/:-@[-`{-~\n])/y;
const TICKS = /`+/y;
const MARK = /\*{1,2}|_{1,2}|~~/y;
const DESTINATION =
  /\((?:<([^<>\n]{1,2000})>|([^\s()<>]{1,2000}(?:\([^\s()<>]{0,500}\)[^\s()<>]{0,2000})?))(?:[ \t]+"[^"\n]{0,500}")?\)/y;
const ADDRESS = /<(https?:\/\/[^\s<>]{1,2000})>|(https?:\/\/[^\s<>"`|]{1,2000})/iy;
const PLAIN = /[^\\`*_~[\]!<h]+/y;

/** Reads the marks of a paragraph: emphasis, code, and links to http and https. Anything else is text. */
export function inlineOf(text: string): readonly Inline[] {
  return text.length > LONG ? [text] : new InlineReader(text).read();
}

class InlineReader {
  readonly #text: string;
  readonly #open: Open[] = [{ mark: "", parts: [] }];
  /** Numbers of backticks that no later run has. */
  readonly #unclosed = new Set<number>();
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): readonly Inline[] {
    while (this.#at < this.#text.length) {
      const plain = this.#match(PLAIN);
      if (plain !== undefined) this.#add(plain[0]);
      else this.#one();
    }
    while (this.#open.length > 1) this.#giveUp();
    return this.#open[0]!.parts;
  }

  #one(): void {
    const from = this.#at;
    const char = this.#text[from]!;
    const isHandled =
      (char === "\\" && this.#escape()) ||
      (char === "`" && this.#code()) ||
      ("*_~".includes(char) && this.#mark()) ||
      ("![".includes(char) && this.#begin(char === "!" ? "![" : "[")) ||
      (char === "]" && this.#link()) ||
      ("<hH".includes(char) && this.#address());
    if (isHandled) return;
    this.#at = from + 1;
    this.#add(char);
  }

  #escape(): boolean {
    const found = this.#match(ESCAPED);
    if (found !== undefined) this.#add(found[1]!);
    return found !== undefined;
  }

  #code(): boolean {
    const ticks = this.#match(TICKS)![0];
    const from = this.#at;
    while (!this.#unclosed.has(ticks.length)) {
      const end = this.#text.indexOf(ticks, this.#at);
      if (end === -1) this.#unclosed.add(ticks.length);
      else {
        this.#at = end;
        if (this.#match(TICKS)![0].length !== ticks.length) continue;
        const text = this.#text.slice(from, end).replaceAll("\n", " ");
        const isPadded = /^ .* $/.test(text) && text.trim() !== "";
        this.#add({ is: "code", text: isPadded ? text.slice(1, -1) : text });
        return true;
      }
    }
    this.#at = from;
    this.#add(ticks);
    return true;
  }

  #mark(): boolean {
    const from = this.#at;
    let mark = this.#match(MARK)?.[0];
    if (mark === undefined) return false;
    const { mark: innermost } = this.#open.at(-1)!;
    // Of three marks the first one ends what the last one began.
    if (mark === innermost.repeat(2) && this.#text[this.#at] === innermost) {
      mark = innermost;
      this.#at = from + 1;
    }
    const [before = " ", after = " "] = [this.#text[from - 1], this.#text[this.#at]];
    const isWordMark = mark.startsWith("_");
    const opens = !/\s/.test(after) && !(isWordMark && /[\p{L}\p{N}]/u.test(before));
    const closes = !/\s/.test(before) && !(isWordMark && /[\p{L}\p{N}]/u.test(after));
    if (closes && this.#close(mark)) return true;
    return opens && this.#begin(mark, from);
  }

  /** Begins a mark at the present place. */
  #begin(mark: string, from = this.#at): boolean {
    if (this.#open.length > DEEPEST || !this.#text.startsWith(mark, from)) return false;
    this.#at = from + mark.length;
    this.#open.push({ mark, parts: [] });
    return true;
  }

  #close(mark: string): boolean {
    const last = this.#open.findLastIndex((one) => one.mark === mark || one.mark.endsWith("["));
    if (last < 1 || this.#open[last]!.mark !== mark || this.#isEmpty(last)) return false;
    while (this.#open.length > last + 1) this.#giveUp();
    this.#add({ is: KINDS[mark]!, parts: this.#open.pop()!.parts });
    return true;
  }

  #isEmpty(at: number): boolean {
    return at === this.#open.length - 1 && this.#open[at]!.parts.length === 0;
  }

  /** Ends a link. One that leads elsewhere than to http or https stays as it was written. */
  #link(): boolean {
    const from = this.#at;
    const begun = this.#open.findLastIndex(({ mark }) => mark.endsWith("["));
    if (begun < 1) return false;
    while (this.#open.length > begun + 1) this.#giveUp();
    this.#at = from + 1;
    const destination = this.#match(DESTINATION);
    const href = hrefOf(destination?.[1] ?? destination?.[2] ?? "");
    const isInLink = this.#open.slice(0, begun).some(({ mark }) => mark.endsWith("["));
    if (href === undefined || isInLink) {
      this.#giveUp();
      this.#add(this.#text.slice(from, this.#at));
    } else {
      const { parts } = this.#open.pop()!;
      this.#add({ is: "link", href, parts: parts.length > 0 ? parts : [href] });
    }
    return true;
  }

  #address(): boolean {
    if (/[\p{L}\p{N}]/u.test(this.#text[this.#at - 1] ?? "")) return false;
    if (this.#open.some(({ mark }) => mark.endsWith("["))) return false;
    const from = this.#at;
    const [, inAngles, bare] = this.#match(ADDRESS) ?? [];
    const shown = inAngles ?? bare?.replace(/[.,;:!?'*_~)\]]{1,20}$/, "") ?? "";
    const href = hrefOf(shown);
    if (href === undefined) {
      this.#at = from;
      return false;
    }
    if (inAngles === undefined) this.#at = from + shown.length;
    this.#add({ is: "link", href, parts: [shown] });
    return true;
  }

  /** Turns the innermost begun mark into text. */
  #giveUp(): void {
    const { mark, parts } = this.#open.pop()!;
    this.#add(mark);
    for (const part of parts) this.#add(part);
  }

  #add(part: Inline): void {
    const { parts } = this.#open.at(-1)!;
    const last = parts.at(-1);
    if (typeof part === "string" && typeof last === "string") parts[parts.length - 1] = last + part;
    else if (part !== "") parts.push(part);
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return undefined;
    this.#at = pattern.lastIndex;
    return found;
  }
}

/** Returns the address of a link to http or https; undefined for any other. */
function hrefOf(address: string): string | undefined {
  return /^https?:\/\/\S/i.test(address) && URL.canParse(address) ? new URL(address).href : undefined;
}
