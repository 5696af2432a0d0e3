import type { Database } from "lmdb";
import type { Baseline, BaselineStore, Content, Inventory } from "../baselines.ts";
import type { StoredBaseline } from "../format/baseline-format.ts";
import { sizeAtMost } from "../size.ts";
import type { Databases } from "./environment.ts";
import type { GroupWriter } from "./group-writer.ts";
import type { Tables } from "./tables.ts";
import type { RecordWrite } from "./write.ts";

type BaselineTables = Pick<Tables, "baselines" | "contents" | "inodes" | "inventories" | "meta">;

/** Maps each call of the BaselineStore port to reads and to atomic writes of tables. */
export class LmdbBaselines implements BaselineStore {
  readonly #tables: BaselineTables;
  readonly #writer: GroupWriter;
  #mayHaveUnnamed: boolean;
  #generation = 0;
  #lost: Set<string> | undefined;

  constructor(tables: BaselineTables, writer: GroupWriter) {
    this.#tables = tables;
    this.#writer = writer;
    this.#mayHaveUnnamed = tables.meta.get(UNNAMED) === 1;
  }

  get coveredAt(): number | undefined {
    return this.#tables.meta.get(COVERED_AT) || undefined;
  }

  markCovered(at: number | undefined): Promise<void> {
    return this.#writer.write(() => [this.#tables.meta.put(COVERED_AT, at ?? 0)]);
  }

  at(path: string): Baseline | undefined {
    const stored = this.#tables.baselines.get(path);
    return stored && baselineOf(path, stored);
  }

