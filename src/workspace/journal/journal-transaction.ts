import type { Reached } from "../../mirror/step.ts";
import type { JournalEntry, Store } from "../../store/store.ts";
import type { Ports } from "../ports.ts";

/**
 * Changes, of one document or several, that are stored together or not at all: those that are added before
 * anything else gets a turn. What any of them stands on must be kept, too, or none of them counts.
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

  /** True until it is on its way into the store. */
  get open(): boolean {
    return this.#open;
  }

  /** Adds a document's next change; resolves once all of the group and what it stands on (`before`) are kept. */
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

  /** A defect came up before the group was complete: none of it is stored. */
  abandon(error: unknown): void {
    this.#defect = error;
  }

  async #keep(): Promise<void> {
    this.#open = false;
    if (this.#defect !== undefined) throw this.#defect;
    const parts = [...this.#parts].map(([id, entries]) => ({ id, entries }));
    const kept = [this.#store.append(...parts), ...this.#stoodOn];
    this.#reached("journaled");
    await Promise.allSettled(kept); // the store is done with all of it, whatever came of it
    await Promise.all(kept);
    this.#reached("flushed");
  }
}
