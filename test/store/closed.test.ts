import { describe, expect, onTestFinished, test } from "vitest";
import type { Baseline } from "../../src/store/baselines.ts";
import { openLmdbStore } from "../../src/store/lmdb/lmdb.ts";
import { type Store, StoreError } from "../../src/store/store.ts";
import { change, entry, record, snapshot } from "../contract/store.ts";
import { folder, openLogged } from "./logged.ts";

const FILES = 200;
const pathOf = (i: number) => `notes/${String(i).padStart(3, "0")}.md`;
const baselineOf = (i: number): Baseline => ({
  path: pathOf(i),
  image: {
    dev: 1n,
    ino: BigInt(i),
    size: 1,
    mtimeNs: 1n,
    ctimeNs: 1n,
    mode: 0o644,
    uid: 0,
    gid: 0,
    links: 1,
  },
});

async function filled(store: Store): Promise<Store> {
  onTestFinished(() => store.close());
  await store.create(record, snapshot, change(0));
  for (let seq = 1; seq < FILES; seq++) await store.append({ id: record.id, entries: [entry(seq)] });
  await store.baselines.save(
    Array.from({ length: FILES }, (_, i) => baselineOf(i)),
    [],
  );
  return store;
}

/** Begins to read a range, and returns the rest of it. */
function begun<T>(range: Iterable<T>): Iterator<T> {
  const rest = range[Symbol.iterator]();
  expect(rest.next().done).toBe(false);
  return rest;
}

function readAll(rest: Iterator<unknown>): void {
  while (rest.next().done !== true);
}

const RANGES: readonly (readonly [string, (store: Store) => Iterable<unknown>])[] = [
  ["records", ({ baselines }) => baselines.list()],
  ["keys", ({ baselines }) => baselines.paths()],
  ["records downwards", (store) => store.changes(record.id)],
];

describe.each([
  ["LMDB", async () => openLmdbStore(folder())],
  ["LMDB behind a log", () => openLogged(folder())],
])("%s", (_what, open) => {
  test.each(RANGES)(
    "[DO16] ends a range of %s whose reading goes on after the close",
    async (_kind, range) => {
      const store = await filled(await open());
      const [older, newer] = [begun(range(store)), begun(range(store))];
      // A write between gives the next range a newer state of the database.
      await store.append({ id: record.id, entries: [entry(FILES)] });
      const newest = begun(range(store));
      newer.return?.();
      await store.close();
      for (const rest of [older, newest]) expect(() => readAll(rest)).toThrow(StoreError);
      expect(newer.next().done).toBe(true);
    },
  );

  test("[DO16] ends a range that began while the store was closing", async () => {
    const store = await filled(await open());
    const closing = store.close();
    const rest = begun(store.baselines.list());
    await closing;
    expect(() => readAll(rest)).toThrow(StoreError);
  });

  test("[DO16] refuses every read once it was closed", async () => {
    const store = await filled(await open());
    await store.close();
    expect(() => store.document(record.id)).toThrow(StoreError);
    expect(() => store.documents()).toThrow(StoreError);
    expect(() => store.baselines.count).toThrow(StoreError);
    for (const [, range] of RANGES) expect(() => [...range(store)]).toThrow(StoreError);
  });
});
