import { type Data, type Key, Stamp } from "../data.ts";
import { toml } from "./package.ts";

/** One part of a key, unquoted, with its range in UTF-16 indexes, as everywhere in this file. */
export interface KeyPart {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

interface Scalar {
  readonly kind: "scalar";
  readonly from: number;
  readonly to: number;
  readonly data: Data;
}
export interface Items {
  readonly kind: "array";
  readonly from: number;
  readonly to: number;
  readonly items: readonly Value[];
}
export interface Inline {
  readonly kind: "inline";
  readonly from: number;
  readonly to: number;
  readonly pairs: readonly TomlPair[];
}
export type Value = Scalar | Items | Inline;

export interface TomlPair {
  readonly keys: readonly KeyPart[];
  readonly value: Value;
  readonly from: number;
  readonly to: number;
}

/** A statement of a document: a header, or a key with its value. */
export type Statement =
  | {
      readonly kind: "header";
      readonly array: boolean;
      readonly keys: readonly KeyPart[];
      readonly from: number;
      readonly to: number;
    }
  | ({ readonly kind: "pair" } & TomlPair);

/** Reports a spelling that the scanner does not support although the parser does. */
export class ScanError extends Error {}

/** Returns the statements with their ranges, of a document that a parser has found valid. */
export function scan(source: string): Statement[] {
  return new Scanner(source).statements();
}

class Scanner {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  statements(): Statement[] {
    const found: Statement[] = [];
    for (this.#space(); this.#at < this.#source.length; this.#space())
      found.push(this.#is("[") ? this.#header() : { kind: "pair", ...this.#pair() });
    return found;
  }

  #header(): Statement {
    const from = this.#at;
    const array = this.#source.startsWith("[[", from);
    this.#at += array ? 2 : 1;
    const keys = this.#keys();
    this.#at += array ? 2 : 1;
    return { kind: "header", array, keys, from, to: this.#at };
  }

  #pair(): TomlPair {
    const from = this.#at;
    const keys = this.#keys();
    this.#expect("=");
    this.#blank();
    const value = this.#value();
    return { keys, value, from, to: value.to };
  }

  /** Reads a dotted key and stops right after it. */
  #keys(): KeyPart[] {
    const keys: KeyPart[] = [];
    do {
      if (keys.length > 0) this.#at++;
      this.#blank();
      const from = this.#at;
      const quoted = this.#is('"') || this.#is("'");
      this.#at = quoted ? this.#stringEnd() : this.#match(/[A-Za-z0-9_-]+/y);
      const raw = this.#source.slice(from, this.#at);
      keys.push({ name: quoted ? Object.keys(toml().parse(`${raw}=0`))[0]! : raw, from, to: this.#at });
      this.#blank();
    } while (this.#is("."));
    return keys;
  }

  #value(): Value {
    const from = this.#at;
    if (this.#is("[")) {
      const items: Value[] = [];
      this.#list("]", () => items.push(this.#value()));
      return { kind: "array", from, to: this.#at, items };
    }
    if (this.#is("{")) {
      const pairs: TomlPair[] = [];
      this.#list("}", () => pairs.push(this.#pair()));
      return { kind: "inline", from, to: this.#at, pairs };
    }
    const quoted = this.#is('"') || this.#is("'");
    // A space may separate a date and its time.
    this.#at = quoted ? this.#stringEnd() : this.#match(/\d{4}-\d\d-\d\d \d\d:[^\s,\]}#]+|[^\s,\]}#]+/y);
    return { kind: "scalar", from, to: this.#at, data: scalar(this.#source.slice(from, this.#at)) };
  }

  #list(close: string, item: () => void): void {
    this.#at++;
    for (this.#space(); !this.#is(close); this.#space()) {
      if (this.#is(",")) this.#at++;
      else item();
    }
    this.#at++;
  }

  #stringEnd(): number {
    const quote = this.#source[this.#at]!;
    const triple = quote.repeat(3);
    if (!this.#source.startsWith(triple, this.#at))
      return this.#match(quote === '"' ? /"[^"\\]*(?:\\.[^"\\]*)*"/y : /'[^']*'/y);
    let end = this.#at + 3;
    while (!this.#source.startsWith(triple, end)) end += quote === '"' && this.#source[end] === "\\" ? 2 : 1;
    // Up to two quotes right before the closing ones are text.
    end += 3;
    for (let extra = 0; extra < 2 && this.#source[end] === quote; extra++) end++;
    return end;
  }

  /** Skips white space, line breaks and comments. */
  #space(): void {
    do this.#at = this.#match(/\s*(?:#[^\n]*)?/y);
    while (/\s/.test(this.#source[this.#at] ?? ""));
  }

  #blank(): void {
    this.#at = this.#match(/[ \t]*/y);
  }

  #is(char: string): boolean {
    return this.#source[this.#at] === char;
  }

  #expect(char: string): void {
    if (!this.#is(char)) throw new ScanError(`expected ${char} at ${this.#at}`);
    this.#at++;
  }

  #match(pattern: RegExp): number {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#source)) throw new ScanError(`expected ${pattern} at ${this.#at}`);
    return pattern.lastIndex;
  }
}

/** Returns the data of one scalar; whole numbers are bigints, so that `1` and `1.0` differ. */
function scalar(raw: string): Data {
  if (/^(?:"[^"\\]*"|'[^']*')$/.test(raw)) return raw.slice(1, -1);
  if (/^-?\d+$/.test(raw)) return BigInt(raw);
  const { x } = toml().parse(`x=${raw}`, { integersAsBigInt: true });
  return x instanceof Date ? new Stamp(raw) : (x as string | number | bigint | boolean);
}

/** Returns the key that a text spells; undefined when it spells none or a dotted one. */
export function keyName(source: string): string | undefined {
  if (!/^(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')$/.test(source)) return undefined;
  try {
    return Object.keys(toml().parse(`${source}=0`))[0];
  } catch (error) {
    if (!(error instanceof toml().TomlError)) throw error;
    return undefined;
  }
}

export function keyOf(pair: TomlPair): Key {
  return pair.keys.map(({ name }) => name);
}
