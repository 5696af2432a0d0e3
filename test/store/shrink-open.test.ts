import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { SHRINKS, type Step } from "../../src/mirror/step.ts";
import { CheckedEncoder } from "../../src/store/format/checked-encoder.ts";
import { openDatabases, TAKEN, withEnvironment } from "../../src/store/lmdb/environment.ts";
import { openLmdbStore } from "../../src/store/lmdb/lmdb.ts";
import { Opened } from "../../src/store/lmdb/opened.ts";
import { DATABASE_FILE, provenanceOf, sealStore } from "../../src/store/lmdb/provenance.ts";
import { readThrough } from "../../src/store/lmdb/read-through.ts";
import { Shrinker } from "../../src/store/lmdb/shrinker.ts";
import { StoreHealth } from "../../src/store/lmdb/store-health.ts";
import { shelfOf } from "../../src/store/shelf.ts";
import { type Store, StoreError, storeFailure } from "../../src/store/store.ts";
import { change, entry, record, snapshot } from "../contract/store.ts";
import { copyOf, folder } from "./logged.ts";

const kept = shelfOf<{ id: string; text: string }>("kept");
/** Records of together 8 MB, of which only the first and the last stay. */
const RECORDS = 80;
const BYTES = 100_000;
const LEFT = ["0", String(RECORDS - 1)];
const DENSE = 6 * BYTES;
const REST_MS = 200;
/** Time for several looks at a store that rests; milliseconds. */
const RESTS_MS = 5 * REST_MS;

const sizeOf = (at: string) => statSync(join(at, DATABASE_FILE)).size;
const isShrink = (step: Step) => SHRINKS.some((one) => one === step);
const textOf = (id: string) => `${id} `.repeat(BYTES / 3);
const idsIn = (store: Store) => [...store.shelf(kept)].map(({ id }) => id);
const seqsIn = (store: Store) => [...store.changes(record.id)].map(({ seq }) => seq);

/** Puts records on the shelf and removes all but the first and the last of them, which leaves free space. */
async function waste(store: Store): Promise<void> {
  const ids = Array.from({ length: RECORDS }, (_, i) => String(i));
  await store.shelve(...ids.map((id) => ({ shelf: "kept", id, record: { id, text: textOf(id) } }) as const));
  await store.shelve(...ids.slice(1, -1).map((id) => ({ shelf: "kept", id, record: null }) as const));
}

type Edit = (seq: number) => Promise<void>;

/** Opens a sealed store whose database is mostly free space. It shrinks once the store rests. */
async function wasteful(reached: (step: Step, at: string, edit: Edit) => void = () => {}) {
  const at = folder();
  const edit: Edit = (seq) => store.append({ id: record.id, entries: [entry(seq)] });
  const store = openLmdbStore(at, (step) => reached(step, at, edit), REST_MS);
  onTestFinished(() => store.close());
  sealStore(at);
  await store.create(record, snapshot, change(0));
  await waste(store);
  const before = sizeOf(at);
  expect(before).toBeGreaterThan(0.9 * RECORDS * BYTES);
  return { at, store, before, edit };
}

async function untilShrunk(at: string): Promise<void> {
  await expect.poll(() => sizeOf(at), { timeout: 30_000 }).toBeLessThan(DENSE);
  await expect.poll(() => readdirSync(at)).not.toContain("dense");
}

/** Checks that a start finds the records, and the changes from the last one down to the first. */
async function checkWhole(at: string, seqs: readonly number[]): Promise<void> {
  readThrough(at);
  const store = openLmdbStore(at);
  expect([idsIn(store), seqsIn(store), store.document(record.id)]).toEqual([LEFT, seqs, record]);
  expect(readdirSync(at)).not.toContain("dense");
  await store.close();
}

