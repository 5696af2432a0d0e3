import type { DocumentRecord } from "../store.ts";
import type { LmdbBaselines } from "./baselines.ts";
import type { Tables } from "./tables.ts";
import type { RecordWrite } from "./write.ts";

/** The most paths, and the most ids of one path, that are remembered: more than are ever on their way into the store. */
const MOST_PATHS = 1_000;
const MOST_IDS = 32;

/** Owns the records of documents, by id and by path. */
export class LmdbDocuments {
  /** The ids of the last entry of each path, which the store may not show yet. */
  readonly #written = new Map<string, readonly string[]>();
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
    return [document, left, this.#tables.paths.put(path, this.#entryOf(path, id))];
  }

  /** Returns the ids of a path, `id` first. Documents whose writes are under way are among the others. */
  #entryOf(path: string, id: string): readonly string[] {
    const others = [...(this.#written.get(path) ?? []), ...this.at(path).map((other) => other.id)];
    const entry = [...new Set([id, ...others])];
    this.#written.delete(path);
    this.#written.set(path, entry.slice(0, MOST_IDS));
    if (this.#written.size > MOST_PATHS) this.#written.delete(this.#written.keys().next().value!);
    return entry;
  }
}
