import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { open } from "lmdb";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { CheckedEncoder } from "../../src/store/format/checked-encoder.ts";
import { decodeRows, encodeRows } from "../../src/store/format/columns.ts";
import { Attempts } from "../../src/store/lmdb/attempts.ts";
import { SCHEMA } from "../../src/store/lmdb/environment.ts";
import { openLmdbStore } from "../../src/store/lmdb/lmdb.ts";
import { readThrough } from "../../src/store/lmdb/read-through.ts";
import { StoreHealth } from "../../src/store/lmdb/store-health.ts";
import { sizeAtMost } from "../../src/store/size.ts";
import { type Store, StoreError, storeFailure } from "../../src/store/store.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { copyOf, folder, openLogged } from "../store/logged.ts";
import { change, entry, record, snapshot, storeContract } from "./store.ts";

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

storeContract("LMDB behind a log", async () => {
  const at = folder();
  let store = await openLogged(at);
  onTestFinished(() => store.close());
  const reopen = async () => {
    await store.close();
    store = await openLogged(at);
    return store;
  };
  return { store, reopen };
});

storeContract("LMDB and its log after kill -9", async () => {
  const at = folder();
  const store = await openLogged(at);
  onTestFinished(() => store.close());
  const reopen = async () => {
    await store.savePeer("1", { name: "the last", agent: "owner/last" });
    const next = openLmdbStore(copyOf(at));
    onTestFinished(() => next.close());
    return next;
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

  test.skipIf(process.platform !== "linux")(
    "[ST49] a database that grows has one memory map (only Linux lists the maps)",
    async () => {
      const at = folder();
      const store = openLmdbStore(at);
      onTestFinished(() => store.close());
      for (let i = 0; i < 4; i++)
        await store.baselines.save([], [{ sha256: `${i}`, deflated: new Uint8Array(1 << 20) }]);
      const maps = readFileSync("/proc/self/maps", "utf8").split("\n");
      expect(maps.filter((map) => map.endsWith(join(at, "data.mdb")))).toHaveLength(1);
    },
  );

  /** Sets the schema of a store, if one is given, and returns the present one. */
  async function schemaOf(at: string, set?: number): Promise<number | undefined> {
    const env = open({ path: at, maxDbs: 16, compression: false });
    const meta = env.openDB<number, string>({ name: "meta" });
    if (set !== undefined) meta.putSync("schema", set);
    const schema = meta.get("schema");
    await env.close();
    return schema;
  }

  test("[ST14] a store of a newer or an unknown older schema is refused and left as it is; it is no damage", async () => {
    const at = folder();
    await openLmdbStore(at).close();
    for (const schema of [999, 1]) {
      await schemaOf(at, schema);
      expect(() => openLmdbStore(at)).toThrow(/has schema .* Start that version/);
      expect(() => readThrough(at)).not.toThrow();
      expect(await schemaOf(at)).toBe(schema);
    }
  });

  test("[ST24] a store of an older schema is opened, and has the newest from then on", async () => {
    const at = folder();
    await openLmdbStore(at).close();
    await schemaOf(at, 2);
    expect(() => readThrough(at)).not.toThrow();
    expect(await schemaOf(at)).toBe(2);
    await openLmdbStore(at).close();
    expect(await schemaOf(at)).toBe(SCHEMA);
  });

  test("[ST24] baselines of a store of schema 5 are read, and found by their inodes", async () => {
    const at = folder();
    const sha256 = "ab".repeat(32);
    const baseline = { path: "sub/a.md", image: record.image!, sha256 };
    await openLmdbStore(at).close();
    await schemaOf(at, 5);
    const env = open({ path: at, maxDbs: 16, compression: false });
    const encoder = new CheckedEncoder(() => undefined);
    const contents = env.openDB({ name: "contents", ...{ encoder } });
    await contents.put(sha256, Uint8Array.of(1));
    await env.openDB({ name: "baselines", ...{ encoder } }).put(baseline.path, baseline);
    await env.close();
    expect(() => readThrough(at)).not.toThrow();
    const store = openLmdbStore(at);
    onTestFinished(() => store.close());
    expect([...store.baselines.list()]).toEqual([baseline]);
    expect(store.baselines.withInode(baseline.image.ino)).toEqual(baseline);
    expect(store.baselines.mayHaveUnnamed).toBe(true);
    const later = { ...baseline, image: { ...baseline.image, size: 4 } };
    await store.baselines.save([later], []);
    expect(store.baselines.at(baseline.path)).toEqual(later);
  });

  test("[ST20] what is read in a range is whole where the database has grown under single reads", async () => {
    const store = openLmdbStore(folder());
    onTestFinished(() => store.close());
    const large = (fill: number) => Buffer.alloc(17 << 20, fill); // lmdb hands over less than 16 MB as a copy
    await store.create(record, snapshot, change(0));
    for (const fill of [1, 2, 3]) {
      await store.compact("doc_a", { seq: 0, form: "update", bytes: large(fill) }, 0);
      expect(large(fill).equals(store.snapshot("doc_a")!.bytes)).toBe(true);
    }
    await store.append({ id: "doc_a", entries: [{ change: change(1), updates: { memory: large(5) } }] });
    const [read] = store.journal("doc_a");
    await store.compact("doc_a", { seq: 1, form: "update", bytes: large(6) }, 0);
    expect(large(5).equals(read!.updates.memory!)).toBe(true);
  });

  test("[ST25] a value that is decoded shares no memory with the database's map", () => {
    const encoder = new CheckedEncoder(() => undefined);
    const map = new Uint8Array(encoder.encode({ bytes: Uint8Array.of(1, 2, 3) }));
    const value = encoder.decode(map) as { bytes: Uint8Array };
    map.fill(0);
    expect([...value.bytes]).toEqual([1, 2, 3]);
  });

  test("[ST22] it is looked whether there is room for what is shelved, alone or with a change", async () => {
    const store = openLmdbStore(folder());
    onTestFinished(() => store.close());
    await store.create(record, snapshot, change(0));
    const admit = vi.spyOn(StoreHealth.prototype, "admit");
    const texts = {
      shelf: "texts",
      id: "prop_a",
      record: { text: "é".repeat(1 << 20), splices: [] },
    } as const;
    await store.shelve(texts);
    await store.append({ id: "doc_a", entries: [{ ...entry(1), shelved: [texts] }] });
    expect(admit).toHaveBeenCalledTimes(2);
    for (const [bytes] of admit.mock.calls) expect(bytes).toBeGreaterThanOrEqual(2 << 20);
  });

  test("[ST22] a size is estimated as no less than what is written", () => {
    const encoder = new CheckedEncoder(() => undefined);
    const values = [
      {},
      [],
      { a: null, b: -1.5, c: 2 ** 60, d: true, e: [1, 2, 3] },
      { "é\u{1f600}": "é\u{1f600}".repeat(100), bytes: new Uint8Array(1000) },
      Array.from({ length: 1000 }, (_, from) => ({ from, to: from + 1, insert: "x" })),
      snapshot,
      change(3),
    ];
    for (const value of values)
      expect(sizeAtMost(value)).toBeGreaterThanOrEqual(encoder.encode(value).length - 4);
  });

  test("[ST26] a write that a full disk cut short is refused for the lack of space, a failed flush for good", async () => {
    const room = vi.spyOn(StoreHealth.prototype, "hasNoRoom", "get");
    onTestFinished(() => room.mockRestore());
    const kindOf = async (message: string, hasNoRoom: boolean) => {
      const at = folder();
      writeFileSync(join(at, "data.mdb"), "");
      const health = new StoreHealth(join(at, "data.mdb"), async () => {});
      onTestFinished(() => health.close());
      room.mockReturnValue(hasNoRoom);
      const failed = new Attempts(health).settle(Promise.reject(new Error(message)));
      return storeFailure(failed).then((failure) => failure?.kind);
    };
    const cut = "Input/output error: Attempting to write page at position 4096, size 8192";
    expect(await kindOf(cut, true)).toBe("full");
    expect(await kindOf(cut, false)).toBe("failed");
    expect(await kindOf("Input/output error", true)).toBe("failed");
  });

  test("[ST21] stores share one listener for what lmdb rejects to nobody", async () => {
    const before = process.listenerCount("unhandledRejection");
    const stores = [openLmdbStore(folder()), openLmdbStore(folder())];
    expect(process.listenerCount("unhandledRejection")).toBeLessThanOrEqual(before + 1);
    await Promise.all(stores.map((store) => store.close()));
    expect(process.listenerCount("unhandledRejection")).toBe(before);
  });
});

describe("the store in memory", () => {
  const held = () => new MemoryStore({ atOnce: false });

  /** Returns whether a promise has settled. */
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

describe("packed answers", () => {
  test("[ST41] come back as they were, whatever their form", () => {
    const value = fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string(),
      fc.boolean(),
      fc.constant(null),
    );
    const record = fc.dictionary(
      fc.constantFrom("agent", "time", "result", "at"),
      fc.oneof(value, fc.array(value, { maxLength: 3 }), fc.dictionary(fc.constantFrom("x", "y"), value)),
    );
    fc.assert(
      fc.property(fc.array(record, { maxLength: 12 }), (records) => {
        expect(decodeRows(encodeRows(records))).toEqual(records);
      }),
    );
  });

  test("[ST41] take a few bytes each", () => {
    const answers = Array.from({ length: 4000 }, (_, seq) => ({
      agent: "owner/alice",
      opId: `replayed-${seq}`,
      time: 1_700_000_000_000 + 7 * seq,
      result: { docId: "doc_0123456789abcdef", seq, baseSeq: seq - 1, tail: "0123456789ab", kind: "splice" },
    }));
    expect(encodeRows(answers).length / answers.length).toBeLessThan(0.5);
  });
});
