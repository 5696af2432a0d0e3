import { type Files, isFileProblem, sameFile } from "../../mirror/files.ts";
import { storeFailure } from "../../store/store.ts";
import type { LaneFiles } from "./lane-files.ts";

/** Decides about each file that was about to come into the lane as an earlier process ended, whether it came. */
export async function settleExpected(known: LaneFiles, files: Files): Promise<void> {
  const absent = [];
  for (const record of [...known.all()]) {
    const { path, staged, image, gone } = record;
    if (!staged?.isNew || image !== undefined || gone) continue;
    if (files.isStaged(staged.id)) absent.push(known.remove(path));
    else {
      const seen = files.look(path);
      const isThere = !isFileProblem(seen) && sameFile(seen, staged.image);
      known.note({
        ...record,
        seq: staged.seq,
        image: staged.image,
        staged: isThere ? undefined : staged,
      });
    }
  }
  await storeFailure(Promise.all(absent)); // a refusal of the store loses nothing: the next process decides again
}
