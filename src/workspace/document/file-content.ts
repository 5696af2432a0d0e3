import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { Pair } from "../../doc/pair.ts";
import { type Image, isFileProblem } from "../../mirror/files.ts";
import { encode } from "../../mirror/format.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { ChangeRecord, DocumentRecord, Seq, Store } from "../../store/store.ts";
import { invert } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import type { Context } from "./context.ts";
import { ageOf, type Content, type ContentSearch } from "./recovery.ts";

/** The texts that the store has of a document. */
export interface StoredTexts {
  readonly head: ChangeRecord;
  readonly landed: Seq;
  /** The replicas, restored with `landed`. */
  readonly pair: Pair;
  /** Returns the text of the last save that was merged beside edits. */
  readonly savedText: () => Text;
  /** The changes that were joined with later ones: their texts were never written to the file by themselves. */
  readonly joined: ReadonlySet<Seq>;
}

/** Reads a file that a power cut may have changed, and compares it with the texts of a search. */
export async function readContent(
  { ports: { files, store }, limits }: Context,
  record: DocumentRecord,
  { oldest, save }: ContentSearch,
  { head, landed, pair, savedText, joined }: StoredTexts,
): Promise<{ readonly content: Content; readonly image?: Image }> {
  const { id, bom } = record;
  const reading = await files.read(record.path as DocPath, limits.maxFileBytes);
  if (isFileProblem(reading)) return { content: { kind: "unreadable" } };
  const { bytes, image } = reading;
  return { content: await contentOf(), image };

  async function contentOf(): Promise<Content> {
    const age = ageOf(record, image, landed);
    if (age === "later") return { kind: "later" };
    if (age === "recorded")
      return { kind: sameBytes(bytes, encode({ bom, text: pair.disk })) ? "complete" : "incomplete" };
    const seq = earlierVersion(store, id, bytes, { oldest, joined });
    if (seq !== undefined) return { kind: "version", seq };
    // The file contained a merged save, but memory never did: no change has its hash.
    if (save && sameBytes(bytes, encode({ bom, text: savedText() }))) return { kind: "save" };
    for (const text of texts(store, id, head, pair.memory, oldest)) {
      await setImmediate(); // there may be thousands of texts (I14)
      if (isTorn(bytes, Buffer.concat(encode({ bom, text })))) return { kind: "torn" };
    }
    return { kind: "unknown" };
  }
}

/** Finds the newest change, back to `oldest`, after which the file had exactly these bytes. */
function earlierVersion(
  store: Store,
  id: string,
  bytes: Uint8Array,
  { oldest, joined }: { readonly oldest: Seq; readonly joined: ReadonlySet<Seq> },
): Seq | undefined {
  const hash = createHash("sha256").update(bytes).digest("hex");
  for (const { seq, sha256 } of store.changes(id)) {
    if (seq < oldest) return undefined;
    if (sha256 === hash && !joined.has(seq)) return seq;
  }
  return undefined;
}

/** Yields the texts that a document had, newest first, back to the one after change `oldest`. */
function* texts(store: Store, id: string, head: ChangeRecord, newest: Text, oldest: Seq): Generator<Text> {
  let text = newest;
  for (let change: ChangeRecord | undefined = head; change !== undefined; ) {
    yield text;
    if (change.seq <= oldest) return;
    text = text.splice(invert(change.splices, change.removed));
    change = store.change(id, change.seq - 1);
  }
}

function sameBytes(bytes: Uint8Array, pieces: readonly Uint8Array[]): boolean {
  let at = 0;
  for (const piece of pieces) {
    if (Buffer.compare(bytes.subarray(at, at + piece.length), piece) !== 0) return false;
    at += piece.length;
  }
  return at === bytes.length;
}

/** Returns true for a text, or its beginning, in which parts may have become zeros. */
export function isTorn(bytes: Uint8Array, text: Uint8Array): boolean {
  return bytes.length <= text.length && bytes.every((byte, i) => byte === 0 || byte === text[i]);
}
