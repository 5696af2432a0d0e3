import type { LmdbBaselines } from "./lmdb-baselines.ts";
import type { Tables } from "./lmdb-tables.ts";
import type { DocumentRecord } from "./store.ts";
import type { RecordWrite } from "./write.ts";

/** Owns the records of documents, by id and by path. */
export class LmdbDocuments {
  readonly #tables: Pick<Tables, "documents" | "paths">;
  readonly #baselines: LmdbBaselines;

  constructor(tables: Pick<Tables, "documents" | "paths">, baselines: LmdbBaselines) {
    this.#tables = tables;
    this.#baselines = baselines;
  }

  all(): DocumentRecord[] {
    return Array.from(this.#tables.documents.range(), ({ value }) => value);
  }

  get(id: string): DocumentRecord | undefined {
    return this.#tables.documents.get(id);
  }

  /** Returns the documents of a path, the newest first; all others are deleted. */
  at(path: string): DocumentRecord[] {
    const ids = [this.#tables.paths.get(path) ?? []].flat();
    return ids.flatMap((id) => this.get(id) ?? []).filter((record) => record.path === path);
  }

  put(record: DocumentRecord): RecordWrite[] {
    const { id, path } = record;
    const document = this.#tables.documents.put(id, record);
    const before = this.get(id);
    if (before?.path === path && record.deletedAt === undefined) return [document];
    const left = this.#baselines.inventoryRemoval(before?.path ?? path);
    if (before?.path === path) return [document, left];
    // The entry of its former path stays: a write for another document of that path may be under way.
    const others = this.at(path).map((other) => other.id);
    return [document, left, this.#tables.paths.put(path, [id, ...others])];
  }
}
