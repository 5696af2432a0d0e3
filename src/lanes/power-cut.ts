import { type Files, type Image, isFileProblem, onDevice, sameImage } from "../mirror/files.ts";
import { decode, encode } from "../mirror/format.ts";
import { storeFailure } from "../store/store.ts";
import { diff } from "../text/diff/diff.ts";
import type { Text } from "../text/text.ts";
import { pauses } from "../work/pause.ts";
import type { Document } from "../workspace/document/document.ts";
import { isTorn } from "../workspace/document/file-content.ts";
import { digest } from "../workspace/versions/digest.ts";
import { textOf } from "./file/take-in.ts";
import { movedUnseen } from "./moved-unseen.ts";
import {
  type LaneFileRecord,
  type LaneRecord,
  shelvedFile,
  shelvedLane,
  unshelvedFile,
} from "./records/record.ts";
import { imagesOf, openedFor, type RestartedLane } from "./restarted-file.ts";

interface Restarted extends Pick<RestartedLane, "workspace"> {
  /** Opens the lane's folder. */
  readonly openFiles: () => Files;
  /** The system's present run, as `bootId`. */
  readonly boot: string | undefined;
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
  parts: RestartedLane,
  lane: string,
  records: readonly LaneFileRecord[],
): Promise<readonly LaneFileRecord[]> {
  const { store, report, clock } = parts.workspace.ports;
  const pause = pauses(clock);
  const kept: LaneFileRecord[] = [];
  const earlier: LaneFileRecord[] = [];
  const missing: LaneFileRecord[] = [];
  const fallen: LaneFileRecord[] = [];
  for (const record of records) {
    await pause(); // each file is read
    const found = await foundOf(parts, record);
    if (found === "there") kept.push(record);
    else if (found === "before") earlier.push({ ...record, staged: undefined });
    else (found === "missing" ? missing : fallen).push(record);
  }
  const moved = await movedUnseen(parts, missing, new Set(records.map(({ path }) => path)));
  const left = new Set(moved.map(({ path }) => path));
  fallen.push(...missing.filter(({ path }) => !left.has(path)));
  const [first] = fallen;
  if (first !== undefined) report("lane.fell_back", { lane, path: first.path, files: fallen.length });
  const noted = [...earlier, ...moved];
  await store.shelve(...fallen.map(unshelvedFile), ...noted.map(shelvedFile));
  return [...kept, ...noted];
}

/**
 * The state of a file after a restart. `there`: the file is as the daemon knew it, or as the agent wrote it since.
 * `before`: the staged version has not taken its place. `fallen`: a power cut took it back, and it is removed.
 */
type Found = "there" | "before" | "missing" | "fallen";

async function foundOf(parts: RestartedLane, record: LaneFileRecord): Promise<Found> {
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

/** Returns true for a file that is older than the daemon knew it, with a text that a power cut may leave. */
async function isOlder(
  { workspace, files }: RestartedLane,
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
async function isZeroed({ workspace, files }: RestartedLane, record: LaneFileRecord): Promise<boolean> {
  const read = await files.read(record.path, workspace.limits.maxFileBytes);
  if (isFileProblem(read) || !read.bytes.includes(0)) return false;
  const document = await openedFor(workspace, record);
  return document !== undefined && isLeftOf(read.bytes, record, document);
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
