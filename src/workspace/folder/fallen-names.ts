import { type Files, type Image, isFileProblem } from "../../mirror/files.ts";
import { isMissing } from "../../mirror/is-missing.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { DocumentRecord, Store } from "../../store/store.ts";
import { isUnsettled } from "../document/recovery.ts";

interface Folder {
  readonly store: Pick<Store, "changes">;
  readonly files: Pick<Files, "look">;
  /** Returns false for the path of another document that has a file. */
  readonly isFree: (path: DocPath) => boolean;
}

/**
 * Finds files that a power cut gave former names back, together with older versions: it took back a rename and a write,
 * and the inode is that of the older version. Whether the file has a text of the document shows once this is loaded.
 */
export class FallenNames {
  readonly #folder: Folder;
  #recorded: readonly DocumentRecord[];
  #byName: ReadonlyMap<DocPath, DocumentRecord> | undefined;

  /** `recorded` are the records of all documents at the start. */
  constructor(recorded: readonly DocumentRecord[], folder: Folder) {
    this.#recorded = recorded;
    this.#folder = folder;
  }

  /** Returns the path of the document whose missing file may be the one with a former name of it: `image` is the file. */
  from(name: DocPath, image: Image): DocPath | undefined {
    const record = this.#names.get(name);
    const isEarlier = record?.image !== undefined && image.ctimeNs < record.image.ctimeNs; // nobody has touched it since
    return isEarlier && isMissing(this.#folder.files, record.path as DocPath)
      ? (record.path as DocPath)
      : undefined;
  }

  /** Returns the former name that the missing file of a document may have again. */
  of(docId: string): DocPath | undefined {
    for (const [name, { id }] of this.#names) {
      if (id !== docId || !this.#folder.isFree(name)) continue;
      const image = this.#folder.files.look(name);
      if (!isFileProblem(image) && this.from(name, image) !== undefined) return name;
    }
    return undefined;
  }

  /** Yields the paths of the documents with such files. */
  *paths(): Iterable<DocPath> {
    for (const { id, path } of this.#names.values()) if (this.of(id) !== undefined) yield path as DocPath;
  }

  /** The documents by the names that their files had since the last sync. One that nobody wrote since has its inode. */
  get #names(): ReadonlyMap<DocPath, DocumentRecord> {
    if (this.#byName !== undefined) return this.#byName;
    const byName = new Map<DocPath, DocumentRecord>();
    for (const record of this.#recorded) {
      const { id, path, deletedAt, synced = -1 } = record;
      if (deletedAt !== undefined || !isUnsettled(record) || !isMissing(this.#folder.files, path as DocPath))
        continue;
      for (const { seq, file } of this.#folder.store.changes(id)) {
        if (seq <= synced) break;
        if (file?.kind === "rename") byName.set(file.from as DocPath, record);
      }
    }
    this.#recorded = [];
    this.#byName = byName;
    return byName;
  }
}
