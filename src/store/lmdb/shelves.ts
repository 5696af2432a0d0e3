import type { Shelf, Shelved } from "../shelf.ts";
import type { Tables } from "./tables.ts";
import type { RecordWrite } from "./write.ts";

/** Sorts a shelf's name with it after every id on the shelf, and before the next shelf. */
const AFTER = "\t";

/** Owns the records that have no index but their ids, by shelf and id. */
export class LmdbShelves {
  readonly #records: Tables["shelves"];

  constructor({ shelves }: Pick<Tables, "shelves">) {
    this.#records = shelves;
  }

  get<T extends object>(shelf: Shelf<T>, id: string): T | undefined {
    return this.#records.get([shelf, id]) as T | undefined;
  }

  *all<T extends object>(shelf: Shelf<T>): Iterable<T> {
    for (const { value } of this.#records.range({ start: [shelf, ""], end: [shelf + AFTER, ""] }))
      yield value as T;
  }

  put(records: readonly Shelved[]): RecordWrite[] {
    return records.map(({ shelf, id, record }) =>
      record === null ? this.#records.remove([shelf, id]) : this.#records.put([shelf, id], record),
    );
  }
}
