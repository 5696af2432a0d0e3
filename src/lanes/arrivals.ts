import { type Files, type Image, isFileProblem } from "../mirror/files.ts";
import { decode } from "../mirror/format.ts";
import type { DocPath } from "../mirror/path.ts";
import { sharedLines } from "../text/shared-lines.ts";
import { KeyedQueue } from "../workspace/keyed-queue.ts";
import type { LaneFile } from "./lane-file.ts";
import type { LaneFiles } from "./lane-files.ts";

/** The least share of a text that a moved file still has, as for git. */
const ALIKE = 0.5;
/** If more files than these are missing, only the inode tells which of them is at another path. */
const FEW = 16;

interface ArrivalParts {
  readonly files: Files;
  readonly known: LaneFiles;
  readonly maxBytes: number;
  readonly file: (path: DocPath) => Promise<LaneFile>;
}

/**
 * Decides what a file is that the lane did not have: a new one, or one that the agent moved. Where the agent wrote to the
 * file right before it moved it, the text shows that.
 */
export class Arrivals {
  readonly #parts: ArrivalParts;
  readonly #turns = new KeyedQueue<DocPath>();
  readonly #missing = new Set<DocPath>();

  constructor(parts: ArrivalParts) {
    this.#parts = parts;
  }

  /** Notes that a file of the lane is not at its path. */
  missed(path: DocPath): void {
    this.#missing.add(path);
  }

  /** Takes in a file that the lane did not have; `image` is the file. */
  appeared(path: DocPath, image: Image): Promise<void> {
    const { known, file } = this.#parts;
    return this.#turns.run([path], async () => {
      const from = known.get(path) === undefined ? await this.#from(path, image) : undefined;
      if (from === undefined) await (await file(path)).look();
      else await (await file(from)).moved(path, image);
    });
  }

  /** Returns the former path of a moved file. */
  async #from(path: DocPath, image: Image): Promise<DocPath | undefined> {
    const from = this.#parts.known.movedTo(path, image);
    if (from === undefined || !this.#isLost(from)) return this.#alike(path);
    this.#missing.delete(from);
    return from;
  }

  /** Returns the path of the missing file whose text the file at `path` has for the most part. */
  async #alike(path: DocPath): Promise<DocPath | undefined> {
    const { files, maxBytes, file } = this.#parts;
    for (const one of this.#missing) if (!this.#isLost(one)) this.#missing.delete(one);
    if (this.#missing.size === 0 || this.#missing.size > FEW) return undefined;
    const read = await files.read(path, maxBytes);
    const content = isFileProblem(read) ? undefined : decode(read.bytes);
    if (content === undefined) return undefined;
    let best: { readonly share: number; readonly from: DocPath } | undefined;
    for (const from of [...this.#missing]) {
      const { shown } = (await file(from)).state;
      const share = sharedLines(shown.text.toString(), content.text.toString());
      if (share >= ALIKE && share > (best?.share ?? 0)) best = { share, from };
    }
    // Another file may have been found to be the missing one, or that one may be back.
    return best !== undefined && this.#isLost(best.from) && this.#missing.delete(best.from)
      ? best.from
      : undefined;
  }

  #isLost(path: DocPath): boolean {
    const { files, known } = this.#parts;
    if (known.get(path)?.image === undefined) return false;
    const there = files.look(path);
    return isFileProblem(there) && there.kind === "missing";
  }
}
