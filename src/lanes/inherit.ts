import type { Files, LeftBehind, NotedSwap } from "../mirror/files.ts";
import type { DocPath } from "../mirror/path.ts";
import type { Store } from "../store/store.ts";
import { isInPlace, unseenSave } from "../workspace/folder/left-behind.ts";
import type { LaneFile } from "./file/lane-file.ts";
import {
  type DisplacedWrite,
  displacedIn,
  displacedWrites,
  shelvedWrite,
  unshelvedWrite,
} from "./records/displaced-write.ts";
import { settleExpected } from "./records/expected.ts";
import type { LaneFiles } from "./records/lane-files.ts";
import { fileIdOf } from "./records/record.ts";

interface Inheriting {
  readonly name: string;
  readonly store: Store;
  readonly files: Files;
  readonly known: LaneFiles;
  readonly maxBytes: number;
  readonly open: (path: DocPath) => Promise<LaneFile>;
}

/**
 * Decides which files came into the lane as an earlier process ended. Makes the files of a lane watch the files that it
 * displaced, and takes in writes that this process had not seen (I3). Each is noted before the store gets anything else:
 * later records replace the note of its swap.
 */
export async function inherit({ name, store, files, known, maxBytes, open }: Inheriting): Promise<void> {
  await settleExpected(known, files);
  const all = [...known.all()];
  const noted = displacedWrites(store, name);
  const writes = new Map(
    [...all.flatMap((one) => displacedIn(one) ?? []), ...noted].map((one) => [one.by, one]),
  );
  const staged = all.flatMap((one) => one.staged?.id ?? []);
  const swaps = [...new Set([...staged, ...writes.keys()])].map(
    (by): NotedSwap => ({ staged: by, expected: writes.get(by)?.expected }),
  );
  const paths = new Map(all.map(({ path }) => [fileIdOf(name, path), path]));
  const left = files.clearLeftBehind(swaps, maxBytes).flatMap((one) => {
    const write = one.by === undefined ? undefined : writes.get(one.by);
    const path = (write && known.ofDocument(write.docId)?.path) ?? paths.get(one.docId);
    if (path !== undefined && !isInPlace(files, path, one)) return [{ ...one, path, write }];
    one.file.discard();
    return [];
  });
  const hidden = [...writes.values()].filter(({ by }) => files.isHidden(by)); // the next process may see them
  const unseen = [...hidden, ...left.flatMap(({ isUnseen, write }) => (isUnseen && write ? write : []))];
  const there = new Set([...hidden, ...left].map(({ by }) => by));
  const notes = [
    ...noted.filter(({ by }) => !there.has(by)).map(unshelvedWrite),
    ...unseen.filter(({ by }) => noted.every((one) => one.by !== by)).map(shelvedWrite),
  ];
  if (notes.length > 0) void known.storeFirst(notes);
  for (const one of left) takeOver(await open(one.path), one);
}

/** Makes a file of a lane watch a displaced file, and take it in if no process had seen it. */
function takeOver(
  { mirror, state }: LaneFile,
  { write, ...left }: LeftBehind & { write: DisplacedWrite | undefined },
) {
  if (!left.isUnseen || write === undefined) return mirror.inherit(left);
  const { seq, own = [], by } = write;
  const before = state.document?.versions.textAt(seq)?.splice(own);
  mirror.inheritUnseen(left, before, unseenSave(left, by));
}
