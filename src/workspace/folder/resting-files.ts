import { type Image, onDevice } from "../../mirror/files.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { DocumentRecord } from "../../store/store.ts";

/** A file as the daemon last knew it. */
interface RestingFile {
  readonly path: DocPath;
  readonly image: Image;
}

/**
 * Owns what the daemon knows of the files of documents that are not in memory. It finds them by inode, which a move
 * preserves.
 */
export class RestingFiles {
  readonly #files = new Map<string, RestingFile>();
  /** The keys of each path's files: every write of the daemon makes another inode. */
  readonly #keys = new Map<DocPath, readonly string[]>();
  /** The devices of the recorded files: the system may give a device another number when it starts. */
  readonly #recordedOn = new Set<bigint>();
  /** The documents without a file of which a version was staged, by its inode. */
  readonly #staged = new Map<string, string>();
  readonly #placed: (docId: string) => RestingFile | undefined;

  /**
   * `records` are of all documents at the start: until the daemon has looked for each file, a client may open it. `placed`
   * returns the file of a document that came to its place just before a crash, which its record does not show.
   */
  constructor(
    records: readonly DocumentRecord[],
    placed: (docId: string) => RestingFile | undefined = () => undefined,
  ) {
    this.#placed = placed;
    for (const { id, path, deletedAt, staged, image } of records) {
      if (deletedAt !== undefined) {
        if (staged === undefined) continue;
        this.#staged.set(keyOf(staged.image), id);
        this.#recordedOn.add(staged.image.dev);
        continue;
      }
      // A daemon that died may have swapped in the staged version without a record of that.
      for (const known of [staged?.image, image]) if (known !== undefined) this.#put(path as DocPath, known);
      if (image !== undefined) this.#recordedOn.add(image.dev);
    }
  }

  /** Adds the file at a path, in place of what was known to be there. */
  add(path: DocPath, image: Image): void {
    for (const key of this.#keys.get(path) ?? [])
      if (this.#files.get(key)?.path === path) this.#files.delete(key);
    this.#keys.delete(path);
    this.#put(path, image);
  }

  #put(path: DocPath, image: Image): void {
    const key = keyOf(image);
    this.#files.set(key, { path, image });
    this.#keys.set(path, [...(this.#keys.get(path) ?? []), key]);
  }

  /** Returns the known files with the inode of a file, as files of its device. */
  withInode({ dev: present, ino }: Image): readonly RestingFile[] {
    return [...new Set([present, ...this.#recordedOn])].flatMap((dev) => {
      const key = keyOf({ dev, ino });
      const known = this.#files.get(key) ?? this.#placed(this.#staged.get(key) ?? "");
      return known === undefined ? [] : { ...known, image: onDevice(known.image, present) };
    });
  }
}

function keyOf({ dev, ino }: Pick<Image, "dev" | "ino">): string {
  return `${dev}:${ino}`;
}
