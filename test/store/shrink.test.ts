import { mkdirSync, readdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { CheckedEncoder } from "../../src/store/format/checked-encoder.ts";
import { openDatabases, withEnvironment } from "../../src/store/lmdb/environment.ts";
import { openLmdbStore } from "../../src/store/lmdb/lmdb.ts";
import { isMarkedClosed } from "../../src/store/lmdb/mark.ts";
import { Opened } from "../../src/store/lmdb/opened.ts";
import { DATABASE_FILE, provenanceOf, sealBeside, sealStore } from "../../src/store/lmdb/provenance.ts";
import { readThrough } from "../../src/store/lmdb/read-through.ts";
import { closeShrunk, copyDense, renameCopy, settleCopy } from "../../src/store/lmdb/shrink.ts";
import { Shrinker } from "../../src/store/lmdb/shrinker.ts";
import { shelfOf } from "../../src/store/shelf.ts";
import { change, record, snapshot } from "../contract/store.ts";
import { folder } from "./logged.ts";

const kept = shelfOf<{ id: string; text: string }>("kept");
/** Records of together 8 MB, of which only the last stays. */
const RECORDS = 80;
const BYTES = 100_000;
const LAST = String(RECORDS - 1);

/** Returns the folder of a sealed, closed store with one record and much free space. */
async function wasteful(): Promise<string> {
  const at = folder();
  const store = openLmdbStore(at);
  sealStore(at);
  await store.create(record, snapshot, change(0));
  const all = Array.from({ length: RECORDS }, (_, i) => {
    const id = String(i);
    return { shelf: "kept", id, record: { id, text: `${i} `.repeat(BYTES / 3) } } as const;
  });
  await store.shelve(...all);
  await store.close();
  return at;
}

/** Removes all records of such a store but the last, without closing it as a daemon does. */
async function emptied(): Promise<string> {
  const at = await wasteful();
  await withEnvironment(at, async (env, meta) => {
    const { shelves } = openDatabases(env, meta, new CheckedEncoder(() => new Error("damaged")));
    await Promise.all(Array.from({ length: RECORDS - 1 }, (_, i) => shelves.remove(["kept", String(i)])));
    await env.close();
  });
  return at;
}

const sizeOf = (at: string) => statSync(join(at, DATABASE_FILE)).size;

/** Checks that a start finds everything, and a store that this user's daemon made. */
async function checkWhole(at: string): Promise<void> {
  expect(provenanceOf(at)).toBe("here");
  readThrough(at);
  const store = openLmdbStore(at);
  onTestFinished(() => store.close());
  expect([...store.shelf(kept)].map(({ id }) => id)).toEqual([LAST]);
  expect(store.document(record.id)).toEqual(record);
  expect([...store.changes(record.id)]).toEqual([change(0)]);
  expect(readdirSync(at)).not.toContain("dense");
  sealStore(at);
  await store.shelve({ shelf: "kept", id: "later", record: { id: "later", text: "" } });
}

describe("[ST46] a database that is mostly free space", () => {
  test("is replaced by a dense copy when the store closes", async () => {
    const at = await emptied();
    const before = sizeOf(at);
    expect(before).toBeGreaterThan(0.9 * RECORDS * BYTES);
    await openLmdbStore(at).close();
    expect(sizeOf(at)).toBeLessThan(4 * BYTES);
    expect(isMarkedClosed(at)).toBe(true);
    await checkWhole(at);
  });

  test("stays when it is small, or half full", async () => {
    const at = await wasteful();
    const { ino } = statSync(join(at, DATABASE_FILE));
    const store = openLmdbStore(at);
    for (let i = 0; i < RECORDS / 4; i++) await store.shelve({ shelf: "kept", id: String(i), record: null });
    await store.close();
    expect(statSync(join(at, DATABASE_FILE)).ino).toBe(ino);
  });

  test("stays when no copy can be made", async () => {
    const at = await emptied();
    const before = sizeOf(at);
    await withEnvironment(at, async (env, meta) => {
      const databases = openDatabases(env, meta, new CheckedEncoder(() => new Error("damaged")));
      vi.spyOn(env, "backup").mockRejectedValue(new Error("No space left on device"));
      await closeShrunk(new Opened(at, { env, databases }));
    });
    expect(sizeOf(at)).toBe(before);
    await checkWhole(at);
  });
});

describe("[ST47] a store whose process ended while it shrank is whole", () => {
  const copied = async () => {
    const at = await emptied();
    await withEnvironment(at, async (env) => {
      expect(await copyDense(env, at)).toBe(true);
      await env.close();
    });
    return at;
  };
  const dense = (at: string) => join(at, "dense", DATABASE_FILE);

  test("with the copy beside it", async () => {
    await checkWhole(await copied());
  });

  test("with both sealed", async () => {
    const at = await copied();
    sealBeside(at, dense(at));
    await checkWhole(at);
  });

  test("with the copy in its place, and both sealed", async () => {
    const at = await copied();
    sealBeside(at, dense(at));
    renameSync(dense(at), join(at, DATABASE_FILE));
    await checkWhole(at);
  });

  test("with the copy in its place", async () => {
    const at = await copied();
    renameCopy(at);
    await settleCopy(at);
    await checkWhole(at);
  });
});

describe("[ST53] a disk that refuses", () => {
  test("a copy its place does not keep the store from closing", async () => {
    const at = await emptied();
    const before = sizeOf(at);
    await withEnvironment(at, async (env, meta) => {
      const databases = openDatabases(env, meta, new CheckedEncoder(() => new Error("damaged")));
      vi.spyOn(env, "backup").mockImplementation(
        async (to) => void mkdirSync(join(String(to), DATABASE_FILE)),
      );
      await closeShrunk(new Opened(at, { env, databases }));
    });
    expect(sizeOf(at)).toBe(before);
    await checkWhole(at);
  });

  test("a look at the database is asked again", async () => {
    let looks = 0;
    const gone = {
      get isRead(): boolean {
        looks++;
        throw new Error("the disk is gone");
      },
    };
    const writer = { lastChange: -1_000, between: () => Promise.reject(new Error("no copy")) };
    const parts = { opened: gone, writer, health: { trouble: undefined }, reached() {}, restMs: 5 };
    const shrinker = new Shrinker(parts as unknown as ConstructorParameters<typeof Shrinker>[0]);
    await expect.poll(() => looks).toBeGreaterThan(1);
    await shrinker.stop();
  });
});

describe("[ST52] a dense copy", () => {
  test("takes in a first transaction that frees hundreds of pages", async () => {
    const at = folder();
    const store = openLmdbStore(at);
    const ids = Array.from({ length: 3_000 }, (_, i) => String(i).padStart(4, "0"));
    const all = ids.map((id) => ({ shelf: "kept", id, record: { id, text: id.repeat(1_000) } }) as const);
    await store.shelve(...all);
    await store.shelve(...ids.slice(1_000).map((id) => ({ shelf: "kept", id, record: null }) as const));
    await store.close();
    const next = openLmdbStore(at);
    onTestFinished(() => next.close());
    const removed = ids.slice(0, 1_000).filter((_, i) => i % 2 === 0);
    await next.shelve(...removed.map((id) => ({ shelf: "kept", id, record: null }) as const));
    expect([...next.shelf(kept)]).toHaveLength(500);
  });
});
