import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { Pair } from "../../doc/pair.ts";
import { type Image, isFileProblem, onDevice, sameImage } from "../../mirror/files.ts";
import { encode } from "../../mirror/format.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { ChangeRecord, DocumentRecord, Seq, Store } from "../../store/store.ts";
import { invert } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import type { Context } from "./context.ts";

/** The conclusion of a restart about a document's file. */
export interface Recovered {
  /** The last of memory's changes that the file holds; the daemon writes the file when that is not the newest. */
  readonly landed: Seq;
  /** The file's stamps as of the last look: a later save differs from them. */
  readonly image: Image | undefined;
}

/** The facts of the store, before the file is read. */
export interface Expected extends Recovered {
  /** The least that `landed` can be, because of what the store holds. */
  readonly floor: Seq;
  readonly head: ChangeRecord;
  /** The replicas, restored with `landed`. */
  readonly pair: Pair;
  /** Returns the text of the disk replica as restored with `floor`: the last save that was merged beside edits. */
  readonly savedText: () => Text;
}

/** Returns true when the daemon may have written the file since it last synced it. */
export function isUnsettled({ landed, staged, synced = -1 }: DocumentRecord): boolean {
  return landed > synced || (staged !== undefined && staged.seq > synced);
}

/**
 * Reads a file that may not have outlasted a power cut. Such a file can be an earlier version, lack its end, or hold
 * zeros where it held text. None of that is an edit (I5): the daemon writes the file again.
 */
export async function recover(
  { ports: { files, store, report }, limits }: Context,
  record: DocumentRecord,
  expected: Expected,
): Promise<Recovered> {
  const { landed, image, floor, head, pair, savedText } = expected;
  const reading = await files.read(record.path as DocPath, limits.maxFileBytes);
  if (isFileProblem(reading)) return { landed, image };
  const { bytes, image: seen } = reading;
  const lost = { landed: head.seq - 1, image: seen };
  if (isKnown(record, seen)) {
    const whole = sameBytes(bytes, encode({ bom: record.bom, text: pair.disk }));
    return whole ? { landed, image } : said(lost);
  }
  // A save after the daemon's last look, or after it staged the version that landed, has a later change time.
  if (image === undefined || seen.ctimeNs >= newestChangeTime(record, image, landed))
    return { landed, image };
  const oldest = Math.max(floor, record.synced ?? 0);
  const found = earlierVersion(store, record.id, bytes, oldest);
  if (found !== undefined) return said({ landed: found, image: seen });
  // A save that was merged beside edits was in the file, but never in memory: no change has its hash.
  if (floor >= oldest && sameBytes(bytes, encode({ bom: record.bom, text: savedText() })))
    return said({ landed: floor, image: seen });
  for (const text of texts(store, record.id, head, pair.memory, oldest)) {
    await setImmediate(); // there may be thousands of texts (I14)
    if (isTorn(bytes, Buffer.concat(encode({ bom: record.bom, text })))) return said(lost);
  }
  return { landed, image };

  function said(standing: Recovered): Recovered {
    report("file.fell_back", { path: record.path, landed: standing.landed, newest: head.seq });
    return standing;
  }
}

/** Returns the change time of the last image that the daemon noted of the file: at a look, or as it staged it. */
function newestChangeTime({ staged }: DocumentRecord, { ctimeNs }: Image, landed: Seq): bigint {
  const isLater = staged !== undefined && staged.seq <= landed && staged.image.ctimeNs > ctimeNs;
  return isLater ? staged.image.ctimeNs : ctimeNs;
}

/** Finds the newest change, back to `oldest`, after which the file had exactly these bytes. */
function earlierVersion(store: Store, id: string, bytes: Uint8Array, oldest: Seq): Seq | undefined {
  const hash = createHash("sha256").update(bytes).digest("hex");
  for (const { seq, sha256 } of store.changes(id)) {
    if (seq < oldest) return undefined;
    if (sha256 === hash) return seq;
  }
  return undefined;
}

/** Returns true when a file bears the stamps of the recorded or the staged version: nobody has written it since. */
function isKnown({ image, staged }: Pick<DocumentRecord, "image" | "staged">, seen: Image): boolean {
  return [image, staged?.image].some(
    (noted) => noted !== undefined && noted.ino === seen.ino && noted.mtimeNs === seen.mtimeNs,
  );
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

/** Returns true when a file has another size than the record says, though nobody has written it since. */
export function lostItsEnd({ image }: DocumentRecord, seen: Image): boolean {
  return image !== undefined && isKnown({ image }, seen) && image.size !== seen.size;
}

/** Returns true for a text, or its beginning, in which parts may have become zeros. */
function isTorn(bytes: Uint8Array, text: Uint8Array): boolean {
  return bytes.length <= text.length && bytes.every((byte, i) => byte === 0 || byte === text[i]);
}

/** Returns a record with its images as they are on the device that holds the files now. */
export function onThisDevice(record: DocumentRecord, dev: bigint): DocumentRecord {
  const { image, staged } = record;
  return {
    ...record,
    ...(image && { image: onDevice(image, dev) }),
    ...(staged && { staged: { ...staged, image: onDevice(staged.image, dev) } }),
  };
}

/** Returns true when a file still is what its record says. */
export function isUntouched({ image }: DocumentRecord, seen: Image): boolean {
  return image !== undefined && sameImage(image, seen);
}
