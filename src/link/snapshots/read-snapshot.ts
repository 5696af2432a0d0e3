import * as z from "zod";
import { unpacked } from "../base/packing.ts";
import { type ChangeItem, decodeMessage, MOST_OF_DOCUMENT, stampSchema } from "../messages/message.ts";
import type { SnapshotRecordItem } from "../messages/record-exchange.ts";
import { bytes, count, listOf, vectorSchema } from "../messages/schemas.ts";
import type { Gone, Missing, SnapshotDocument, SnapshotFile, SnapshotHead } from "./snapshot.ts";

/** An entry of a snapshot that this machine cannot read. The others are taken in (I14). */
export interface UnreadableEntry {
  readonly unreadable: string;
  /** The id of the document or record; "" where the entry has none. */
  readonly id: string;
}

export type SnapshotEntry = SnapshotDocument | SnapshotRecordItem | Gone | Missing | UnreadableEntry;

/** More entries than a part has: every version ends a part at 4 MB, and each entry counts 80 bytes or more. */
const MOST_ENTRIES = 100_000;

const id = z.string().max(64);

const headSchema = z.object({
  machine: z.string(),
  id,
  documentParts: count,
  fileParts: count,
  documents: count,
  files: count,
  vector: vectorSchema,
  lamport: count,
  isPartial: z.boolean().optional(),
  lacks: vectorSchema.optional(),
  time: z.number(),
  digests: listOf(bytes).optional(),
});
const fileSchema = z.object({
  path: z.string(),
  sha256: z.string(),
  isExecutable: z.boolean(),
  deflated: bytes,
});
const nameOnly = z.object({ id, path: z.string(), born: stampSchema, stamp: stampSchema });
const entrySchema = z.object({
  gone: nameOnly.optional(),
  missing: nameOnly.optional(),
  message: bytes.optional(),
  lacks: z.boolean().optional(),
  lacked: vectorSchema.optional(),
  machines: listOf(z.string().max(256).nullable()).optional(),
  last: vectorSchema.optional(),
  born: z.object({ machine: id, number: count }).optional(),
});

/** Returns a snapshot's head; undefined for other bytes. */
export function decodeHead(encoded: Uint8Array): SnapshotHead | undefined {
  return headSchema.safeParse(unpacked(encoded)).data;
}

/** Returns the documents and records of a part; undefined for bytes that are no part. */
export function documentsIn(encoded: Uint8Array): SnapshotEntry[] | undefined {
  return entriesOf(encoded)?.map(entryOf);
}

function entriesOf(part: Uint8Array): readonly unknown[] | undefined {
  const packed = unpacked(part);
  return Array.isArray(packed) && packed.length <= MOST_ENTRIES ? packed : undefined;
}

function entryOf(packed: unknown): SnapshotEntry {
  const unreadable = (reason: string, doc = ""): UnreadableEntry => ({ unreadable: reason, id: doc });
  const value = entrySchema.safeParse(packed instanceof Uint8Array ? unpacked(packed) : undefined).data;
  if (value === undefined) return unreadable("the entry has another form");
  if (value.gone !== undefined) return { gone: value.gone };
  if (value.missing !== undefined) return { missing: value.missing };
  const message =
    value.message === undefined ? "the entry is empty" : decodeMessage(value.message, MOST_OF_DOCUMENT);
  if (typeof message === "string") return unreadable(message);
  const [first, ...rest] = message.items;
  if (first?.is === "unreadable") return unreadable(first.reason, first.doc);
  if (first?.is === "record" && value.born !== undefined) return { item: first, born: value.born };
  if (first?.is !== "document") return unreadable("the entry begins with no document");
  const end = rest.findIndex((item) => item.is !== "change");
  const bad = rest[end];
  return {
    document: first,
    changes: (bad === undefined ? rest : rest.slice(0, end)) as ChangeItem[],
    machines: value.machines ?? [],
    last: value.last ?? {},
    ...(value.lacks === true && { lacks: true, lacked: value.lacked }),
    ...(bad !== undefined && { defect: bad.is === "unreadable" ? bad.reason : `a ${bad.is} is no change` }),
  };
}

/** Returns the files of a part that this machine can read; undefined for bytes that are no part. */
export function filesIn(encoded: Uint8Array): SnapshotFile[] | undefined {
  return entriesOf(encoded)?.flatMap((file) => fileSchema.safeParse(file).data ?? []);
}
