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

/** How a file stands to its document after a start. */
export interface Recovered {
  /** The last of memory's changes that the file holds; less than the newest has it written. */
  readonly landed: Seq;
  /** What the file is as far as it was looked into: later saves show against this. */
  readonly image: Image | undefined;
}

/** What is known before the file is read. */
export interface Expected extends Recovered {
  /** The least that `landed` can be, because of how the document is stored. */
  readonly floor: Seq;
  readonly head: ChangeRecord;
  /** As restored with `landed`. */
  readonly pair: Pair;
  /** Returns the text of the disk replica as restored with `floor`: the last save that was merged beside edits. */
  readonly savedText: () => Text;
}

/** True while the file may have been written to since it was last made to outlast a power cut. */
export function isUnsettled({ landed, staged, synced = -1 }: DocumentRecord): boolean {
  return landed > synced || (staged !== undefined && staged.seq > synced);
}

/**
 * Reads a file that may not have outlasted a power cut. It can then be an earlier version again, have lost its
 * end, or be zeros where it held text. None of that is anybody's edit (I5); such a file is to be written anew.
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
    await setImmediate(); // there may be thousands (I14)
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

/** The newest change, back to the oldest given, after which a document's file had just these bytes. */
function earlierVersion(store: Store, id: string, bytes: Uint8Array, oldest: Seq): Seq | undefined {
  const hash = createHash("sha256").update(bytes).digest("hex");
  for (const { seq, sha256 } of store.changes(id)) {
    if (seq < oldest) return undefined;
    if (sha256 === hash) return seq;
  }
  return undefined;
}

/** True when a file bears the stamps of what was last seen there or last staged: nobody has written to it since. */
function isKnown({ image, staged }: Pick<DocumentRecord, "image" | "staged">, seen: Image): boolean {
  return [image, staged?.image].some(
    (noted) => noted !== undefined && noted.ino === seen.ino && noted.mtimeNs === seen.mtimeNs,
  );
}

/** The texts that a document had, newest first, back to the one after a change. */
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

/** True when a file has another size than was noted, though nobody has written to it since. */
export function lostItsEnd({ image }: DocumentRecord, seen: Image): boolean {
  return image !== undefined && isKnown({ image }, seen) && image.size !== seen.size;
}

/** True of a text, or its beginning, of which parts may have become zeros. */
function isTorn(bytes: Uint8Array, text: Uint8Array): boolean {
  return bytes.length <= text.length && bytes.every((byte, i) => byte === 0 || byte === text[i]);
}

/** A record as it was noted, with its images as they are on the device that the files are on now. */
export function onThisDevice(record: DocumentRecord, dev: bigint): DocumentRecord {
  const { image, staged } = record;
  return {
    ...record,
    ...(image && { image: onDevice(image, dev) }),
    ...(staged && { staged: { ...staged, image: onDevice(staged.image, dev) } }),
  };
}

/** True when a file still is what was noted of it. */
export function isUntouched({ image }: DocumentRecord, seen: Image): boolean {
  return image !== undefined && sameImage(image, seen);
}
