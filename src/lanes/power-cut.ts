import { type Files, type Image, isFileProblem, onDevice, sameFile, sameImage } from "../mirror/files.ts";
import { decode, encode } from "../mirror/format.ts";
import type { DocPath } from "../mirror/path.ts";
import { storeFailure } from "../store/store.ts";
import { diff } from "../text/diff/diff.ts";
import type { Text } from "../text/text.ts";
import type { Document } from "../workspace/document/document.ts";
import { isTorn } from "../workspace/document/file-content.ts";
import type { Workspace } from "../workspace/folder/workspace.ts";
import { isRefusal } from "../workspace/outcome/refusal.ts";
import { digest } from "../workspace/versions/digest.ts";
import { textOf } from "./file/take-in.ts";
import {
  type LaneFileRecord,
  type LaneRecord,
  shelvedFile,
  shelvedLane,
  unshelvedFile,
} from "./records/record.ts";

interface Restarted {
  readonly workspace: Pick<Workspace, "ports" | "limits" | "opened" | "openedById">;
  /** Opens the lane's folder. */
  readonly openFiles: () => Files;
  /** The system's present run, as `bootId`. */
  readonly boot: string | undefined;
}

interface Parts extends Pick<Restarted, "workspace"> {
  /** The files of the lane. */
  readonly files: Files;
}

/**
 * Returns the records of a lane and of its files. If the machine was restarted since a daemon opened the lane, it leaves
 * out the files that a power cut took back. @throws StoreError, the system's error
 */
export async function sinceRestart(
  { workspace, openFiles, boot }: Restarted,
  record: LaneRecord,
  known: readonly LaneFileRecord[],
): Promise<[record: LaneRecord, files: readonly LaneFileRecord[]]> {
  if (record.boot === boot) return [record, known];
  const now = { ...record, boot };
  const files = record.boot === undefined ? undefined : openFiles();
  try {
    const found = files === undefined ? known : await withoutFallen({ workspace, files }, record.name, known);
    await storeFailure(workspace.ports.store.shelve(shelvedLane(now))); // else the next start looks again
    return [now, found];
  } finally {
    files?.close();
  }
}

/**
 * Finds what a power cut took back in a lane: the system had not yet written it to the disk. Such a file is missing, is
 * empty, lacks its end, or has an earlier text. None of that is the agent's. Forgets these files and removes what is left
 * of them, so that the lane gets them anew from the workspace. Returns the records of the others. @throws StoreError
 */
async function withoutFallen(
  parts: Parts,
  lane: string,
  records: readonly LaneFileRecord[],
): Promise<readonly LaneFileRecord[]> {
  const { store, report } = parts.workspace.ports;
  const kept: LaneFileRecord[] = [];
  const earlier: LaneFileRecord[] = [];
  const missing: LaneFileRecord[] = [];
  const fallen: LaneFileRecord[] = [];
  for (const record of records) {
    const found = await foundOf(parts, record);
    if (found === "there") kept.push(record);
    else if (found === "before") earlier.push({ ...record, staged: undefined });
    else (found === "missing" ? missing : fallen).push(record);
  }
  const there = missing.length === 0 ? new Map<bigint, FoundFile>() : await filesIn(parts);
  for (const record of missing) (isMoved(parts, record, there) ? kept : fallen).push(record);
  const [first] = fallen;
  if (first !== undefined) report("lane.fell_back", { lane, path: first.path, files: fallen.length });
  await store.shelve(...fallen.map(unshelvedFile), ...earlier.map(shelvedFile));
  return [...kept, ...earlier];
}

/**
 * The state of a file after a restart. `there`: the file is as the daemon knew it, or as the agent wrote it since.
 * `before`: the staged version has not taken its place. `fallen`: a power cut took it back, and it is removed.
 */
type Found = "there" | "before" | "missing" | "fallen";

async function foundOf(parts: Parts, record: LaneFileRecord): Promise<Found> {
  const { files } = parts;
  const { path, image, staged, gone } = record;
  const known = imagesOf(record);
  if (gone || known.length === 0) return "there";
  const seen = files.look(path);
  if (isFileProblem(seen)) return seen.kind === "missing" ? "missing" : "there";
  const same = known.find((one) => sameImage(onDevice(one, seen.dev), seen));
  const hasFallen =
    same === undefined ? await isOlder(parts, record, known, seen) : await isZeroed(parts, record);
  if (hasFallen) return files.remove(path, seen) === undefined ? "fallen" : "there";
  // The power cut also took back the staged version, and with it the sign that this is not in place.
  return same === image && same && staged && !files.isStaged(staged.id) ? "before" : "there";
}

