import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { StoreError } from "../store.ts";
import { isOfAnother, type LogRecord, recordsIn } from "./record.ts";

const NAME = /^front\.(\d+)$/;

/** The content of the log of an earlier process. */
export interface Replayed {
  /** The groups that the database lacks, oldest first. */
  readonly groups: readonly LogRecord[];
  /** The number of the last group in the log. */
  readonly last: number;
  /** The names of the segments. */
  readonly names: readonly string[];
  /** The number of the next segment to make. */
  readonly nextNumber: number;
}

export function nameOf(number: number): string {
  return `front.${number}`;
}

/** Returns the names of the segments in a store's folder. */
export function segmentsIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => NAME.test(name));
}

export function removeSegments(folder: string, names: readonly string[]): void {
  for (const name of names) rmSync(join(folder, name), { force: true });
}

/** Reads the log of a database that durably has all groups up to `taken`. @throws StoreError, as `groupsAfter` */
export function readLog(folder: string, database: number, taken: number): Replayed {
  const names = segmentsIn(folder);
  const segments = names.map((name) => readFileSync(join(folder, name)));
  const groups = groupsAfter(taken, database, segments);
  const numbers = names.map((name) => Number(NAME.exec(name)?.[1]));
  return { groups, last: taken + groups.length, names, nextNumber: Math.max(0, ...numbers) + 1 };
}

/**
 * Returns the groups in the bytes of segments that follow group `taken`, oldest first. A group was written only after
 * the one before it was flushed. So the bytes after the last whole record were never acknowledged, and a missing group
 * before it is damage. @throws StoreError when the log does not continue the database
 */
export function groupsAfter(taken: number, database: number, segments: readonly Buffer[]): LogRecord[] {
  if (segments.some((bytes) => isOfAnother(bytes, database))) throw new StoreError("failed", FOREIGN);
  const records = segments.flatMap((bytes) => [...recordsIn(bytes, database)]);
  const groups = records.filter(({ seq }) => seq > taken).sort((a, b) => a.seq - b.seq);
  if (groups.some(({ seq }, i) => seq !== taken + 1 + i)) throw new StoreError("failed", GAP);
  return groups;
}

const FOREIGN = "the store is damaged: its front log belongs to another database";
const GAP =
  "the store is damaged: its front log has lost a group of writes, or its database is an older copy";
