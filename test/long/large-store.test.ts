import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openLmdbStore } from "../../src/store/lmdb/lmdb.ts";
import { readThrough } from "../../src/store/lmdb/read-through.ts";
import { shelfOf } from "../../src/store/shelf.ts";
import type { DocumentRecord, Store } from "../../src/store/store.ts";
import { change, record } from "../contract/store.ts";

const MB = 1 << 20;
const texts = shelfOf<{ readonly text: Buffer }>("texts");
/** A document of 9 MB: its snapshot, and its update that replaces the whole text. */
const SNAPSHOT_BYTES = 20 * MB;
const UPDATE_BYTES = 18 * MB;
/** Together they are more than 1 GB. */
const DOCUMENTS = 28;

const bytes = (size: number, fill: number) => Buffer.alloc(size, fill);
const idOf = (n: number) => `doc_${String(n).padStart(3, "0")}`;
const of = (n: number): DocumentRecord => ({ ...record, id: idOf(n), path: `${n}.md` });
const changeOf = (n: number, seq: number) => change(seq, { id: `chg_${n}_${seq}` });

/** Reads all records of the documents up to `last`, and checks that they are as written. */
function expectWhole(store: Store, last: number, folded: boolean): void {
  expect(store.documents().map(({ id }) => id)).toEqual(Array.from({ length: last + 1 }, (_, n) => idOf(n)));
  for (let n = 0; n <= last; n++) {
    const id = idOf(n);
    expect(bytes(SNAPSHOT_BYTES, folded ? n + 100 : n).equals(store.snapshot(id)!.bytes)).toBe(true);
    const journal = store.journal(id);
    expect(journal).toHaveLength(folded ? 0 : 1);
    for (const { updates } of journal) expect(bytes(UPDATE_BYTES, n + 50).equals(updates.memory!)).toBe(true);
    expect([...store.changes(id)].map(({ seq }) => seq)).toEqual([1, 0]);
    expect(bytes(UPDATE_BYTES, n).equals(store.shelved(texts, id)!.text)).toBe(true);
  }
  let shelved = 0;
  for (const held of store.shelf(texts)) expect(bytes(UPDATE_BYTES, shelved++).equals(held.text)).toBe(true);
  expect(shelved).toBe(last + 1);
}

test("[ST20] a store of more than 1 GB, written in one run, is read whole: at every size, opened again, compacted", async () => {
  const at = mkdtempSync(join(tmpdir(), "spliced-large-"));
  onTestFinished(() => rmSync(at, { recursive: true, force: true }));
  let store = openLmdbStore(at);
  for (let n = 0; n < DOCUMENTS; n++) {
    const snapshot = { seq: 0, form: "update", bytes: bytes(SNAPSHOT_BYTES, n) } as const;
    await store.create(of(n), snapshot, changeOf(n, 0));
    const updates = { memory: bytes(UPDATE_BYTES, n + 50) };
    const texts = { shelf: "texts", id: idOf(n), record: { text: bytes(UPDATE_BYTES, n) } } as const;
    await store.append({ id: idOf(n), entries: [{ change: changeOf(n, 1), updates, shelved: [texts] }] });
    expect(store.snapshot(idOf(n))!.bytes).toHaveLength(SNAPSHOT_BYTES); // lmdb reads the present size of the map
    if (n % 4 === 3) expectWhole(store, n, false);
  }
  await store.close();
  readThrough(at);
  store = openLmdbStore(at);
  expectWhole(store, DOCUMENTS - 1, false);
  for (let n = 0; n < DOCUMENTS; n++) {
    const snapshot = { seq: 1, form: "snapshot", bytes: bytes(SNAPSHOT_BYTES, n + 100) } as const;
    await store.compact(idOf(n), snapshot, 0);
  }
  expectWhole(store, DOCUMENTS - 1, true);
  await store.close();
  readThrough(at);
});
