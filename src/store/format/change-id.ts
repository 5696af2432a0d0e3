/**
 * The least number of characters of a counter, and the number of characters of a tail. An id of an earlier version is
 * shorter than both.
 */
const COUNTER = 6;
const TAIL = 12;

/**
 * Returns the id of a change: its sequence number, then random characters. All changes of a document have the same ones
 * from one load to the next. So the ids of a run follow from one of them, and the end of an id names its history.
 */
export function changeId(seq: number, tail: string): string {
  return `chg_${seq.toString(32).padStart(COUNTER, "0")}${tail}`;
}

/** Returns the tail that an id of random characters gives to a document's changes. */
export function tailOf(id: string): string {
  return id.slice(-TAIL);
}

/** Returns the tail of an id that follows from its change's number in the document; undefined for any other id. */
export function tailAt(id: string, seq: number): string | undefined {
  const parts = partsOf(id);
  return parts?.seq === seq ? parts.tail : undefined;
}

/** Returns the parts of a change's id; undefined for an id that an earlier version made. */
export function partsOf(id: string): { readonly seq: number; readonly tail: string } | undefined {
  const match = /^chg_([0-9a-v]{6,9})([0-9a-z]{12})$/.exec(id);
  return match === null ? undefined : { seq: Number.parseInt(match[1]!, 32), tail: match[2]! };
}
