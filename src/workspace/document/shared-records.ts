import type { Shelved } from "../../store/shelf.ts";
import { Elsewhere } from "./elsewhere.ts";

/** The kinds of records that machines share beside documents. */
export const RECORD_KINDS = ["thread", "message", "checkpoint", "proposal"] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

/** What a record is about: the ids of documents, and the paths of files that it would make. */
export interface About {
  readonly docs: readonly string[];
  readonly places: readonly string[];
}

/** A record as all machines know it: its versions are changes, and it has no number that only one machine assigns. */
export interface GivenRecord extends About {
  /** The name of the machine where it was made; absent for the machine that gives it. */
  readonly machine?: string | undefined;
}

/** The circumstances in which a record comes from another machine. */
export interface Telling {
  /** The name of the machine that gives the record, if the record names none. */
  readonly machine: string;
  /** The name of this machine. */
  readonly self: string;
  /** True if the given form is newer than this machine's, for forms of which only the newest is valid. */
  readonly isNewer: boolean;
  /** True for a record that the giving machine had in its newest form when it gave this one. */
  saw(kind: RecordKind, id: string): boolean;
  /** Sends a record of this machine again, because it has more facts than the given one. */
  again(kind: RecordKind, id: string): void;
  /**
   * Stores records, all or none; `facts` are the facts of the record from then on, null once it is gone. @throws
   * StoreError
   */
  store(facts: object | null, ...records: readonly Shelved[]): Promise<void>;
}

/** The records of one kind that machines share. */
export interface SharedRecords {
  readonly kind: RecordKind;
  /** The ids of all records that are shared; they are the same on all machines. */
  ids(): Iterable<string>;
  /**
   * Returns the facts of a record that a client can change; undefined for an unknown one. Taking a record in is no
   * change of it.
   */
  facts(id: string): object | undefined;
  /** Returns what a record of this machine is about, also a message that a thread here lacks; undefined for others. */
  about(id: string): About | undefined;
  /** Returns a record for other machines; undefined for one that is gone. */
  give(id: string): Promise<GivenRecord | undefined>;
  /** Takes in a record of another machine, whose form was checked; null if it was removed there. @throws StoreError */
  take(id: string, given: GivenRecord | null, telling: Telling): Promise<void>;
  /** Calls back with the id of each record that a client of this machine has changed, once the change is stored. */
  listen(changed: (id: string) => void): () => void;
}

/** The records that a workspace shares with other machines. Each feature adds its own, so that the link knows none. */
export class SharedShelves {
  /** The clients in documents and the answers under way on other machines. */
  readonly elsewhere = new Elsewhere();
  readonly #all = new Map<RecordKind, SharedRecords>();

  add(records: SharedRecords): void {
    this.#all.set(records.kind, records);
  }

  of(kind: RecordKind): SharedRecords | undefined {
    return this.#all.get(kind);
  }

  [Symbol.iterator](): Iterator<SharedRecords> {
    return this.#all.values();
  }
}
