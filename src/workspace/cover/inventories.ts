import { type DocPath, fileNameOf, folderOf } from "../../mirror/path.ts";
import type { Inventory } from "../../store/baselines.ts";
import type { Store } from "../../store/store.ts";
import type { Pause } from "../../work/pause.ts";
import { namesOf, type OpenFile, openFiles, sameStamps } from "./inventory.ts";
import type { KnownFolder, SurveyedFolder } from "./surveyor.ts";
import type { Tally } from "./tally.ts";

/** The inventories that one write stores. */
const AT_ONCE = 256;

/**
 * Owns the inventories of all folders. During a pass it gathers the changed ones. Once every file is dealt with, it
 * notes in them the store's state of each file, and stores them. The next pass then compares only files with other
 * stamps.
 */
export class Inventories {
  readonly #store: Store;
  readonly #maxFileBytes: number;
  /** The folders that this pass has listed, with their inventories if they changed. */
  readonly #listed = new Map<string, Inventory | undefined>();
  /** The number of baselines of the files that this pass has found. */
  #baselines = 0;
  /** The paths that lost a baseline or a document since the pass began, and from `decide` on since then. */
  #lost: ReadonlySet<string> = new Set();

  constructor(store: Store, maxFileBytes: number) {
    this.#store = store;
    this.#maxFileBytes = maxFileBytes;
  }

  /** Begins a pass. */
  begin(): void {
    this.#listed.clear();
    this.#baselines = 0;
    this.#noteLost();
  }

  known(folder: string): KnownFolder {
    return { folder, inventory: this.#store.baselines.inventory(folder) };
  }

  /** Adds a folder that the pass has listed; counts its unchanged files. */
  take(found: Exclude<SurveyedFolder, { readonly problem: unknown }>, tally: Tally): void {
    tally.add(found.files, found.bytes);
    this.#listed.set(found.folder, found.inventory);
    this.#baselines += found.baselines;
  }

  /**
   * Notes the store's state of each file that differed, or that lost its baseline since the pass listed it; the caller
   * calls this when no work on these files is under way. Stops once `isOver`.
   */
  async decide(pause: Pause, isOver: () => boolean): Promise<void> {
    const lost = namesByFolder(this.#lost);
    this.#noteLost();
    for (const [folder, inventory] of this.#listed) {
      const names = lost.get(folder);
      if (inventory === undefined) this.#uncount(folder, names);
      for (const file of inventory === undefined ? [] : openFiles(inventory, names)) {
        const rest = pause();
        if (rest !== undefined) await rest;
        if (isOver()) return;
        this.#decide(folder, file);
      }
    }
  }

  #decide(folder: string, { name, stamps, hadBaseline, decide }: OpenFile): void {
    const path = pathOf(folder, name);
    const baseline = this.#store.baselines.at(path);
    const isKnown =
      baseline === undefined ? hasDocument(this.#store, path) : sameStamps(baseline.image, stamps);
    decide({
      baseline: baseline !== undefined,
      covered: isKnown && (baseline === undefined || baseline.sha256 !== undefined),
      isOpen: !isKnown || stamps.size > this.#maxFileBytes,
    });
    this.#baselines += Number(baseline !== undefined) - Number(hadBaseline);
  }

  /** Counts the baselines no more that an unchanged folder has lost since the pass listed it. */
  #uncount(folder: string, names: Iterable<string> = []): void {
    for (const name of names)
      if (this.#store.baselines.at(pathOf(folder, name)) === undefined) this.#baselines--;
  }

  /** Yields the paths of the baselines whose files the pass has not found, until `isOver`. */
  async *unfound(pause: Pause, isOver: () => boolean): AsyncIterable<DocPath> {
    const { baselines } = this.#store;
    if (isOver() || (baselines.count === this.#baselines && this.#lost.size === 0)) return;
    const names = new Map<string, ReadonlySet<string>>();
    for (const path of baselines.paths() as Iterable<DocPath>) {
      const rest = pause();
      if (rest !== undefined) await rest;
      if (isOver()) return;
      const folder = folderOf(path);
      if (!names.has(folder)) names.set(folder, this.#namesIn(folder));
      if (!names.get(folder)!.has(fileNameOf(path))) yield path;
    }
  }

  /**
   * Stores the inventories that changed and that are still true, and removes those of folders that the pass has not
   * found. @throws StoreError
   */
  async save(): Promise<void> {
    const { baselines } = this.#store;
    const changed = [...this.#listed].filter(([, inventory]) => inventory !== undefined);
    const gone = [...baselines.inventoried()].filter((folder) => !this.#listed.has(folder));
    const all = [...changed, ...gone.map((folder) => [folder, undefined] as const)];
    for (let i = 0; i < all.length; i += AT_ONCE) {
      const lost = namesByFolder(this.#lost);
      await baselines.saveInventories(
        new Map(all.slice(i, i + AT_ONCE).filter(([folder]) => !lost.has(folder))),
      );
    }
    baselines.noteLost(undefined);
    this.#listed.clear();
  }

  #noteLost(): void {
    const lost = new Set<string>();
    this.#store.baselines.noteLost(lost);
    this.#lost = lost;
  }

  #namesIn(folder: string): ReadonlySet<string> {
    if (!this.#listed.has(folder)) return new Set();
    const inventory = this.#listed.get(folder) ?? this.#store.baselines.inventory(folder);
    return inventory === undefined ? new Set() : namesOf(inventory);
  }
}

/** Returns the names of files by their folders. */
function namesByFolder(paths: Iterable<string>): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>();
  for (const path of paths) {
    const folder = folderOf(path as DocPath);
    names.set(folder, (names.get(folder) ?? new Set()).add(fileNameOf(path as DocPath)));
  }
  return names;
}

function pathOf(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

/** Returns true for the path of a document with a file, because the document follows its own file. */
export function hasDocument(store: Store, path: string): boolean {
  const record = store.documentAt(path);
  return record !== undefined && record.deletedAt === undefined;
}
