import * as z from "zod";
import type { DocPath } from "../../mirror/path.ts";
import { isPathProblem, parsePath } from "../../mirror/path.ts";
import type { ChangeRecord, SnapshotRecord } from "../../store/store.ts";
import type { GivenRecord, RecordKind } from "../../workspace/document/shared-records.ts";
import { decode, packer } from "../base/packing.ts";
import type { Vector } from "../base/vector.ts";
import type { Name, Stamp } from "../state/names.ts";
import { recordItem } from "./record-items.ts";
import { bytes, count, fitsStore, listOf, vectorSchema } from "./schemas.ts";

/** One message of a machine's log. The other machines apply all of its items in order, or none. */
export interface Message {
  /** The messages that the machine had received when it sent this one, beyond the ones that it had reported before. */
  readonly after: Vector;
  readonly items: readonly (Item | UnreadableItem)[];
}

/** A message whose turn has come, with all messages that its machine had received before it sent this one. */
export interface Opened {
  readonly machine: string;
  readonly number: number;
  readonly message: Message;
  readonly after: Vector;
}

/** The message that an item is part of. */
export interface Source {
  readonly machine: string;
  readonly number: number;
  /** The messages that the machine had received when it sent this one. */
  readonly after: Vector;
}

/** The message that brought a change of a text. */
export type Sender = Pick<Source, "machine" | "number">;

/** A document that the other machines lack: its text with all operations, and its history up to that text. */
export interface DocumentItem {
  readonly is: "document";
  readonly doc: string;
  readonly bom: boolean;
  readonly born: Stamp;
  readonly name: Name;
  readonly snapshot: SnapshotRecord;
  /** Oldest first; the last one is the change of the snapshot. */
  readonly changes: readonly ChangeRecord[];
}

/** A change of a document that the other machines have. */
export interface ChangeItem {
  readonly is: "change";
  readonly doc: string;
  readonly facts: Facts;
  /** The Loro updates, in the order in which a replica imports them. */
  readonly updates: readonly Uint8Array[];
  /** The document's name after an event of its file. */
  readonly name?: Name;
  /** The machine where the change was made; left out if it is the sender. */
  readonly machine?: string;
}

/** The facts and the operations of a change of a text. */
export type TextItem = Pick<ChangeItem, "facts" | "updates">;

/** A record that machines share beside documents. */
export interface RecordItem {
  readonly is: "record";
  readonly kind: RecordKind;
  readonly id: string;
  /** The moment of this form. */
  readonly stamp: Stamp;
  /** Null for a record that is removed. */
  readonly given: GivenRecord | null;
}

export type Item = DocumentItem | ChangeItem | RecordItem;

/** An item of a message that this machine cannot read. It is set aside, and the others are applied (I14). */
export interface UnreadableItem {
  readonly is: "unreadable";
  /** The id of the document or record; "" where the item has none. */
  readonly doc: string;
  readonly reason: string;
}

/** The facts of a change that are the same on all machines. */
export type Facts = Omit<
  ChangeRecord,
  "seq" | "origin" | "splices" | "removed" | "sha256" | "folded" | "beside" | "machine"
>;

/**
 * More items than a message of a log has. Every version of the outbox ends a message at 128 KB, where most items count at
 * least 100 bytes, or at most 1,000 changes of one document later.
 */
const MOST_ITEMS = 4_000;
/** More items than a document of a snapshot has, with the changes after it. */
export const MOST_OF_DOCUMENT = 1_000_000;
const MOST_ID = 64;
/** The most characters of the reason why a message is refused. */
const MOST_REASON = 500;
const path = z.string().transform((value, context): DocPath => {
  const parsed = parsePath(value);
  if (!isPathProblem(parsed) && fitsStore(parsed)) return parsed;
  const message = isPathProblem(parsed) ? parsed.message : "the path has too many control characters";
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});
export const stampSchema = z.object({ lamport: count, machine: z.string().max(64) });
const name = z.object({ path, isDeleted: z.boolean(), stamp: stampSchema, seen: vectorSchema.optional() });

