import type { Files } from "../mirror/files.ts";
import type { DocPath } from "../mirror/path.ts";
import type { LaneFile } from "./lane-file.ts";
import type { LaneFiles } from "./lane-files.ts";
import { fileIdOf } from "./record.ts";

interface Inheriting {
  readonly name: string;
  readonly files: Files;
  readonly known: LaneFiles;
  readonly maxBytes: number;
  readonly open: (path: DocPath) => Promise<LaneFile>;
}

/**
 * Makes the files of a lane watch the files that an earlier process displaced. Takes in saves that this process had not
 * seen (I3).
 */
export async function inherit({ name, files, known, maxBytes, open }: Inheriting): Promise<void> {
  const all = [...known.all()];
  const swaps = all.flatMap(({ staged, seq = -1, image }) =>
    staged === undefined ? [] : { staged: staged.id, expected: seq < staged.seq ? image : undefined },
  );
  const left = files.clearLeftBehind(swaps, maxBytes);
  if (left.length === 0) return;
  const paths = new Map(all.map(({ path }) => [fileIdOf(name, path), path]));
  for (const one of left) {
    const path = paths.get(one.docId);
    if (path === undefined) {
      one.file.discard();
      continue;
    }
    const { seq, own = [] } = known.get(path)!;
    const { mirror, state } = await open(path);
    const before = seq === undefined ? undefined : state.document?.versions.textAt(seq)?.splice(own);
    if (one.isUnseen) mirror.inheritUnseen(one, before);
    else mirror.inherit(one);
  }
}
