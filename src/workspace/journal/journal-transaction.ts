import type { Reached } from "../../mirror/step.ts";
import type { JournalEntry, Store } from "../../store/store.ts";
import type { Ports } from "../ports.ts";

/**
 * Commits the changes of one or more documents that are added before the next turn of the event loop: all or none. The
 * group is durable only if every earlier write of its documents is.
 */
export class JournalTransaction {
  readonly #store: Store;
  readonly #reached: Reached;
  readonly #parts = new Map<string, JournalEntry[]>();
  readonly #stoodOn: Promise<void>[] = [];
  #kept: Promise<void> | undefined;
  #open = true;
  #defect: unknown;

  constructor({ store, reached }: Pick<Ports, "store" | "reached">) {
    this.#store = store;
    this.#reached = reached;
  }

  /** True until the group is on its way into the store. */
  get open(): boolean {
    return this.#open;
  }

  /**
   * Adds a document's next change. Resolves once the whole group is durable, and every earlier write (`before`) with
   * it.
   */
  add(id: string, entry: JournalEntry, before: Promise<void>): Promise<void> {
    const entries = this.#parts.get(id);
    if (entries !== undefined) entries.push(entry);
    else {
      this.#parts.set(id, [entry]);
      this.#stoodOn.push(before);
    }
    this.#kept ??= Promise.resolve().then(() => this.#keep());
    return this.#kept;
  }

  /** Abandons the group after a defect: nothing of it is stored. */
  abandon(error: unknown): void {
    this.#defect = error;
  }

  async #keep(): Promise<void> {
    this.#open = false;
    if (this.#defect !== undefined) throw this.#defect;
    const parts = [...this.#parts].map(([id, entries]) => ({ id, entries }));
    const kept = [this.#store.append(...parts), ...this.#stoodOn];
    this.#reached("journaled");
    await Promise.allSettled(kept); // the store is done with all of the group, with or without success
    await Promise.all(kept);
    this.#reached("flushed");
  }
}
