import { CheckedEncoder } from "../format/checked-encoder.ts";
import { readLog } from "../log/replay.ts";
import { StoreError } from "../store.ts";
import { Behind } from "./behind.ts";
import { LmdbChanges } from "./changes.ts";
import { DATABASE_ID, isReadable, openDatabases, SCHEMA, TAKEN, withEnvironment } from "./environment.ts";
import { Opened } from "./opened.ts";
import { tablesOf } from "./tables.ts";

/**
 * Reads every record of a store and checks that the records fit together. Skips a store of another version.
 * @throws StoreError when the store is damaged. Reading a damaged store can also end the process.
 */
export function readThrough(folder: string): void {
  withEnvironment(folder, (env, meta) => {
    if (!isReadable(meta.get("schema") ?? SCHEMA)) return;
    readLog(folder, meta.get(DATABASE_ID) ?? 0, meta.get(TAKEN) ?? 0);
    const encoder = new CheckedEncoder(() => undefined);
    const databases = openDatabases(env, meta, encoder);
    for (const database of Object.values(databases)) for (const _entry of database.getRange());
    const { documents, paths, snapshots, updates, baselines, contents } = databases;
    const changes = new LmdbChanges(tablesOf(new Opened(folder, { env, databases }), encoder, new Behind()));
    const checks = [
      documents
        .getRange()
        .map(
          ({ key, value }) =>
            key === value.id && (value.deletedAt !== undefined || paths.doesExist(value.path)),
        ),
      snapshots.getRange().map(({ key, value }) => changes.change(key, value.seq) !== undefined),
      updates.getKeys().map((key) => changes.change(...key) !== undefined),
      baselines.getRange().map(({ value: { sha256 } }) => sha256 === undefined || contents.doesExist(sha256)),
    ];
    if (checks.some((results) => [...results].includes(false)))
      throw new StoreError("failed", "the store is damaged: its records do not fit together");
  });
}
