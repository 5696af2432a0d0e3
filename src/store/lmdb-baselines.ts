import type { Database } from "lmdb";
import type { Baseline, BaselineStore, Content } from "./baselines.ts";
import type { Databases } from "./lmdb-environment.ts";
import type { LmdbWriter } from "./lmdb-writer.ts";
import { sizeAtMost } from "./size.ts";

/** Maps each call of the BaselineStore port to reads and to atomic writes of two LMDB databases. */
export class LmdbBaselines implements BaselineStore {
  readonly #db: Pick<Databases, "baselines" | "contents">;
  readonly #meta: Database<number, string>;
  readonly #writer: LmdbWriter;

  constructor(
    db: Pick<Databases, "baselines" | "contents">,
    meta: Database<number, string>,
    writer: LmdbWriter,
  ) {
    this.#meta = meta;
    this.#db = db;
    this.#writer = writer;
  }

  get coveredAt(): number | undefined {
    return this.#meta.get(COVERED_AT) || undefined;
  }

  markCovered(at: number | undefined): Promise<void> {
    return this.#writer.write(() => [this.#meta.put(COVERED_AT, at ?? 0)]);
  }

  at(path: string): Baseline | undefined {
    return this.#db.baselines.get(path);
  }

  *list(folder?: string): Iterable<Baseline> {
    const range = folder === undefined ? {} : { start: `${folder}/`, end: `${folder}${AFTER_SLASH}` };
    for (const { value } of this.#db.baselines.getRange(range)) yield value;
  }

  save(records: readonly Baseline[], contents: readonly Content[]): Promise<void> {
    return this.#writer.write(
      () => [
        ...contents.map(({ sha256, deflated }) => this.#db.contents.put(sha256, deflated)),
        ...records.map((record) => this.#db.baselines.put(record.path, record)),
      ],
      contents.reduce((sum, { deflated }) => sum + pagesOf(deflated.length), sizeAtMost(records)),
      { sparing: true },
    );
  }

  drop(paths: readonly string[]): Promise<void> {
    return this.#writer.write(() => paths.map((path) => this.#db.baselines.remove(path)));
  }

  hasContent(sha256: string): boolean {
    return this.#db.contents.doesExist(sha256);
  }

  content(sha256: string): Uint8Array | undefined {
    return this.#db.contents.get(sha256);
  }

  contents(): Iterable<string> {
    return this.#db.contents.getKeys();
  }

  dropContents(hashes: readonly string[]): Promise<void> {
    return this.#writer.write(() => hashes.map((sha256) => this.#db.contents.remove(sha256)));
  }
}

/** Bytes of a page of the database. */
const PAGE = 4096;

/** Returns the bytes that a content takes: whole pages, and a copy of the page that names it. */
function pagesOf(bytes: number): number {
  return (Math.ceil(bytes / PAGE) + 2) * PAGE;
}

/** The character that follows the slash in the order of paths. */
const AFTER_SLASH = "0";
/** The name of the mark in the database `meta`; an earlier version marked every complete pass with 1. */
const COVERED_AT = "baselines";
