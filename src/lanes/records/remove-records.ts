import type { Store } from "../../store/store.ts";
import { displacedWrites, unshelvedWrite } from "./displaced-write.ts";
import { laneFileShelf, laneShelf, STORED_AT_ONCE, unshelvedFile } from "./record.ts";

/** Removes all records of a lane. Its own goes last: after a stop the next start removes the others. @throws StoreError */
export async function removeRecords(store: Store, name: string): Promise<void> {
  const files = [...store.shelf(laneFileShelf)].filter(({ lane }) => lane === name);
  const removals = [...files.map(unshelvedFile), ...displacedWrites(store, name).map(unshelvedWrite)];
  for (let at = 0; at < removals.length; at += STORED_AT_ONCE)
    await store.shelve(...removals.slice(at, at + STORED_AT_ONCE));
  await store.shelve({ shelf: laneShelf, id: name, record: null });
}
