/** Kinds of records that have no index but their ids. */
export const SHELVES = [
  "batches",
  "checkpoints",
  "cleared",
  "displaced",
  "kept",
  "link",
  "linked",
  "laneDisplaced",
  "laneFiles",
  "lanes",
  "messages",
  "moves",
  "outbox",
  "parts",
  "proposals",
  "seen",
  "steps",
  "texts",
  "threads",
  "told",
] as const;
export type ShelfName = (typeof SHELVES)[number];

declare const recordType: unique symbol;
/** The name of a shelf, with the type of its records. */
export type Shelf<T extends object> = ShelfName & { readonly [recordType]: T };

/** Names the type of a shelf's records. The store does not check records: it returns them as they were written. */
export function shelfOf<T extends object = object>(name: ShelfName): Shelf<T> {
  return name as Shelf<T>;
}

/** A record to write to a shelf, as plain data; null removes the record that the shelf has under this id. */
export interface Shelved {
  readonly shelf: ShelfName;
  readonly id: string;
  readonly record: object | null;
}