const splice = z.object({ from: count, to: count, insert: z.string() });
const answered = z.object({ thread: z.string(), messageId: z.string() });
const fileEvent = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("create") }),
  z.object({ kind: z.literal("delete") }),
  z.object({ kind: z.literal("rename"), from: z.string(), to: z.string() }),
]);

const factsSchema = z.object({
  id: z.string().max(64),
  author: z.string().max(256),
  agent: z.string().max(256),
  time: z.number(),
  message: z.string().optional(),
  session: z.string().optional(),
  answers: answered.optional(),
  certainty: z.enum(["sure", "likely"]).optional(),
  candidates: listOf(z.string()).optional(),
  file: fileEvent.optional(),
  undoes: z.string().optional(),
  alsoUndoes: listOf(z.string()).optional(),
  batch: z.object({ id: z.string(), size: count }).optional(),
  lacked: z
    .object({
      base: z.string(),
      authors: listOf(z.string()),
      evidence: z.enum(["claim", "editor", "unread", "texts"]).optional(),
    })
    .optional(),
  patch: z.object({ hunks: count, offset: z.number(), fuzz: count }).optional(),
});

const wholeChange = factsSchema.extend({
  seq: count,
  origin: z.enum(["agent", "disk", "undo", "proposal", "remote"]),
  splices: listOf(splice),
  removed: listOf(z.string()),
  sha256: z.string().optional(),
  machine: z.string().optional(),
  beside: z
    .object({ splices: listOf(splice), removed: listOf(z.string()), authors: listOf(z.string()) })
    .optional(),
});

const documentItem = z.object({
  is: z.literal("document"),
  doc: z.string().max(64),
  bom: z.boolean(),
  born: stampSchema,
  name,
  snapshot: z.object({ seq: count, form: z.enum(["update", "snapshot"]), bytes }),
  changes: listOf(wholeChange, 1),
});

const changeItem = z.object({
  is: z.literal("change"),
  doc: z.string().max(64),
  facts: factsSchema,
  updates: listOf(bytes),
  name: name.optional(),
  machine: z.string().optional(),
});

const itemSchema = z.discriminatedUnion("is", [documentItem, changeItem, recordItem]);
const messageSchema = z.object({
  after: vectorSchema,
  items: z.custom<readonly unknown[]>(Array.isArray, "must be a list"),
});

export function encodeMessage(message: Message): Uint8Array {
  return packer.encode(message);
}

/** Returns a machine's message of at most `most` items, or the reason why its bytes are no message. */
export function decodeMessage(encoded: Uint8Array, most = MOST_ITEMS): Message | string {
  let value: unknown;
  try {
    value = decode(encoded);
  } catch (error) {
    return String(error);
  }
  const parsed = messageSchema.safeParse(value);
  if (!parsed.success) return reasonOf(parsed.error);
  const { after, items } = parsed.data;
  return items.length <= most ? { after, items: items.map(itemOf) } : "the message has too many items";
}

function itemOf(value: unknown): Item | UnreadableItem {
  const parsed = itemSchema.safeParse(value);
  if (parsed.success) return parsed.data as Item;
  const { doc = "", id = "" } = (value ?? {}) as { readonly doc?: unknown; readonly id?: unknown };
  const name = [doc, id].find((one) => typeof one === "string" && one !== "" && one.length <= MOST_ID);
  return { is: "unreadable", doc: String(name ?? ""), reason: reasonOf(parsed.error) };
}

/** Returns the first defect that a schema has found. */
function reasonOf({ issues }: z.ZodError): string {
  const [{ path, message }] = issues as [z.core.$ZodIssue];
  return `${path.map(String).join(".")}: ${message}`.slice(0, MOST_REASON);
}

/** Returns the facts of a change that all machines share. */
export function factsOf(change: ChangeRecord): Facts {
  const { seq: _seq, origin: _origin, splices: _splices, removed: _removed, ...facts } = change;
  const { sha256: _sha256, folded: _folded, beside: _beside, machine: _machine, ...shared } = facts;
  return shared;
}
