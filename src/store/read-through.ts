import { CheckedEncoder } from "./checked-encoder.ts";
import {
  DATABASE_ID,
  isReadable,
  openDatabases,
  SCHEMA,
  TAKEN,
  withEnvironment,
} from "./lmdb-environment.ts";
import { readLog } from "./log/replay.ts";
import { StoreError } from "./store.ts";

/**
 * Reads every record of a store and checks that the records fit together. Skips a store of another version.
 * @throws StoreError when the store is damaged. Reading a damaged store can also end the process.
 */
export function readThrough(folder: string): void {
  withEnvironment(folder, (env, meta) => {
    if (!isReadable(meta.get("schema") ?? SCHEMA)) return;
    readLog(folder, meta.get(DATABASE_ID) ?? 0, meta.get(TAKEN) ?? 0);
    const databases = openDatabases(env, meta, new CheckedEncoder(() => undefined));
    for (const database of Object.values(databases)) for (const _entry of database.getRange());
    const { documents, paths, snapshots, updates, changes, baselines, contents } = databases;
    const checks = [
      documents
        .getRange()
        .map(
          ({ key, value }) =>
            key === value.id && (value.deletedAt !== undefined || paths.doesExist(value.path)),
        ),
      snapshots.getRange().map(({ key, value }) => changes.doesExist([key, value.seq])),
      updates.getKeys().map((key) => changes.doesExist(key)),
      baselines.getRange().map(({ value: { sha256 } }) => sha256 === undefined || contents.doesExist(sha256)),
    ];
    if (checks.some((results) => [...results].includes(false)))
      throw new StoreError("failed", "the store is damaged: its records do not fit together");
  });
}
