import type { Key } from "../data.ts";
import { LEAST_UNITS, type Slice } from "../slice.ts";

/** The lines of one field or item of a block. */
interface Entry {
  readonly name: string | undefined;
  readonly from: number;
  readonly to: number;
  /** The start of the line after the key; undefined when a value follows on the key's own line. */
  readonly below: number | undefined;
}

/** A part that is parsed in a few milliseconds. */
const SMALL_UNITS = 4 << 10;

/** A key at the start of a line, the only spelling of keys that the search reads. */
const FIELD = /^ *([A-Za-z0-9_][\w./-]*):(?=[ \t\r\n]|$)/;
const ITEM = /^ *-(?=[ \t\r\n]|$)/;
const NOTHING_BEHIND = /^[ \t]*(?:#.*)?\r?$/;
/** Whatever gives a part of a document another meaning than it has alone, or looks like it. */
const BEYOND_PARTS = /(?:^|[\s[{,])[&*!]\S|^(?:---|\.\.\.|%)|<<|^ *\t|\u{feff}|\r(?!\n)/mu;

/**
 * Finds the part of a large document that an edit of the field at `key` concerns, by the indentation of lines (I14).
 * Undefined where the whole text has to be read.
 */
export function sliceOf(text: string, key: Key): Slice | undefined {
  if (text.length < LEAST_UNITS || BEYOND_PARTS.test(text)) return undefined;
  let place = { from: 0, to: text.length };
  let found: Slice | undefined;
  for (const [depth, part] of key.entries()) {
    const entries = entriesOf(text, place);
    const index = entries === undefined ? undefined : indexOf(entries, part);
    if (entries === undefined || index === undefined) return found;
    const entry = entries[index] ?? entries.at(-1)!;
    // A new entry follows the last one, which therefore belongs to the part.
    const name = entry.name ?? Math.max(0, index - entries.length + 1);
    const isNew = index === entries.length;
    found = {
      from: entry.from,
      to: entry.to,
      lead: "",
      key: [isNew ? (typeof part === "number" ? 1 : part) : name, ...key.slice(depth + 1)],
    };
    if (isNew || entry.name === undefined || entry.below === undefined) return found;
    if (entry.to - entry.from <= SMALL_UNITS) return found;
    place = { from: entry.below, to: entry.to };
  }
  return found;
}

/** Returns the index of a field or item, the number of entries for a new one; undefined where there is no place. */
function indexOf(entries: readonly Entry[], part: string | number): number | undefined {
  if (entries[0]!.name === undefined)
    return typeof part === "number" && part <= entries.length ? part : undefined;
  if (typeof part === "number") return undefined;
  const index = entries.findIndex(({ name }) => name === part);
  return index < 0 ? entries.length : index;
}

/** Returns the entries of the block in a range of lines; undefined where a line there is not plain enough. */
function entriesOf(text: string, { from, to }: { from: number; to: number }): Entry[] | undefined {
  const entries: { name: string | undefined; from: number; to: number; below: number | undefined }[] = [];
  const names = new Set<string>();
  let column: number | undefined;
  let isList = false;
  for (let at = from; at < to; ) {
    const end = text.indexOf("\n", at);
    const next = end < 0 || end >= to ? to : end + 1;
    let start = at;
    while (text[start] === " ") start++;
    const first = text[start];
    const isEmpty = start >= next || first === "\n" || first === "\r" || first === "#";
    if (!isEmpty) {
      const indent = start - at;
      column ??= indent;
      if (indent < column) return undefined;
      const isItem = indent === column && first === "-" && ITEM.test(text.slice(at, start + 2));
      if (entries.length === 0) isList = isItem;
      // The items of a list may be as far left as the key above them.
      if (indent === column && (isList || !isItem)) {
        const line = text.slice(at, next);
        const [head, name] = (isList ? ITEM : FIELD).exec(line) ?? [];
        if (head === undefined || (name !== undefined && names.size === names.add(name).size))
          return undefined;
        const last = entries.at(-1);
        if (last !== undefined) last.to = at;
        const below = NOTHING_BEHIND.test(line.slice(head.length).replace(/\n$/, "")) ? next : undefined;
        entries.push({ name, from: at, to, below });
      }
    }
    at = next;
  }
  return entries.length > 0 ? entries : undefined;
}
