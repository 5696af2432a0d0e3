import type { Baseline, BaselineStore, Content, Inventory } from "../../src/store/baselines.ts";
import type { MemoryState } from "./memory-state.ts";

/** Baselines in memory; `write` takes each change through the steps of a MemoryStore's writes. */
export class MemoryBaselines implements BaselineStore {
  readonly #visible: MemoryState;
  readonly #write: (change: (state: MemoryState) => void) => Promise<void>;

  constructor(visible: MemoryState, write: (change: (state: MemoryState) => void) => Promise<void>) {
    this.#visible = visible;
    this.#write = write;
  }

  get coveredAt(): number | undefined {
    return this.#visible.coveredAt;
  }

  markCovered(at: number | undefined): Promise<void> {
    return this.#write((state) => {
      state.coveredAt = at;
    });
  }

  at(path: string): Baseline | undefined {
    return this.#visible.baselines.get(path);
  }

  list(folder?: string): Iterable<Baseline> {
    const records = [...this.#visible.baselines.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
    return folder === undefined ? records : records.filter(({ path }) => path.startsWith(`${folder}/`));
  }

  save(records: readonly Baseline[], contents: readonly Content[]): Promise<void> {
    return this.#write((state) => {
      for (const { sha256, deflated } of contents) state.contents.set(sha256, deflated);
      for (const record of records) state.saveBaseline(record);
    });
  }

  drop(paths: readonly string[]): Promise<void> {
    return this.#write((state) => {
      for (const path of paths) state.dropBaseline(path);
    });
  }

  noteLost(lost: Set<string> | undefined): void {
    this.#visible.lost = lost;
  }

  paths(): Iterable<string> {
    return [...this.#visible.baselines.keys()].sort();
  }

  get count(): number {
    return this.#visible.baselines.size;
  }

  get generation(): number {
    return this.#visible.generation;
  }

  withInode(ino: bigint): Baseline | undefined {
    return [...this.#visible.baselines.values()].findLast(({ image }) => image.ino === ino);
  }

  inventory(folder: string): Inventory | undefined {
    return this.#visible.inventories.get(folder);
  }

  inventoried(): Iterable<string> {
    return [...this.#visible.inventories.keys()].sort();
  }

  saveInventories(inventories: ReadonlyMap<string, Inventory | undefined>): Promise<void> {
    return this.#write((state) => {
      for (const [folder, inventory] of inventories)
        if (inventory === undefined) state.inventories.delete(folder);
        else state.inventories.set(folder, inventory);
    });
  }

  hasContent(sha256: string): boolean {
    return this.#visible.contents.has(sha256);
  }

  content(sha256: string): Uint8Array | undefined {
    return this.#visible.contents.get(sha256);
  }

  contents(): Iterable<string> {
    return [...this.#visible.contents.keys()].sort();
  }

  get mayHaveUnnamed(): boolean {
    return this.#visible.mayHaveUnnamed;
  }

  searching(): Promise<void> {
    return this.#write((state) => {
      state.mayHaveUnnamed = false;
    });
  }

  dropContents(hashes: readonly string[]): Promise<void> {
    return this.#write((state) => {
      for (const sha256 of hashes) state.contents.delete(sha256);
    });
  }
}
