import { type Files, type Image, isFileProblem } from "../mirror/files.ts";
import { type Decoded, decode } from "../mirror/format.ts";
import { isMissing } from "../mirror/is-missing.ts";
import type { DocPath } from "../mirror/path.ts";
import { KeyedQueue } from "../workspace/keyed-queue.ts";
import { FEW, likeness } from "./alike.ts";
import { imageOfCopy } from "./file/copied-document.ts";
import type { FileState } from "./file/file-state.ts";
import type { LaneFile } from "./file/lane-file.ts";
import type { LaneFiles } from "./records/lane-files.ts";

/** The number of tries to read a file that a program is writing. */
const READ_TRIES = 20;

interface ArrivalParts {
  readonly files: Files;
  readonly known: LaneFiles;
  readonly maxBytes: number;
  readonly file: (path: DocPath) => Promise<ArrivedFile>;
  /** Returns true for a path whose file is being taken in. */
  readonly isInUse: (path: DocPath) => boolean;
}

/** The parts of a lane's file that are used here. */
interface ArrivedFile extends Pick<LaneFile, "look" | "moved"> {
  readonly state: Pick<FileState, "shown">;
}

/**
 * Decides what a file is that the lane did not have: a new one, or one that the agent moved. Where the agent wrote to the
 * file right before it moved it, the text shows that.
 */
export class Arrivals {
  readonly #parts: ArrivalParts;
  readonly #turns = new KeyedQueue<DocPath>();
  /** The decisions under way. */
  readonly #deciding = new Set<Promise<unknown>>();
  /** The paths of new files that are being taken in. */
  readonly #new = new Set<DocPath>();
  /** The files that are not at their paths, and where each was found. */
  readonly #missing = new Map<DocPath, DocPath | undefined>();

  constructor(parts: ArrivalParts) {
    this.#parts = parts;
  }

  /** Takes in that a file of the lane may have changed. A copy with the same bytes has not: git may have written it again. */
  async changed(path: DocPath): Promise<void> {
    const { files, known, maxBytes, file, isInUse } = this.#parts;
    const record = known.get(path);
    const image = record && !isInUse(path) ? await imageOfCopy(files, record, maxBytes) : undefined;
    const isSame = image !== undefined && known.get(path) === record && !isInUse(path);
    if (isSame) await known.put({ ...record!, image });
    else await (await file(path)).look();
  }

  /** Takes in that a file of the lane is not at its path. */
  async missed(path: DocPath): Promise<void> {
    if (!this.#missing.has(path)) this.#missing.set(path, undefined);
    await (await this.#parts.file(path)).look();
  }

  /** Takes in a file that the lane did not have; `image` is the file. */
  async appeared(path: DocPath, image: Image): Promise<void> {
    const isNew = () => void this.#new.add(path);
    if (await this.moved(path, image, isNew)) return;
    try {
      await (await this.#parts.file(path)).look();
    } finally {
      this.#new.delete(path);
    }
  }

  /**
   * Takes in a move of a file; returns false for a file that the lane has at this path, and for a new one that is there.
   * `isNew` is called for a new one before anybody else decides about this path.
   */
  moved(path: DocPath, image: Image, isNew = () => {}): Promise<boolean> {
    const { files, known, file } = this.#parts;
    const deciding = this.#turns.run([path], async () => {
      if (isMissing(files, path)) return true; // while this waited for its turn, the agent moved the file on
      if (known.get(path) !== undefined || this.#new.has(path)) return false;
      const from = await this.#from(path, image);
      if (from === undefined && isMissing(files, path)) return true; // it went while the daemon read it
      if (from === undefined) isNew();
      else await (await file(from)).moved(path, image);
      return from !== undefined;
    });
    this.#deciding.add(deciding);
    return deciding.finally(() => this.#deciding.delete(deciding));
  }

  /** Resolves once it is decided what each file is that was found until now. */
  async decided(): Promise<void> {
    await Promise.allSettled(this.#deciding);
  }

  /** Returns the former path of a moved file. */
  async #from(path: DocPath, image: Image): Promise<DocPath | undefined> {
    const from = this.#parts.known.movedFrom(image);
    if (from === undefined || !this.#isLost(from)) return this.#alike(path);
    this.#missing.set(from, path);
    return from;
  }

  /** Returns the path of the missing file whose text the file at `path` has for the most part, and maybe much more. */
  async #alike(path: DocPath): Promise<DocPath | undefined> {
    for (const one of this.#missing.keys()) if (!this.#isLost(one)) this.#missing.delete(one);
    if (this.#missing.size === 0 || this.#missing.size > FEW) return undefined;
    const content = await this.#read(path);
    if (content === undefined) return undefined;
    let best: { readonly share: number; readonly from: DocPath } | undefined;
    for (const from of [...this.#missing.keys()]) {
      if (!this.#isSought(from)) continue;
      const { shown } = (await this.#parts.file(from)).state;
      const share = likeness(shown.text.toString(), content.text.toString());
      if (share > (best?.share ?? 0)) best = { share, from };
    }
    // Another file may have been found to be the missing one, or that one may be back.
    if (best === undefined || !this.#isSought(best.from)) return undefined;
    this.#missing.set(best.from, path);
    return best.from;
  }

  /** Reads a file, also one that is written or replaced meanwhile; undefined for one that is no text, or is not there. */
  async #read(path: DocPath): Promise<Decoded | undefined> {
    const { files, maxBytes } = this.#parts;
    for (let tries = 0; tries < READ_TRIES; tries++) {
      const read = await files.read(path, maxBytes);
      if (!isFileProblem(read)) return decode(read.bytes);
      if (read.kind !== "changed") return undefined;
    }
    return undefined;
  }

  /** Returns true for a missing file that is nowhere: it may have been moved again from where it was found. */
  #isSought(path: DocPath): boolean {
    const to = this.#missing.get(path);
    return this.#isLost(path) && (to === undefined || isMissing(this.#parts.files, to));
  }

  #isLost(path: DocPath): boolean {
    return this.#parts.known.hadFile(path) && isMissing(this.#parts.files, path);
  }
}