  *list(folder?: string): Iterable<Baseline> {
    const range = folder === undefined ? {} : { start: `${folder}/`, end: `${folder}${AFTER_SLASH}` };
    for (const { key, value } of this.#tables.baselines.range(range)) yield baselineOf(key, value);
  }

  paths(): Iterable<string> {
    return this.#tables.baselines.keys();
  }

  get count(): number {
    return this.#tables.baselines.count;
  }

  get generation(): number {
    return this.#generation;
  }

  /** Ends a write that put or removed baselines: reads see them. */
  readonly changed = (): void => {
    this.#generation++;
  };

  withInode(ino: bigint): Baseline | undefined {
    const path = this.#tables.inodes.get(inodeKey(ino));
    const baseline = path === undefined ? undefined : this.at(path);
    return baseline?.image.ino === ino ? baseline : undefined;
  }

  save(records: readonly Baseline[], contents: readonly Content[]): Promise<void> {
    const written = this.#writer.write(
      () => [
        ...contents.map(({ sha256, deflated }) => this.#tables.contents.put(sha256, deflated)),
        ...records.flatMap((record) => this.#put(record)),
      ],
      contents.reduce((sum, { deflated }) => sum + pagesOf(deflated.length), sizeAtMost(records)),
      { sparing: true },
    );
    return written.finally(this.changed);
  }

  drop(paths: readonly string[]): Promise<void> {
    return this.#writer.write(() => paths.flatMap((path) => this.removal(path))).finally(this.changed);
  }

  /** Returns the writes for the removal of a path's baseline. */
  removal(path: string): RecordWrite[] {
    const before = this.#tables.baselines.get(path);
    return [
      this.#tables.baselines.remove(path),
      this.inventoryRemoval(path),
      ...(before === undefined ? [] : this.#inodeRemoval(path, before)),
      ...(before?.sha256 === undefined ? [] : this.#unname()),
    ];
  }

  noteLost(lost: Set<string> | undefined): void {
    this.#lost = lost;
  }

  /** Returns the write for the removal of the inventory in which a file is that loses its baseline or its document. */
  inventoryRemoval(path: string): RecordWrite {
    this.#lost?.add(path);
    return this.#tables.inventories.remove(path.slice(0, path.lastIndexOf("/") + 1) || ROOT);
  }

  inventory(folder: string): Inventory | undefined {
    return this.#tables.inventories.get(inventoryKey(folder));
  }

  *inventoried(): Iterable<string> {
    for (const key of this.#tables.inventories.keys()) yield key.slice(0, -1);
  }

  saveInventories(inventories: ReadonlyMap<string, Inventory | undefined>): Promise<void> {
    const all = [...inventories];
    return this.#writer.write(
      () =>
        all.map(([folder, inventory]) =>
          inventory === undefined
            ? this.#tables.inventories.remove(inventoryKey(folder))
            : this.#tables.inventories.put(inventoryKey(folder), inventory),
        ),
      all.reduce((sum, [, inventory]) => sum + pagesOf(inventory?.length ?? 0), 0),
      { sparing: true },
    );
  }

  hasContent(sha256: string): boolean {
    return this.#tables.contents.has(sha256);
  }

  content(sha256: string): Uint8Array | undefined {
    return this.#tables.contents.get(sha256);
  }

  contents(): Iterable<string> {
    return this.#tables.contents.keys();
  }

  get mayHaveUnnamed(): boolean {
    return this.#mayHaveUnnamed;
  }

  searching(): Promise<void> {
    this.#mayHaveUnnamed = false;
    return this.#writer.write(() => [this.#tables.meta.put(UNNAMED, 0)]);
  }

  dropContents(hashes: readonly string[]): Promise<void> {
    return this.#writer.write(() => hashes.map((sha256) => this.#tables.contents.remove(sha256)));
  }

  #put({ path, image, ...rest }: Baseline): RecordWrite[] {
    const before = this.#tables.baselines.get(path);
    const put = this.#tables.baselines.put(path, { image, ...rest });
    const isUnnamed = before?.sha256 !== undefined && before.sha256 !== rest.sha256;
    const puts = isUnnamed ? [put, ...this.#unname()] : [put];
    if (before?.image.ino === image.ino) return puts;
    const index = this.#tables.inodes.put(inodeKey(image.ino), path);
    return [...puts, index, ...(before === undefined ? [] : this.#inodeRemoval(path, before))];
  }

  #unname(): RecordWrite[] {
    if (this.#mayHaveUnnamed) return [];
    this.#mayHaveUnnamed = true;
    return [this.#tables.meta.put(UNNAMED, 1)];
  }

  /** A later baseline may have the inode: another name of the file, or a new file. */
  #inodeRemoval(path: string, { image }: StoredBaseline): RecordWrite[] {
    const key = inodeKey(image.ino);
    return this.#tables.inodes.get(key) === path ? [this.#tables.inodes.remove(key)] : [];
  }
}

/** The first schema with all parts of baselines. */
const COMPLETE = 6;

/** Makes, within a transaction, the parts that a store of an older schema lacks. */
export function completeBaselines(
  { baselines, inodes }: Pick<Databases, "baselines" | "inodes">,
  meta: Database<number, string>,
  before: number,
): void {
  if (before >= COMPLETE) return;
  for (const { key, value } of baselines.getRange()) inodes.putSync(inodeKey(value.image.ino), key);
  meta.putSync(UNNAMED, 1);
}

function baselineOf(path: string, { image, sha256 }: StoredBaseline): Baseline {
  return sha256 === undefined ? { path, image } : { path, image, sha256 };
}

function inodeKey(ino: bigint): string {
  return ino.toString(36);
}

function inventoryKey(folder: string): string {
  return `${folder}/`;
}

/** Bytes of a page of the database. */
const PAGE = 4096;

/** Returns the bytes that a content takes: whole pages, and a copy of the page that names it. */
function pagesOf(bytes: number): number {
  return (Math.ceil(bytes / PAGE) + 2) * PAGE;
}

/** The key of the root's inventory. */
const ROOT = "/";
/** The character that follows the slash in the order of paths. */
const AFTER_SLASH = "0";
/** The name of the mark in the database `meta`; an earlier version marked every complete pass with 1. */
const COVERED_AT = "baselines";
/** The name of the mark `mayHaveUnnamed`. */
const UNNAMED = "unnamed";