describe("[ST50] an open database that is mostly free space", () => {
  test("is replaced by a dense copy once the store rests, again and again, and the store goes on", {
    timeout: 120_000,
  }, async () => {
    const { at, store, edit } = await wasteful();
    for (let round = 1; round <= 3; round++) {
      const read = [...store.shelf(kept)];
      await untilShrunk(at);
      expect(read.map(({ text }) => text)).toEqual(LEFT.map(textOf));
      expect([idsIn(store), store.shelved(kept, LEFT[1]!)?.text]).toEqual([LEFT, textOf(LEFT[1]!)]);
      await edit(round);
      await waste(store);
      expect(sizeOf(at)).toBeGreaterThan(DENSE);
    }
    await untilShrunk(at);
    expect([seqsIn(store), provenanceOf(at)]).toEqual([[3, 2, 1, 0], "here"]);
    await checkWhole(copyOf(at), [3, 2, 1, 0]);
    await store.close();
    expect(provenanceOf(at)).toBe("here");
    await checkWhole(at, [3, 2, 1, 0]);
  });

  test("stays while a range of it is read, and the range goes on", async () => {
    const { at, store, before } = await wasteful();
    const reading = store.shelf(kept)[Symbol.iterator]();
    expect(reading.next().value?.id).toBe(LEFT[0]);
    await pause(RESTS_MS);
    expect(sizeOf(at)).toBe(before);
    expect(reading.next().value?.text).toBe(textOf(LEFT[1]!));
    expect(reading.next().done).toBe(true);
    await untilShrunk(at);
  });

  test("stays where another file has taken its place", async () => {
    const { at, before, edit } = await wasteful();
    const [database, moved] = [join(at, DATABASE_FILE), join(at, "moved")];
    renameSync(database, moved);
    writeFileSync(database, Buffer.alloc(before));
    const { ino } = statSync(database);
    await pause(RESTS_MS);
    expect(statSync(database).ino).toBe(ino);
    renameSync(moved, database);
    await edit(1);
    await untilShrunk(at);
  });
});

/** Lets a shrinker look at the wasteful database of a closed store, with these in place of its parts. */
async function look(spied: (opened: Opened) => Partial<ConstructorParameters<typeof Shrinker>[0]>) {
  const { at, store, before } = await wasteful();
  const left = copyOf(at);
  await store.close();
  const encoder = new CheckedEncoder(() => undefined);
  const steps: Step[] = [];
  await withEnvironment(left, async (env, meta) => {
    const opened = new Opened(left, { env, databases: openDatabases(env, meta, encoder) });
    const writer = { lastChange: 0, between: <T>(work: () => Promise<T>) => work() };
    const health = new StoreHealth(join(left, DATABASE_FILE), () => Promise.resolve());
    const reached = (step: Step) => steps.push(step);
    const parts = { opened, encoder, writer, health, reached, restMs: REST_MS, ...spied(opened) };
    const shrinker = new Shrinker(parts);
    await pause(RESTS_MS);
    await shrinker.stop();
    await opened.env.close();
  });
  return { left, steps, isSmaller: sizeOf(left) < before, isCleared: !readdirSync(left).includes("dense") };
}

