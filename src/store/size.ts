import type { JournalEntry, UpdateRecord } from "./store.ts";

/** The largest size of a value or a key beside its content, in bytes. */
const OVERHEAD_BYTES = 9;

/** Returns the largest size that plain data can have in the database, in bytes. */
export function sizeAtMost(value: unknown): number {
  if (typeof value === "string") return OVERHEAD_BYTES + Buffer.byteLength(value);
  if (typeof value !== "object" || value === null) return OVERHEAD_BYTES;
  if (value instanceof Uint8Array) return OVERHEAD_BYTES + value.length;
  let bytes = OVERHEAD_BYTES;
  if (Array.isArray(value)) for (const item of value) bytes += sizeAtMost(item);
  else
    for (const key in value)
      bytes += OVERHEAD_BYTES + 3 * key.length + sizeAtMost((value as Record<string, unknown>)[key]);
  return bytes;
}

/** Returns the size of the updates of a change, in bytes. */
export function updateSize({ disk, memory }: UpdateRecord): number {
  return (disk?.length ?? 0) + (memory?.length ?? 0);
}

/** Estimates the size of an entry in the database, in bytes. */
export function entrySize({ updates, change: { splices, removed }, shelved = [] }: JournalEntry): number {
  const inserted = splices.reduce((sum, { insert }) => sum + insert.length, 0);
  const deleted = removed.reduce((sum, text) => sum + text.length, 0);
  return updateSize(updates) + 3 * (inserted + deleted) + sizeAtMost(shelved);
}
