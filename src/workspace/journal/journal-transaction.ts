import type { Reached } from "../../mirror/step.ts";
import type { DocumentRecord, JournalEntry, Store } from "../../store/store.ts";
import type { Ports } from "../ports.ts";

/** The changes of one document in a transaction. */
interface Part {
  readonly entries: JournalEntry[];
  /** Completes the entries: joined edits become one update. @throws on a defect */
  readonly seal: () => void;
  /** As `Joining.record`, of each change that has one. */
  readonly records: NonNullable<Joining["record"]>[];
}

/** How a change joins a group. */
export interface Joining {
  /** Completes the document's entries before they are stored. */
  readonly seal: () => void;
  /** True for a change that may be stored with all changes that are added in this turn of the event loop. */
  readonly waits: boolean;
  /** Returns the record of the document's file, to be stored with the change; undefined for none. */
  readonly record?: (() => DocumentRecord | undefined) | undefined;
}

/**
 * Commits the changes of one or more documents that are added before the group begins: all or none. The group is durable
 * only if every earlier write of its documents is.
 */
export class JournalTransaction {
  readonly #store: Store;
  readonly #reached: Reached;
  readonly #parts = new Map<string, Part>();
  readonly #stoodOn: Promise<void>[] = [];
  readonly #kept: Promise<void>;
  #begin!: (keeping: Promise<void>) => void;
  #open = true;
  #defect: unknown;

  constructor({ store, reached }: Pick<Ports, "store" | "reached">) {
    this.#store = store;
    this.#reached = reached;
    this.#kept = new Promise((begin) => {
      this.#begin = begin;
    });
  }

  /** True until the group is on its way into the store. */
  get open(): boolean {
    return this.#open;
  }

  /**
   * Adds a document's next change. Resolves once the whole group is durable, and every earlier write (`before`) with
   * it. The group is on its way at once, or where every change of it `waits`, at the end of this turn of the event loop.
   */
  add(
    id: string,
    entry: JournalEntry,
    before: Promise<void>,
    { seal, waits, record }: Joining,
  ): Promise<void> {
    if (!waits) queueMicrotask(() => this.begin());
    else if (this.#parts.size === 0) setImmediate(() => this.begin());
    const part = this.#parts.get(id);
    const records = record === undefined ? [] : [record];
    if (part !== undefined) {
      part.entries.push(entry);
      part.records.push(...records);
    } else {
      this.#parts.set(id, { entries: [entry], seal, records });
      this.#stoodOn.push(before);
    }
    return this.#kept;
  }

  /** Gives the group to the store now. */
  begin(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#begin(this.#keep());
  }

  /** Abandons the group after a defect: nothing of it is stored. */
  abandon(error: unknown): void {
    this.#defect = error;
  }

  async #keep(): Promise<void> {
    if (this.#defect !== undefined) throw this.#defect;
    const parts = [...this.#parts].map(([id, { entries, seal, records }]) => {
      seal();
      const [record] = records.flatMap((present) => present() ?? []);
      const last = { ...entries.at(-1)!, ...(record && { record }) };
      return { id, entries: [...entries.slice(0, -1), last] };
    });
    const kept = [this.#store.append(...parts), ...this.#stoodOn];
    this.#reached("journaled");
    await Promise.allSettled(kept); // the store is done with all of the group, with or without success
    await Promise.all(kept);
    this.#reached("flushed");
  }
}
