import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "lmdb";
import { describe, expect, onTestFinished, test } from "vitest";
import { openLmdbStore, readThrough } from "../../src/store/lmdb.ts";
import { type Store, StoreError } from "../../src/store/store.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { change, entry, record, snapshot, storeContract } from "./store.ts";

function folder(): string {
  const at = mkdtempSync(join(tmpdir(), "spliced-store-"));
  onTestFinished(() => rmSync(at, { recursive: true, force: true }));
  return at;
}

storeContract("LMDB", () => {
  const at = folder();
  let store: Store = openLmdbStore(at);
  onTestFinished(() => store.close());
  const reopen = async () => {
    await store.close();
    store = openLmdbStore(at);
    return store;
  };
  return { store, reopen };
});

storeContract("the store in memory", () => {
  const store = new MemoryStore();
  const reopen = async () => {
    await store.close();
    return store.crash();
  };
  return { store, reopen };
});

describe("LMDB", () => {
  test("[ST9, FA3] what is left of documents that took each other's paths is no damage", async () => {
    const at = folder();
    const store = openLmdbStore(at);
    await store.create(record, snapshot, change(0));
    await store.create({ ...record, id: "doc_b", path: "b.md" }, snapshot, { ...change(0), id: "chg_b" });
    await store.saveDocument({ ...record, id: "doc_b", path: "b.md", deletedAt: 5 });
    await store.saveDocument({ ...record, path: "b.md" });
    await store.saveDocument({ ...record, path: "c.md" });
    await store.close();
    expect(() => readThrough(at)).not.toThrow();
  });

  test("[ST14] a store of another schema is refused", async () => {
    const at = folder();
    await openLmdbStore(at).close();
    const env = open({ path: at, maxDbs: 16, compression: false });
    env.openDB<number, string>({ name: "meta" }).putSync("schema", 999);
    await env.close();
    expect(() => openLmdbStore(at)).toThrow(StoreError);
  });
});

describe("the store in memory", () => {
  const held = () => new MemoryStore({ atOnce: false });

  /** Whether a promise has settled by now. */
  async function settled(promise: Promise<unknown>): Promise<boolean> {
    const marker = {};
    await Promise.resolve();
    const first = await Promise.race([promise, Promise.resolve(marker)]).catch(() => undefined);
    return first !== marker;
  }

  test("[ST16] a write counts when it is flushed, and is seen from when it is shown", async () => {
    const store = held();
    const write = store.create(record, snapshot, change(0));
    expect(store.document("doc_a")).toBeUndefined();
    store.show();
    expect(store.document("doc_a")).toEqual(record);
    expect(await settled(write)).toBe(false);
    store.flush();
    expect(await settled(write)).toBe(true);
  });

  test("[ST16] a crash takes what was not flushed, shown or not", async () => {
    const store = held();
    const lost = [
      store.create(record, snapshot, change(0)),
      store.append({ id: "doc_a", entries: [entry(1)] }),
    ];
    lost.push(store.append({ id: "doc_a", entries: [entry(2)] }));
    store.flush(2);
    store.show();
    const after = store.crash();
    expect(after.journal("doc_a")).toEqual([entry(1)]);
    await expect(lost[2]).rejects.toThrow(StoreError);
    await expect(store.append({ id: "doc_a", entries: [entry(3)] })).rejects.toThrow(StoreError);
  });

  test("[ST16] a crash may keep writes that nobody was told of", async () => {
    const store = held();
    const write = store.create(record, snapshot, change(0));
    expect(store.crash(1).document("doc_a")).toEqual(record);
    await expect(write).rejects.toThrow(StoreError);
  });

  test("[ST16] a write that fails leaves nothing, and the next one stays", async () => {
    const store = new MemoryStore();
    await store.create(record, snapshot, change(0));
    store.failNext("full");
    await expect(store.append({ id: "doc_a", entries: [entry(1)] })).rejects.toMatchObject({ kind: "full" });
    await store.append({ id: "doc_a", entries: [entry(2)] });
    expect(store.journal("doc_a")).toEqual([entry(2)]);
  });
});