/** Returns the file as the daemon last knew it, and the version that was to take its place. */
function imagesOf({ image, staged }: LaneFileRecord): readonly Image[] {
  return [image, staged?.image].filter((one) => one !== undefined);
}

/** Returns true for a file that is older than the daemon knew it, with a text that a power cut may leave. */
async function isOlder(
  { workspace, files }: Parts,
  record: LaneFileRecord,
  known: readonly Image[],
  seen: Image,
): Promise<boolean> {
  if (seen.size === 0) return known.some(({ size }) => size > 0);
  if (known.every(({ mtimeNs }) => seen.mtimeNs > mtimeNs)) return false; // somebody has written it since
  const read = await files.read(record.path, workspace.limits.maxFileBytes);
  const document = isFileProblem(read) ? undefined : await openedFor(workspace, record);
  if (document === undefined || isFileProblem(read)) return false;
  if (isLeftOf(read.bytes, record, document)) return true;
  const content = decode(read.bytes);
  if (content === undefined) return false;
  if (document.versions.findHash(await digest(content)) !== undefined) return true;
  // No daemon may have seen the text. But nobody has touched the file since, and nothing of it gets lost.
  if (known.every(({ ctimeNs }) => seen.ctimeNs > ctimeNs)) return false;
  const from = content.text.toString();
  const adds = (text: Text) => diff(from, text.toString()).every(({ from: at, to }) => at === to);
  return textsOf(record, document).some(adds);
}

/** Returns true for a file with the size and the times that the daemon knew, and with zeros in place of text. */
async function isZeroed({ workspace, files }: Parts, record: LaneFileRecord): Promise<boolean> {
  const read = await files.read(record.path, workspace.limits.maxFileBytes);
  if (isFileProblem(read) || !read.bytes.includes(0)) return false;
  const document = await openedFor(workspace, record);
  return document !== undefined && isLeftOf(read.bytes, record, document);
}

async function openedFor(
  workspace: Parts["workspace"],
  { path, docId }: LaneFileRecord,
): Promise<Document | undefined> {
  const opened = await (docId === undefined ? workspace.opened(path) : workspace.openedById(docId));
  return opened === undefined || isRefusal(opened) ? undefined : opened;
}

/** Returns true for the bytes, or the first bytes, of a text that the file had, some of which became zeros. */
function isLeftOf(bytes: Uint8Array, record: LaneFileRecord, document: Document): boolean {
  const { bom } = document.content;
  return textsOf(record, document).some((text) => isTorn(bytes, Buffer.concat(encode({ bom, text }))));
}

/** Returns the texts that a file had, as far as its record and the history tell, and the one that it was to get. */
function textsOf({ seq, own, staged, written, replaced }: LaneFileRecord, document: Document): Text[] {
  const had = [seq === undefined ? undefined : { seq, own }, staged, written, replaced];
  const texts = had.flatMap((one) => (one && textOf(document, one)) ?? []);
  return [document.text, ...texts];
}

/**
 * Returns true for a file that the agent moved. One that has an earlier name again, because the power cut took back a
 * rename, is removed.
 */
function isMoved({ files }: Parts, record: LaneFileRecord, there: ReadonlyMap<bigint, FoundFile>): boolean {
  const known = imagesOf(record);
  const file = known
    .map((one) => ({ one, at: there.get(one.ino) }))
    .find(({ one, at }) => at && sameFile(onDevice(one, at.image.dev), at.image))?.at;
  if (file === undefined) return false;
  const isLater = known.every(({ ctimeNs }) => file.image.ctimeNs > ctimeNs); // a move gives a file another time
  return isLater || files.remove(file.path, file.image) !== undefined;
}

/** A file of the lane, wherever it is. */
type FoundFile = { readonly path: DocPath; readonly image: Image };

/** Returns the files of the lane by their inodes. */
async function filesIn({ workspace, files }: Parts): Promise<ReadonlyMap<bigint, FoundFile>> {
  const found = new Map<bigint, FoundFile>();
  for await (const { path, image } of files.walk(workspace.ports.ignored.skips))
    found.set(image.ino, { path, image });
  return found;
}
