import type { Image } from "../mirror/files.ts";

/**
 * A file that no document has, as the daemon last read it. A later change of the file becomes a document's first change
 * (I16).
 */
export interface Baseline {
  /** Root-relative, POSIX. */
  readonly path: string;
  /** The file when it was read. */
  readonly image: Image;
  /** The hash of the file's bytes, by which the store has its content; absent for a file that is not text. */
  readonly sha256?: string;
}

/** The bytes of a file, compressed; files with equal bytes share them. */
export interface Content {
  /** The hash of the bytes before their compression. */
  readonly sha256: string;
  readonly deflated: Uint8Array;
}

/**
 * The packed inventory of a folder: the stamps of its files. At the time of the inventory, the store had a baseline
 * with these stamps, or a document, of each. The store has none once it removed such a baseline, or such a document
 * left its path.
 */
export type Inventory = Uint8Array;

/** Stores baselines, contents and inventories. Each write is atomic, and durable when its promise resolves. */
export interface BaselineStore {
  /**
   * The beginning of the last pass that gave every file a baseline or a document, in milliseconds since the epoch. A
   * file with neither that changed later is newer. Undefined if the last pass left files out.
   */
  readonly coveredAt: number | undefined;
  /** @throws StoreError */
  markCovered(at: number | undefined): Promise<void>;

  at(path: string): Baseline | undefined;
  /** Returns the baselines in the order of their paths; with `folder`, only those beneath it. */
  list(folder?: string): Iterable<Baseline>;
  /** Returns the paths of all baselines in their order. */
  paths(): Iterable<string>;
  /** The number of baselines. */
  readonly count: number;
  /** Another number after each change of the paths that have baselines. */
  readonly generation: number;
  /** Returns the baseline whose file had an inode when it was read. */
  withInode(ino: bigint): Baseline | undefined;
  /** Stores all records and all contents, or none. @throws StoreError */
  save(records: readonly Baseline[], contents: readonly Content[]): Promise<void>;
  /** Removes the baselines of these paths. @throws StoreError */
  drop(paths: readonly string[]): Promise<void>;
  /** From now on adds each path that loses its baseline or its document to `lost`, or to nothing. */
  noteLost(lost: Set<string> | undefined): void;

  /** Returns the inventory of a folder ("" is the root). */
  inventory(folder: string): Inventory | undefined;
  /** Returns the folders that have inventories. */
  inventoried(): Iterable<string>;
  /** Stores the inventories of folders; removes the undefined ones. @throws StoreError */
  saveInventories(inventories: ReadonlyMap<string, Inventory | undefined>): Promise<void>;

  hasContent(sha256: string): boolean;
  /** Returns the compressed bytes of a content. */
  content(sha256: string): Uint8Array | undefined;
  /** Returns the hashes of all contents. */
  contents(): Iterable<string>;
  /** True when a baseline was removed, or got another content, since the last call of `searching`. */
  readonly mayHaveUnnamed: boolean;
  /** Notes that a search begins for contents that no baseline names. @throws StoreError */
  searching(): Promise<void>;
  /** @throws StoreError */
  dropContents(hashes: readonly string[]): Promise<void>;
}