describe("[ST50] a copy of an open database", () => {
  test("is used if nothing is in its way", async () => {
    const { left, steps, isSmaller, isCleared } = await look(() => ({}));
    expect([steps, isSmaller, isCleared]).toEqual([SHRINKS, true, true]);
    await checkWhole(left, [0]);
  });

  test("is dropped if a transaction came since it began, and the transaction is there", async () => {
    const { left, steps, isSmaller, isCleared } = await look(({ env, databases }) => {
      const backup = env.backup.bind(env);
      vi.spyOn(env, "backup").mockImplementation(async (...to) => {
        await backup(...to);
        await databases.meta.put(TAKEN, 1_000);
      });
      return {};
    });
    expect([steps, isSmaller, isCleared]).toEqual([["copied"], false, true]);
    await withEnvironment(left, async (env, meta) => {
      expect(meta.get(TAKEN)).toBe(1_000);
      await env.close();
    });
    await checkWhole(left, [0]);
  });

  test("is dropped if a range is read by then", async () => {
    const { left, isSmaller } = await look((opened) => ({
      writer: {
        lastChange: 0,
        between: (work) => {
          opened.read(opened.databases.meta.getRange())[Symbol.iterator]().next();
          return work();
        },
      },
    }));
    expect(isSmaller).toBe(false);
    await checkWhole(left, [0]);
  });

  test("is not made, or dropped, where the system refuses it or the disk has no room for it", async () => {
    const refused = await look(({ env }) => {
      vi.spyOn(env, "backup").mockRejectedValue(new Error("Input/output error"));
      return {};
    });
    expect([refused.steps, refused.isSmaller]).toEqual([[], false]);
    const full = await look(({ folder }) => {
      const health = new StoreHealth(join(folder, DATABASE_FILE), () => Promise.resolve());
      health.admit = () => {
        throw new StoreError("full", "the last space on the disk is left for edits");
      };
      return { health };
    });
    expect([full.steps, full.isSmaller]).toEqual([[], false]);
    await checkWhole(refused.left, [0]);
  });

  test("[ST51] refuses later writes if its place may not outlast a power cut", async () => {
    const refusals: (StoreError | undefined)[] = [];
    await look(({ folder }) => {
      const health = new StoreHealth(join(folder, DATABASE_FILE), () => Promise.resolve());
      const reached = (step: Step) => {
        if (step !== "renamed") return;
        // No file can be renamed to a folder.
        rmSync(join(folder, "lock.mdb"));
        mkdirSync(join(folder, "lock.mdb"));
      };
      const between = async <T>(work: () => Promise<T>) => {
        try {
          return await work();
        } finally {
          refusals.push(await storeFailure(new Promise<void>((done) => done(health.admit(0)))));
        }
      };
      return { health, reached, writer: { lastChange: 0, between } };
    });
    expect(refusals).toMatchObject([{ kind: "failed", message: expect.stringContaining("EISDIR") }]);
  });
});

describe("[ST51] a store whose database shrinks while it is open", () => {
  test("is whole at each step, and counts as made by this user's daemon", async () => {
    const images: { readonly step: Step; readonly at: string; readonly provenance: unknown }[] = [];
    const { at } = await wasteful((step, at) => {
      if (isShrink(step)) images.push({ step, at: copyOf(at), provenance: provenanceOf(at) });
    });
    await untilShrunk(at);
    expect(images.map(({ step, provenance }) => [step, provenance])).toEqual(
      SHRINKS.map((step) => [step, "here"]),
    );
    for (const image of images) await checkWhole(image.at, [0]);
  });

  test("has at each step, and afterwards, the edits that are acknowledged meanwhile", async () => {
    let begun = 0;
    let acknowledged = 0;
    const images: { readonly at: string; readonly acknowledged: number; readonly begun: number }[] = [];
    const writes: Promise<void>[] = [];
    const { at, store } = await wasteful((step, at, edit) => {
      if (!isShrink(step) || step === "copied") return;
      images.push({ at: copyOf(at), acknowledged, begun });
      for (let i = 0; i < 20; i++) {
        const seq = ++begun;
        writes.push(
          edit(seq).then(() => {
            acknowledged = seq;
          }),
        );
      }
    });
    await untilShrunk(at);
    await Promise.all(writes);
    images.push({ at: copyOf(at), acknowledged, begun });
    expect([begun, acknowledged]).toEqual([40, 40]);
    for (const image of images) {
      const left = openLmdbStore(image.at);
      const [last] = seqsIn(left);
      expect([last! >= image.acknowledged, last! <= image.begun]).toEqual([true, true]);
      await left.close();
    }
    expect(seqsIn(store)).toHaveLength(41);
    await store.close();
    await checkWhole(
      at,
      Array.from({ length: 41 }, (_, i) => 40 - i),
    );
  });
});
