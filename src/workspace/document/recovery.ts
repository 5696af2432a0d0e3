import { type Image, onDevice, sameImage } from "../../mirror/files.ts";
import type { DocumentRecord, Seq, Store } from "../../store/store.ts";

/**
 * The facts that a restart has about a document's file. `stamps` compares the file's stamps with its record: `same`,
 * `resized` (another size, though the record's inode and modification time), `different`, or `unreadable`.
 */
export interface Evidence {
  readonly stamps: "same" | "resized" | "different" | "unreadable";
  /** The document's newest change. */
  readonly head: Seq;
  /** The last change that the file contains, according to its record. */
  readonly landed: Seq;
  /** The last change that the file contained at a snapshot or a save; the file never goes back beyond it. */
  readonly floor: Seq;
  /** The last change that the file contains even after a power cut; absent while the file was never synced. */
  readonly synced?: Seq | undefined;
  /** The last staged version; `present`: it is still in the staging folder, so it is not the file. */
  readonly staged?: { readonly seq: Seq; readonly present: boolean } | undefined;
  /** The content of the file; absent unless `contentSearch` requested it. */
  readonly content?: Content | undefined;
}

/**
 * The content of the file. The stamps are the record's or the staged version's: `complete` or `incomplete`, compared
 * with the disk replica. The stamps are newer: `later`. The stamps are older: `version` (the text after a change),
 * `save` (the last save merged beside edits), `torn` (such a text without its end, or with zeros), `unknown`.
 */
export type Content =
  | { readonly kind: "unreadable" | "complete" | "incomplete" | "later" | "save" | "torn" | "unknown" }
  | { readonly kind: "version"; readonly seq: Seq };

/** The texts to compare the file with. */
export interface ContentSearch {
  /** The oldest change after which the file may still have its text. */
  readonly oldest: Seq;
  /** True when the file may still have the text of the last save that was merged beside edits. */
  readonly save: boolean;
}

/**
 * The conclusion of a restart. `landed` is the last change that the file contains; the daemon writes the file when that
 * is not the newest. `as_recorded`: a later save differs from the recorded stamps. `fell_back`: a power cut changed the
 * file, which is no edit (I5); a later save differs from its present stamps. `damaged`: so it did, and the file has no
 * version whole.
 */
export interface Conclusion {
  readonly kind: "as_recorded" | "fell_back" | "damaged";
  readonly landed: Seq;
}

/**
 * Concludes what a file contains at a restart. After a power cut it can be an earlier version, lack its end, or hold
 * zeros where it held text.
 */
export function conclude(evidence: Evidence): Conclusion {
  const { content, floor, head } = evidence;
  switch (content?.kind) {
    case undefined:
    case "unreadable":
    case "complete":
    case "later":
    case "unknown":
      return { kind: "as_recorded", landed: landedOf(evidence) };
    case "version":
      return { kind: "fell_back", landed: content.seq };
    case "save":
      return { kind: "fell_back", landed: floor };
    case "incomplete":
    case "torn":
      return { kind: "damaged", landed: Math.min(landedOf(evidence), head - 1) };
  }
}

/**
 * Returns the last of memory's changes that the file has contained, before its content is read. The record may be old.
 * A save by another program proves a later change, and so does a staged version that left the staging folder (I1).
 */
export function landedOf(evidence: Evidence): Seq {
  const { head, landed, floor, staged } = evidence;
  const proven = Math.max(landed, floor);
  return Math.min(head, isSwappedIn(evidence) ? Math.max(proven, staged!.seq) : proven);
}

/** Returns true if the last staged version left the staging folder, and the file is not as recorded before. */
function isSwappedIn({ stamps, staged }: Evidence): boolean {
  return staged !== undefined && stamps !== "same" && !staged.present;
}

/**
 * Returns the last image that the daemon knows of a file. A file that is missing from its path has the image of the
 * staged version that was swapped in after the record; by it the file is found where somebody moved it.
 */
export function knownImage({ image, staged }: DocumentRecord, evidence: Evidence): Image | undefined {
  const isNewer = evidence.stamps === "unreadable" && isSwappedIn(evidence) && evidence.landed < staged!.seq;
  return image !== undefined && isNewer ? staged!.image : image;
}

/** Returns the search for a file that a power cut may have changed; undefined for every other file. */
export function contentSearch({ stamps, floor, ...record }: Evidence): ContentSearch | undefined {
  if (stamps !== "resized" && !isUnsettled(record)) return undefined;
  const oldest = Math.max(floor, record.synced ?? 0);
  return { oldest, save: floor >= oldest };
}

/** Returns true when the file may lack changes that the store has: its record may be older than the file. */
export function isBehind(store: Pick<Store, "changes">, { id, landed }: DocumentRecord): boolean {
  const [head] = store.changes(id, { limit: 1 });
  return head !== undefined && head.seq > landed;
}

/** Returns true when the daemon may have written the file since it last synced it. */
export function isUnsettled({
  landed,
  staged,
  synced = -1,
}: Pick<Evidence, "landed" | "synced"> & { readonly staged?: { readonly seq: Seq } | undefined }): boolean {
  return landed > synced || (staged !== undefined && staged.seq > synced);
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

/** Compares the stamps of a file with its record; `seen` is undefined for a file that cannot be looked at. */
export function stampsOf({ image }: DocumentRecord, seen: Image | undefined): Evidence["stamps"] {
  if (seen === undefined) return "unreadable";
  if (image === undefined) return "different";
  if (sameImage(image, seen)) return "same";
  return isOf(image, seen) && image.size !== seen.size ? "resized" : "different";
}

/**
 * Dates the stamps of a file: `recorded` are the stamps of the recorded or the staged version, so no other program
 * wrote the file since. `later` ones are of a save after the daemon's last look, or after it staged the version that
 * landed.
 */
export function ageOf(
  { image, staged }: Pick<DocumentRecord, "image" | "staged">,
  seen: Image,
  landed: Seq,
): "recorded" | "later" | "earlier" {
  // A power cut makes no file longer: a program wrote such a file in the same tick of the clock.
  const isRecorded = [image, staged?.image].some(
    (known) => known !== undefined && isOf(known, seen) && seen.size <= known.size,
  );
  if (isRecorded) return "recorded";
  if (image === undefined) return "later";
  const stagedTime = staged !== undefined && staged.seq <= landed ? staged.image.ctimeNs : image.ctimeNs;
  const newest = stagedTime > image.ctimeNs ? stagedTime : image.ctimeNs;
  return seen.ctimeNs >= newest ? "later" : "earlier";
}

function isOf(known: Image, seen: Image): boolean {
  return known.ino === seen.ino && known.mtimeNs === seen.mtimeNs;
}
