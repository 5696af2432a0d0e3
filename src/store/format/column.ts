import { Encoder } from "msgpackr";
import { deflated, inflated, squeezed } from "./deflated.ts";
import { numberedOf } from "./numbered-text.ts";
import { differences, isWhole, numbersOf, sums, varintsOf } from "./varints.ts";

/** The values of one field of many records, in the form that their kind takes least space in. */
export type Column =
  /** One value, and how often. */
  | readonly [kind: "same", value: unknown, times: number]
  /** Whole numbers, as differences. */
  | readonly [kind: "numbers", differences: Uint8Array]
  /** Whole numbers without an order, in two bytes each. */
  | readonly [kind: "shorts", numbers: Uint8Array]
  /** Milliseconds in parts of 1024, as the clock of changes has them, as differences of these. */
  | readonly [kind: "times", differences: Uint8Array]
  /** Texts that end in a number: for each its beginning, and the difference to the last number with that beginning. */
  | readonly [kind: "numbered", beginnings: readonly string[], which: Uint8Array, differences: Uint8Array]
  /** A few texts, and for each value which of them. */
  | readonly [kind: "named", names: readonly string[], which: Uint8Array]
  /** Bytes as texts in hex, each of `size` digits. */
  | readonly [kind: "hex", size: number, bytes: Uint8Array]
  /** Texts one after the other, and their lengths in UTF-16 units. */
  | readonly [kind: "texts", text: Uint8Array, lengths: Uint8Array]
  | readonly [kind: "others", values: Uint8Array];

const TIME_PARTS = 1024;
/** The most texts, or beginnings of texts, that a column lists. */
const MOST_NAMES = 64;
const HEX = /^(?:[0-9a-f]{2})+$/;

const packer = new Encoder();

/** Encodes at least one value. */
export function columnOf(values: readonly unknown[]): Column {
  const [first] = values;
  if ((typeof first !== "object" || first === null) && values.every((value) => Object.is(value, first)))
    return ["same", first, values.length];
  const column = numberColumn(values) ?? (values.every(isText) ? textColumn(values) : undefined);
  return column ?? ["others", deflated(packer.encode(values))];
}

export function valuesOf(column: Column): unknown[] {
  switch (column[0]) {
    case "same":
      return new Array<unknown>(column[2]).fill(column[1]);
    case "numbers":
      return sums(numbersOf(inflated(column[1])));
    case "shorts":
      return shortsFrom(inflated(column[1]));
    case "times":
      return sums(numbersOf(inflated(column[1]))).map((value) => value / TIME_PARTS);
    case "numbered":
      return numberedTexts(column[1], numbersOf(inflated(column[2])), numbersOf(inflated(column[3])));
    case "named":
      return numbersOf(inflated(column[2])).map((at) => column[1][at]);
    case "hex":
      return pieces(inflated(column[2]).toString("hex"), column[1]);
    case "texts":
      return cut(inflated(column[1]).toString(), numbersOf(inflated(column[2])));
    case "others":
      return packer.decode(inflated(column[1])) as unknown[];
  }
}

/** Returns texts that follow one another in one, each of so many UTF-16 units. */
function cut(text: string, lengths: readonly number[]): string[] {
  let at = 0;
  return lengths.map((length) => {
    at += length;
    return text.slice(at - length, at);
  });
}

function numberColumn(values: readonly unknown[]): Column | undefined {
  if (!values.every(isNumber)) return undefined;
  const isAllWhole = values.every(isWhole);
  const wholes = isAllWhole ? values : values.map((value) => value * TIME_PARTS);
  const steps = differences(wholes);
  if (!wholes.every(isWhole) || !steps.every(isWhole)) return undefined;
  const varints = varintsOf(steps);
  if (!isAllWhole) return ["times", deflated(varints)];
  const isShort =
    varints.length > 2 * values.length && values.every((value) => value >= 0 && value < 1 << 16);
  return isShort ? ["shorts", deflated(shortsOf(values))] : ["numbers", deflated(varints)];
}

function shortsOf(values: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(2 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt16LE(value, 2 * i);
  return bytes;
}

function shortsFrom(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length / 2 }, (_, i) => bytes.readUInt16LE(2 * i));
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function textColumn(texts: readonly string[]): Column {
  const names = new Map<string, number>();
  const which = whichOf(texts, names);
  if (which !== undefined) return ["named", [...names.keys()], deflated(varintsOf(which))];
  return numberedColumn(texts) ?? hexColumn(texts) ?? plainColumn(texts);
}

function numberedColumn(texts: readonly string[]): Column | undefined {
  const parts = texts.map(numberedOf);
  if (!parts.every((part) => part !== undefined)) return undefined;
  const beginnings = new Map<string, number>();
  const which = whichOf(
    parts.map(({ beginning }) => beginning),
    beginnings,
  );
  if (which === undefined) return undefined;
  const last = new Array<number>(beginnings.size).fill(0);
  const steps = which.map((at, i) => {
    const step = parts[i]!.number - last[at]!;
    last[at] = parts[i]!.number;
    return step;
  });
  return ["numbered", [...beginnings.keys()], deflated(varintsOf(which)), deflated(varintsOf(steps))];
}

function numberedTexts(
  beginnings: readonly string[],
  which: readonly number[],
  steps: readonly number[],
): string[] {
  const last = new Array<number>(beginnings.length).fill(0);
  return which.map((at, i) => {
    last[at]! += steps[i]!;
    return `${beginnings[at]}${last[at]}`;
  });
}

function hexColumn(texts: readonly string[]): Column | undefined {
  const size = texts[0]!.length;
  if (!texts.every((text) => text.length === size && HEX.test(text))) return undefined;
  return ["hex", size, deflated(Buffer.from(texts.join(""), "hex"))];
}

function plainColumn(texts: readonly string[]): Column {
  const lengths = texts.map(({ length }) => length);
  return ["texts", squeezed(Buffer.from(texts.join(""))), deflated(varintsOf(lengths))];
}

function pieces(text: string, size: number): string[] {
  return Array.from({ length: text.length / size }, (_, i) => text.slice(i * size, (i + 1) * size));
}

/** Returns the number of each text in the order of the different ones, which it adds to `names`; undefined for many. */
function whichOf(texts: readonly string[], names: Map<string, number>): number[] | undefined {
  const most = Math.min(MOST_NAMES, texts.length / 2);
  const which: number[] = [];
  for (const text of texts) {
    let at = names.get(text);
    if (at === undefined) {
      if (names.size >= most) return undefined;
      at = names.size;
      names.set(text, at);
    }
    which.push(at);
  }
  return which;
}
