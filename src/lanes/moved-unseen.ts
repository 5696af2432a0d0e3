import { type Image, isFileProblem, type Listed, onDevice, sameFile } from "../mirror/files.ts";
import { decode } from "../mirror/format.ts";
import type { DocPath } from "../mirror/path.ts";
import { pauses } from "../work/pause.ts";
import { FEW, likeness } from "./alike.ts";
import { unread } from "./file/begin.ts";
import { textOf } from "./file/take-in.ts";
import type { LaneFileRecord } from "./records/record.ts";
import { imagesOf, openedFor, type RestartedLane } from "./restarted-file.ts";

/** A time before that of any file. */
const EARLIER = -1n;

/** A file that may be a missing one, with the record that it then gets. */
interface Likeness {
  /** The share of both texts that is the same. */
  readonly share: number;
  readonly of: LaneFileRecord;
  readonly file: Listed;
  readonly moved: LaneFileRecord;
}

/**
 * Returns the records of the missing files that the agent moved before a power cut or since, as the lane's looks find the
 * moves by. `paths` are those of all records. A file that has an earlier name again, because the power cut took back a
 * rename, is removed.
 */
export async function movedUnseen(
  lane: RestartedLane,
  missing: readonly LaneFileRecord[],
  paths: ReadonlySet<DocPath>,
): Promise<readonly LaneFileRecord[]> {
  const there = new Map<bigint, Listed>();
  const skips = lane.workspace.ports.ignored.skips;
  if (missing.length > 0) for await (const file of lane.files.walk(skips)) there.set(file.image.ino, file);
  const moved: LaneFileRecord[] = [];
  const lost: LaneFileRecord[] = [];
  for (const record of missing) {
    const [file, known] = itself(record, there);
    if (file === undefined) lost.push(record);
    else if (isLater(file, known) || lane.files.remove(file.path, file.image) !== undefined)
      moved.push(record);
    if (file !== undefined) there.delete(file.image.ino);
  }
  const unknown = [...there.values()].filter(({ path }) => !paths.has(path));
  return [...moved, ...(await savedAsOthers(lane, lost, unknown))];
}

/** Returns the file of a record, under whatever name, and the image that the daemon knew of it. */
function itself(record: LaneFileRecord, there: ReadonlyMap<bigint, Listed>): [file?: Listed, known?: Image] {
  for (const known of imagesOf(record)) {
    const file = there.get(known.ino);
    if (file !== undefined && sameFile(onDevice(known, file.image.dev), file.image)) return [file, known];
  }
  return [];
}

/**
 * Returns true for a file that changed since the daemon knew it: a move gives a file another time. A version that the
 * daemon staged meanwhile tells nothing of that.
 */
function isLater({ image }: Listed, known: Image | undefined): boolean {
  return known !== undefined && image.ctimeNs > known.ctimeNs;
}

/**
 * Returns the records of missing files that the agent saved as other files, and moved: of an unknown file with at least
 * half of the text (LV41). The power cut did not take such a file away. Each unknown file is one missing file at most.
 */
async function savedAsOthers(
  { workspace, files }: RestartedLane,
  missing: readonly LaneFileRecord[],
  unknown: readonly Listed[],
): Promise<readonly LaneFileRecord[]> {
  if (missing.length > FEW) return [];
  const formers = (await Promise.all(missing.map((record) => formersOf(workspace, record)))).flat();
  const alike: Likeness[] = [];
  const pause = pauses(workspace.ports.clock);
  for (const file of formers.length === 0 ? [] : unknown) {
    await pause();
    const read = await files.read(file.path, workspace.limits.maxFileBytes);
    const text = isFileProblem(read) ? undefined : decode(read.bytes)?.text.toString();
    if (text === undefined) continue;
    for (const { of, text: former, changes } of formers) {
      const image = { ...file.image, ctimeNs: EARLIER }; // at a further start the file is a moved one, too
      const moved = unread({ ...of, ...changes, staged: undefined, image });
      // The looks find the file by this image; a system that does not tell when a file was made has no such image.
      if (!isLater(file, of.image) || !sameFile(moved.image!, file.image)) continue;
      const share = likeness(former, text);
      if (share > 0) alike.push({ share, of, file, moved });
    }
  }
  const found = new Map<LaneFileRecord | Listed, LaneFileRecord>();
  // Of two texts that are as like it, the file had the earlier one: others' later text is then not taken for removed.
  for (const { of, file, moved } of alike.sort((a, b) => b.share - a.share))
    if (!found.has(of) && !found.has(file)) found.set(of, moved).set(file, moved);
  return missing.flatMap((record) => found.get(record) ?? []);
}

/** A text that a missing file had, and what its record then says of the text. */
interface Former {
  readonly of: LaneFileRecord;
  readonly text: string;
  readonly changes: Pick<LaneFileRecord, "seq" | "own">;
}

/** Returns the texts from which the agent may have saved a file: that of its record, and the one staged last. */
async function formersOf(
  workspace: RestartedLane["workspace"],
  record: LaneFileRecord,
): Promise<readonly Former[]> {
  const { image, seq, own, staged } = record;
  const document = image && (await openedFor(workspace, record));
  if (document === undefined || document.deleted) return [];
  return [{ seq, own }, ...(staged ? [{ seq: staged.seq, own: undefined }] : [])].flatMap((changes) => {
    const at = changes.seq;
    const text = at === undefined ? document.text : textOf(document, { ...changes, seq: at });
    return text === undefined ? [] : { of: record, text: text.toString(), changes };
  });
}
