import { beforeEach, describe, expect, test } from "vitest";
import { changeId } from "../../src/store/format/change-id.ts";
import { SHELVES, shelfOf } from "../../src/store/shelf.ts";
import {
  type AnswerRecord,
  type ChangeRecord,
  type DocumentRecord,
  type JournalEntry,
  type SnapshotRecord,
  type Store,
  StoreError,
  storeFailure,
} from "../../src/store/store.ts";

/** A store under test, closed when the test ends. */
interface StoreUnderTest {
  readonly store: Store;
  /** Ends the store after everything written so far, and opens it again. */
  reopen(): Promise<Store>;
}

const batches = shelfOf("batches");
const proposals = shelfOf("proposals");
const image = {
  dev: 2n ** 63n - 1n,
  ino: 9_007_199_254_740_993n,
  size: 3,
  mtimeNs: 1_735_689_600_123_456_789n,
  ctimeNs: 1_735_689_600_123_456_790n,
  mode: 0o644,
  uid: 1000,
  gid: 1000,
  links: 1,
};
export const record: DocumentRecord = { id: "doc_a", path: "a.md", bom: false, landed: 0, image };
export const snapshot: SnapshotRecord = { seq: 0, form: "update", bytes: Uint8Array.of(0, 1, 254, 255) };

export function change(seq: number, fields: Partial<ChangeRecord> = {}): ChangeRecord {
  const splices = [{ from: seq, to: seq + 1, insert: "é\u{1f600}" }];
  const who = { author: "alice", agent: "owner/alice", origin: "agent" as const };
  return { seq, id: `chg_${seq}`, ...who, time: 1000 + seq, splices, removed: ["x"], ...fields };
}

export function entry(seq: number): JournalEntry {
  return { change: change(seq), updates: { disk: Uint8Array.of(seq), memory: Uint8Array.of(seq, 0, 255) } };
}

function answer(agent: string, opId: string, time = 0): AnswerRecord {
  return { agent, opId, time, result: { seq: 1, kept: { conflicts: [], mirrored: true } } };
}

/** Compares bytes by their content: a store may return them as a Buffer. */
const plain = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value, (_key, held: unknown) => {
      if (typeof held === "bigint") return `${held}n`;
      const buffer = held as { type?: unknown; data?: number[] } | null;
      if (buffer?.type === "Buffer") return buffer.data;
      return held instanceof Uint8Array ? [...held] : held;
    }),
  ) as unknown;
const seqs = (changes: Iterable<ChangeRecord>) => [...changes].map(({ seq }) => seq);

/** The contract of every Store. */
export function storeContract(name: string, open: () => StoreUnderTest | Promise<StoreUnderTest>): void {
  describe(`${name} as a store`, () => {
    let store: Store;
    let reopen: () => Promise<Store>;

    beforeEach(async () => {
      ({ store, reopen } = await open());
    });

    /** Stores a document with changes up to `last`. */
    async function written(last: number, id = "doc_a", path = "a.md"): Promise<void> {
      const writes = [store.create({ ...record, id, path }, snapshot, change(0))];
      for (let seq = 1; seq <= last; seq++) writes.push(store.append({ id, entries: [entry(seq)] }));
      await Promise.all(writes);
    }

    test("[ST1] keeps a created document, its snapshot and its first change", async () => {
      await store.create(record, snapshot, change(0));
      expect(store.documents()).toEqual([record]);
      expect(store.document("doc_a")).toEqual(record);
      expect(store.documentAt("a.md")).toEqual(record);
      expect(plain(store.snapshot("doc_a"))).toEqual(plain(snapshot));
      expect(store.change("doc_a", 0)).toEqual(change(0));
    });

    test("[ST2] answers undefined, or nothing, for what it does not have", () => {
      expect(store.documents()).toEqual([]);
      expect(store.document("doc_a")).toBeUndefined();
      expect(store.documentAt("a.md")).toBeUndefined();
      expect(store.snapshot("doc_a")).toBeUndefined();
      expect(store.change("doc_a", 0)).toBeUndefined();
      expect(store.answer("owner/alice", "op")).toBeUndefined();
      expect(plain(store.journal("doc_a"))).toEqual(plain([]));
      expect([...store.changes("doc_a")]).toEqual([]);
    });

    test("[ST3] the journal holds each change with its updates, oldest first", async () => {
      await written(12);
      expect(plain(store.journal("doc_a"))).toEqual(
        plain(Array.from({ length: 12 }, (_, i) => entry(i + 1))),
      );
      expect(plain(store.journal("doc_a", 10))).toEqual(plain([entry(11), entry(12)]));
      expect(plain(store.journal("doc_a", 12))).toEqual(plain([]));
    });

    test("[ST3] an update of one replica only comes back as that", async () => {
      await written(0);
      const updates = { disk: Uint8Array.of(7) };
      await store.append({ id: "doc_a", entries: [{ change: change(1), updates }] });
      expect(plain(store.journal("doc_a")[0]?.updates)).toEqual(plain(updates));
    });

    test("[ST4] changes come newest first, before a change and up to a limit where asked", async () => {
      await written(11);
      expect(seqs(store.changes("doc_a"))).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
      expect(seqs(store.changes("doc_a", { limit: 2 }))).toEqual([11, 10]);
      expect(seqs(store.changes("doc_a", { before: 3 }))).toEqual([2, 1, 0]);
      expect(seqs(store.changes("doc_a", { before: 10, limit: 3 }))).toEqual([9, 8, 7]);
      expect(seqs(store.changes("doc_a", { before: 0 }))).toEqual([]);
    });

    test("[ST5] compacting replaces the snapshot and drops the updates in it, not the changes", async () => {
      await written(5);
      const folded: SnapshotRecord = { seq: 3, form: "snapshot", bytes: Uint8Array.of(9) };
      await store.compact("doc_a", folded, 0);
      expect(plain(store.snapshot("doc_a"))).toEqual(plain(folded));
      expect(plain(store.journal("doc_a"))).toEqual(plain([entry(4), entry(5)]));
      expect(seqs(store.changes("doc_a"))).toEqual([5, 4, 3, 2, 1, 0]);
    });

    test("[ST54] a snapshot comes back as it was, whatever its size", async () => {
      const snapshots = [2000, 5000, (1 << 20) + 1].map((size) => ({
        seq: 0,
        form: "snapshot" as const,
        bytes: Uint8Array.from({ length: size }, (_, i) => (i * i) % 251),
      }));
      for (const [i, given] of snapshots.entries()) {
        await written(0, `doc_${i}`, `${i}.md`);
        await store.compact(`doc_${i}`, given, 0);
      }
      for (const present of [() => store, reopen]) {
        const again = await present();
        for (const [i, { bytes, ...facts }] of snapshots.entries()) {
          const { bytes: found, ...others } = again.snapshot(`doc_${i}`)!;
          expect([others, Buffer.compare(found, bytes)]).toEqual([facts, 0]);
        }
      }
    });

    test("[ST23] compacting drops the changes before the one that the history begins with, if it is told to", async () => {
      await written(6);
      await store.compact("doc_a", { ...snapshot, seq: 4 }, 3);
      expect([seqs(store.changes("doc_a")), store.oldest("doc_a")?.seq]).toEqual([[6, 5, 4, 3], 3]);
      expect(store.find(change(2).id)).toBeUndefined();
      await store.compact("doc_a", { ...snapshot, seq: 5 }, 100);
      const again = await reopen();
      expect([seqs(again.changes("doc_a")), again.oldest("doc_b")]).toEqual([[6, 5], undefined]);
    });

    /** Stores a document with changes 1 to 9 that one process typed, and folds 1 to 6 into two entries. */
    async function folded(): Promise<readonly ChangeRecord[]> {
      const id = (seq: number) => changeId(seq, "0123456789ab");
      const step = (seq: number) => ({ splices: [{ from: seq, to: seq, insert: "xé" }], removed: [""] });
      const changes = Array.from({ length: 9 }, (_, i) => change(i + 1, { id: id(i + 1), ...step(i + 1) }));
      await store.create(record, snapshot, change(0, { splices: [], removed: [] }));
      await store.append({
        id: "doc_a",
        entries: changes.map((one) => ({ ...entry(one.seq), change: one })),
      });
      const runs = [[change(0, { splices: [], removed: [] })], changes.slice(0, 3), changes.slice(3, 6)];
      await store.fold("doc_a", runs);
      return changes;
    }

    test("[ST40] folding makes one entry of each run, and keeps each change with its id", async () => {
      const changes = await folded();
      for (const present of [() => store, reopen]) {
        const again = await present();
        expect(seqs(again.changes("doc_a"))).toEqual([9, 8, 7, 6, 3, 0]);
        expect(again.entry("doc_a", 2)).toEqual({
          ...changes[2],
          splices: [{ from: 1, to: 1, insert: "xxxééé" }],
          removed: [""],
          folded: { first: 1, began: 1001 },
        });
        expect(again.entry("doc_a", 8)).toEqual(changes[7]);
        expect(again.change("doc_a", 0)).toEqual(again.entry("doc_a", 0));
        for (const one of changes) {
          expect(again.find(one.id)).toEqual({ docId: "doc_a", seq: one.seq });
          expect(again.find(one.id, one.seq)).toEqual({ docId: "doc_a", seq: one.seq });
          expect(again.change("doc_a", one.seq)).toMatchObject({
            seq: one.seq,
            id: one.id,
            splices: one.splices,
            removed: one.removed,
          });
        }
        expect(again.find(changeId(3, "ba9876543210"))).toBeUndefined();
        expect(again.journal("doc_a").map(({ change: { id } }) => id)).toEqual(changes.map(({ id }) => id));
        expect([again.folded("doc_a"), again.folded("doc_b"), again.oldest("doc_a")?.seq]).toEqual([
          6,
          undefined,
          0,
        ]);
        expect(seqs(again.unfolded("doc_a", -1, 2))).toEqual([7, 8]);
        expect(seqs(again.unfolded("doc_a", 7, 9))).toEqual([8, 9]);
      }
    });

    test("[ST40] changes are listed before any of them, folded or not", async () => {
      await folded();
      expect(seqs(store.changes("doc_a", { before: 8 }))).toEqual([7, 6, 3, 0]);
      expect(seqs(store.changes("doc_a", { before: 6 }))).toEqual([3, 0]);
      expect(seqs(store.changes("doc_a", { before: 5, limit: 1 }))).toEqual([3]);
      expect(seqs(store.changes("doc_a", { limit: 5 }))).toEqual([9, 8, 7, 6, 3]);
    });

    test("[ST40] folding goes on where it ended, and what was folded is dropped by entries", async () => {
      const changes = await folded();
      await store.fold("doc_a", [changes.slice(6, 8), changes.slice(8)]);
      expect(seqs(store.changes("doc_a"))).toEqual([9, 8, 6, 3, 0]);
      expect([store.folded("doc_a"), store.unfolded("doc_a", -1, 9)]).toEqual([9, []]);
      await store.append({ id: "doc_a", entries: [entry(10)] });
      await store.truncate("doc_a", 10);
      await store.compact("doc_a", { ...snapshot, seq: 9 }, 5);
      expect([seqs(store.changes("doc_a")), store.oldest("doc_a")?.seq]).toEqual([[9, 8, 6], 4]);
      expect(store.find(changes[1]!.id)).toBeUndefined();
      expect(store.find(changes[4]!.id)).toEqual({ docId: "doc_a", seq: 5 });
      await store.compact("doc_a", { ...snapshot, seq: 9 }, 9);
      const again = await reopen();
      expect([seqs(again.changes("doc_a")), again.change("doc_a", 8)]).toEqual([[9], undefined]);
    });

    test("[ST23, ST6] changes that stay are found by their ids, also where another machine's was between", async () => {
      const own = (seq: number) => ({ id: changeId(seq, "0123456789ab") });
      const other = (seq: number) => ({ id: changeId(seq, "ba9876543210"), machine: "other" });
      const made = [own(0), own(1), other(2), own(3), other(57), own(5), other(6), own(7)];
      const found = () => made.map(({ id }) => store.find(id)?.seq);
      await store.create(record, snapshot, change(0, made[0]));
      const entries = made.slice(1).map((one, i) => ({ ...entry(i + 1), change: change(i + 1, one) }));
      await store.append({ id: "doc_a", entries });
      await store.truncate("doc_a", 6);
      expect(found()).toEqual([0, 1, 2, 3, 4, 5, undefined, undefined]);
      await store.compact("doc_a", { ...snapshot, seq: 5 }, 2);
      expect(found()).toEqual([undefined, undefined, 2, 3, 4, 5, undefined, undefined]);
      await store.compact("doc_a", { ...snapshot, seq: 5 }, 4);
      store = await reopen();
      expect(found()).toEqual([undefined, undefined, undefined, undefined, 4, 5, undefined, undefined]);
    });

    test("[ST6] truncating takes back changes and updates from a change on", async () => {
      await written(5);
      await store.truncate("doc_a", 4);
      expect(store.journal("doc_a").map((e) => e.change.seq)).toEqual([1, 2, 3]);
      expect(seqs(store.changes("doc_a"))).toEqual([3, 2, 1, 0]);
      await store.append({ id: "doc_a", entries: [entry(4)] });
      expect(plain(store.journal("doc_a").at(-1))).toEqual(plain(entry(4)));
    });

    test("[ST7] documents whose ids begin alike are kept apart", async () => {
      await written(2);
      await written(3, "doc_ab", "b.md");
      await store.truncate("doc_a", 0);
      expect(seqs(store.changes("doc_a"))).toEqual([]);
      expect(seqs(store.changes("doc_ab"))).toEqual([3, 2, 1, 0]);
      expect(store.journal("doc_ab")).toHaveLength(3);
    });

    test("[ST8] a saved record replaces the one before, with fields that are gone left out", async () => {
      await written(0);
      const { image: _image, ...rest } = record;
      const buried = { ...rest, landed: 4, deletedAt: 77 };
      await store.saveDocument(buried);
      expect(store.document("doc_a")).toStrictEqual(buried);
    });

    test("[ST9] a renamed document is found at its new path only", async () => {
      await written(0);
      await store.saveDocument({ ...record, path: "b.md" });
      expect(store.documentAt("a.md")).toBeUndefined();
      expect(store.documentAt("b.md")?.id).toBe("doc_a");
    });

    test("[ST9] a renamed document does not take its old path from the one that has it now", async () => {
      await written(0);
      await store.saveDocument({ ...record, path: "b.md" });
      await written(0, "doc_c", "a.md");
      await store.saveDocument({ ...record, path: "d.md" });
      expect(store.documentAt("a.md")?.id).toBe("doc_c");
      expect(store.documentAt("b.md")).toBeUndefined();
    });

    test("[ST9] two renames asked for at once leave the last path alone", async () => {
      await written(0);
      const renames = ["b.md", "c.md"].map((path) => store.saveDocument({ ...record, path }));
      await Promise.all(renames);
      expect(["a.md", "b.md", "c.md"].map((path) => store.documentAt(path)?.id)).toEqual([
        undefined,
        undefined,
        "doc_a",
      ]);
    });

    test("[ST9] of two documents that come to one path at once, the one that stays is found there", async () => {
      await Promise.all([written(0, "doc_b", "b.md"), written(0, "doc_c", "b.md")]);
      await store.saveDocument({ ...record, id: "doc_c", path: "c.md" });
      expect(store.documentAt("b.md")?.id).toBe("doc_b");
      store = await reopen();
      expect(["b.md", "c.md"].map((path) => store.documentAt(path)?.id)).toEqual(["doc_b", "doc_c"]);
    });

    test("[ST9] two documents that change places at once are each found where they are", async () => {
      await written(0);
      await written(0, "doc_b", "b.md");
      await Promise.all([
        store.saveDocument({ ...record, path: "b.md" }),
        store.saveDocument({ ...record, id: "doc_b", path: "a.md" }),
      ]);
      store = await reopen();
      expect(["a.md", "b.md"].map((path) => store.documentAt(path)?.id)).toEqual(["doc_b", "doc_a"]);
    });

    test("[ST9] a deleted document whose path another one had for a while is found there again", async () => {
      await written(0);
      await written(0, "doc_b", "b.md");
      await store.saveDocument({ ...record, id: "doc_b", path: "b.md", deletedAt: 5 });
      await store.saveDocument({ ...record, path: "b.md" });
      expect(store.documentAt("b.md")?.id).toBe("doc_a");
      await store.saveDocument({ ...record, path: "c.md" });
      store = await reopen();
      expect(["b.md", "c.md"].map((path) => store.documentAt(path)?.id)).toEqual(["doc_b", "doc_a"]);
    });

    test("[ST10] an image's 64-bit numbers come back exactly", async () => {
      await written(0);
      expect(store.document("doc_a")?.image).toStrictEqual(image);
    });

    test("[ST11] an answer is kept with its change, for its own agent", async () => {
      await written(0);
      await store.append({ id: "doc_a", entries: [{ ...entry(1), answer: answer("owner/alice", "op-1") }] });
      expect(store.answer("owner/alice", "op-1")).toEqual(answer("owner/alice", "op-1"));
      expect(store.answer("owner/bob", "op-1")).toBeUndefined();
    });

    test("[ST11] answers older than a moment are forgotten, but for as many of the newest as are to stay", async () => {
      await written(0);
      for (const [i, time] of [10, 20, 30].entries())
        await store.append({
          id: "doc_a",
          entries: [{ ...entry(i + 1), answer: answer("owner/alice", `op-${time}`, time) }],
        });
      const left = () =>
        [10, 20, 30].filter((time) => store.answer("owner/alice", `op-${time}`) !== undefined);
      await store.forgetAnswers(30, 2);
      expect(left()).toEqual([20, 30]);
      await store.forgetAnswers(30, 0);
      expect(left()).toEqual([30]);
    });

    test("[ST41] packed answers are given as before, a later one in place of an earlier", async () => {
      await written(0);
      const given = Array.from({ length: 300 }, (_, i) => ({
        ...answer(i % 3 === 0 ? "owner/bob" : "owner/alice", `op-${i}`, 1000 * i),
        result:
          i % 7 === 0 ? { batchId: `bat_${i}` } : { seq: i, kept: { merged: i % 2 === 0, on: ["a", i] } },
      }));
      const give = (from: number, to: number) =>
        Promise.all(
          given
            .slice(from, to)
            .map((one, i) =>
              store.append({ id: "doc_a", entries: [{ ...entry(from + i + 1), answer: one }] }),
            ),
        );
      await give(0, 200);
      await store.packAnswers();
      await give(200, 300);
      await store.packAnswers();
      const later = { ...answer("owner/alice", "op-1", 500_000), result: { seq: 9 } };
      await store.append({ id: "doc_a", entries: [{ ...entry(301), answer: later }] });
      for (const present of [() => store, reopen]) {
        const again = await present();
        for (const one of given)
          expect(again.answer(one.agent, one.opId)).toEqual(one.opId === "op-1" ? later : one);
        expect(again.answer("owner/alice", "op-0")).toBeUndefined();
        expect(again.answer("owner/bob", "op-300")).toBeUndefined();
        store = again;
      }
      await store.forgetAnswers(400_000, 0);
      expect(store.answer("owner/alice", "op-2")).toBeUndefined();
      expect(store.answer("owner/alice", "op-1")).toEqual(later);
    });

    test("[ST41] an answer that is packed while another takes its place gives way to that", async () => {
      await written(0);
      const given = Array.from({ length: 100 }, (_, i) => answer("owner/alice", `op-${i}`, 1000 * i));
      const give = (one: AnswerRecord, seq: number) =>
        store.append({ id: "doc_a", entries: [{ ...entry(seq), answer: one }] });
      await Promise.all(given.map((one, i) => give(one, i + 1)));
      const later = answer("owner/alice", "op-7", 500_000);
      await Promise.all([give(later, 101), store.packAnswers()]);
      for (const present of [() => store, reopen]) {
        store = await present();
        expect(store.answer("owner/alice", "op-7")).toEqual(later);
        expect(store.answer("owner/alice", "op-8")).toEqual(given[8]);
      }
    });

    test("[ST15] what is appended together is read in order, and a change is found by its id until it is taken back", async () => {
      await written(0);
      await store.append({ id: "doc_a", entries: [entry(1), entry(2)] });
      expect(plain(store.journal("doc_a"))).toEqual(plain([entry(1), entry(2)]));
      expect([0, 1, 2].map((seq) => store.find(change(seq).id))).toEqual(
        [0, 1, 2].map((seq) => ({ docId: "doc_a", seq })),
      );
      await store.truncate("doc_a", 2);
      expect(store.find(change(2).id)).toBeUndefined();
      expect(store.find(change(1).id)).toEqual({ docId: "doc_a", seq: 1 });
    });

    test("[ST17] what is appended to several documents, and shelved with it, is kept together", async () => {
      await Promise.all([written(0), written(0, "doc_b", "b.md")]);
      const shelved = [{ shelf: "batches", id: "bat_1", record: { files: ["a.md", "b.md"] } }] as const;
      const entries = [{ ...entry(1), shelved }];
      await store.append(
        { id: "doc_a", entries },
        { id: "doc_b", entries: [{ ...entry(1), change: change(1, { id: "chg_b" }) }] },
      );
      expect(store.find("chg_b")).toEqual({ docId: "doc_b", seq: 1 });
      expect((await reopen()).shelved(batches, "bat_1")).toEqual({ files: ["a.md", "b.md"] });
    });

    test("[ST44] a change is kept with the record of its file, and a path has the document that came there last", async () => {
      await written(0);
      await store.create({ ...record, id: "doc_b", path: "b.md" }, snapshot, change(0));
      const moved = { ...record, path: "b.md" };
      await store.append({ id: "doc_a", entries: [{ ...entry(1), record: moved }] });
      await store.saveDocument({ ...record, id: "doc_b", path: "b.md", landed: 1 });
      const again = await reopen();
      expect(again.document("doc_a")).toEqual(moved);
      expect(again.documentAt("b.md")).toEqual(moved);
      expect(again.documentAt("a.md")).toBeUndefined();
      expect(plain(again.journal("doc_a"))).toEqual(plain([entry(1)]));
    });

    test("[ST43] an answer that belongs to no change is kept with its records", async () => {
      await store.keepAnswer(answer("owner/alice", "op-1", 5), {
        shelf: "batches",
        id: "bat_1",
        record: { files: ["a.md"] },
      });
      const again = await reopen();
      expect(again.answer("owner/alice", "op-1")).toEqual(answer("owner/alice", "op-1", 5));
      expect(again.shelved(batches, "bat_1")).toEqual({ files: ["a.md"] });
    });

    test("[ST18] a shelf has records by id, in order, until they are taken off", async () => {
      const put = (id: string, n: number) => ({ shelf: "proposals", id, record: { id, n } }) as const;
      await store.shelve(put("prop_b", 1), put("prop_a", 2), { ...put("prop_c", 3), shelf: "checkpoints" });
      await store.shelve(put("prop_b", 4));
      expect([...store.shelf(proposals)]).toEqual([
        { id: "prop_a", n: 2 },
        { id: "prop_b", n: 4 },
      ]);
      await store.shelve(put("prop_b", 4), { shelf: "proposals", id: "prop_a", record: null });
      expect([store.shelved(proposals, "prop_a"), store.shelved(batches, "prop_b")]).toEqual([
        undefined,
        undefined,
      ]);
      expect([...(await reopen()).shelf(proposals)]).toEqual([{ id: "prop_b", n: 4 }]);
    });

    test("[ST37] a write is refused whose path or id is too long for a key", async () => {
      const long = "\x01".repeat(1_000);
      const writes = [
        store.create({ ...record, path: long }, snapshot, change(0)),
        store.saveDocument({ ...record, path: long }),
        store.shelve({ shelf: "told", id: long, record: {} }),
      ];
      const failures = await Promise.all(writes.map((write) => storeFailure(write)));
      for (const failure of failures) expect(failure?.message).toBe("a name is too long for the store");
      await store.create({ ...record, path: "x".repeat(1_024) }, snapshot, change(0));
    });

    test("[ST18] a shelf lists every id, whatever its characters", async () => {
      const ids = [
        "\0",
        "\x01",
        "\t",
        "a\0b",
        " ",
        "\x7f",
        "\uffff",
        "\u{10ffff}",
        "\u{10ffff}".repeat(9),
        "\u{10ffff}a",
      ];
      await store.shelve(
        ...SHELVES.flatMap((shelf) => ids.map((id) => ({ shelf, id, record: { shelf, id } }) as const)),
      );
      const reopened = await reopen();
      for (const shelf of SHELVES) {
        const listed = [...reopened.shelf<{ shelf: string; id: string }>(shelfOf(shelf))];
        expect(listed.map((record) => record.id).sort()).toEqual([...ids].sort());
        expect(new Set(listed.map((record) => record.shelf))).toEqual(new Set([shelf]));
      }
    });

    test("[ST19] a peer is known with its author, and whether it is elsewhere", async () => {
      expect(store.peer("7")).toBeUndefined();
      await store.savePeer("7", { name: "typist", agent: "owner/typist", elsewhere: true });
      await store.savePeer("8", { name: "disk", agent: "disk" });
      expect(store.peer("7")).toEqual({ name: "typist", agent: "owner/typist", elsewhere: true });
      expect(store.peer("8")).toEqual({ name: "disk", agent: "disk" });
      expect((await reopen()).peer("7")?.elsewhere).toBe(true);
    });

    test("[ST12] each write has its own promise, and reads see the write once that resolved", async () => {
      await written(0);
      const writes = Array.from({ length: 50 }, (_, i) =>
        store.append({ id: "doc_a", entries: [entry(i + 1)] }),
      );
      expect(new Set(writes).size).toBe(50);
      await Promise.all(
        writes.map((write, i) =>
          write.then(() => expect(store.change("doc_a", i + 1)).toEqual(change(i + 1))),
        ),
      );
      expect(store.journal("doc_a")).toHaveLength(50);
    });

    test("[ST13] holds after it was opened again everything that it held before", async () => {
      await written(6);
      await store.append({ id: "doc_a", entries: [{ ...entry(7), answer: answer("owner/alice", "op-7") }] });
      await store.compact("doc_a", { seq: 4, form: "snapshot", bytes: Uint8Array.of(4) }, 0);
      await store.saveDocument({ ...record, path: "b.md", landed: 7 });
      const again = await reopen();
      expect(again.documents()).toEqual([{ ...record, path: "b.md", landed: 7 }]);
      expect(again.documentAt("b.md")?.id).toBe("doc_a");
      expect(plain(again.snapshot("doc_a"))).toEqual(
        plain({ seq: 4, form: "snapshot", bytes: Uint8Array.of(4) }),
      );
      expect(plain(again.journal("doc_a"))).toEqual(plain([entry(5), entry(6), entry(7)]));
      expect(seqs(again.changes("doc_a"))).toEqual([7, 6, 5, 4, 3, 2, 1, 0]);
      expect(again.answer("owner/alice", "op-7")).toEqual(answer("owner/alice", "op-7"));
    });

    test("[ST13] closing waits for writes that nobody waited for", async () => {
      await written(0);
      void store.append({ id: "doc_a", entries: [entry(1)] });
      expect(plain((await reopen()).journal("doc_a"))).toEqual(plain([entry(1)]));
    });

    describe("baselines", () => {
      const sha256 = "ab".repeat(32);
      const baseline = { path: "sub/a.md", image, sha256 };
      const binary = { path: "raw.bin", image: { ...image, ino: 7n, mtimeNs: -1n } };
      const bytes = Uint8Array.of(1, 2, 3);
      const inventories = () => [...store.baselines.inventoried()].sort();

      test("[ST27] are stored by their paths, in their order", async () => {
        await store.baselines.save([baseline, binary], [{ sha256, deflated: bytes }]);
        expect([...store.baselines.list()]).toEqual([binary, baseline]);
        expect([...store.baselines.list("sub")]).toEqual([baseline]);
        expect([...store.baselines.paths()]).toEqual(["raw.bin", "sub/a.md"]);
        expect([store.baselines.count, store.baselines.at("raw.bin")]).toEqual([2, binary]);
        expect(plain(store.baselines.content(sha256))).toEqual([...bytes]);
        const again = await reopen();
        expect([...again.baselines.list()]).toEqual([binary, baseline]);
      });

      test("[ST28] are found by the inodes of their files, as long as they are there", async () => {
        await store.baselines.save([baseline, binary], []);
        expect(store.baselines.withInode(image.ino)).toEqual(baseline);
        const moved = { ...baseline, image: { ...image, ino: 8n } };
        await store.baselines.save([moved], []);
        expect([store.baselines.withInode(image.ino), store.baselines.withInode(8n)]).toEqual([
          undefined,
          moved,
        ]);
        await store.baselines.drop([binary.path]);
        await store.create({ ...record, path: baseline.path }, snapshot, change(0));
        expect([store.baselines.withInode(7n), store.baselines.withInode(8n)]).toEqual([
          undefined,
          undefined,
        ]);
        expect(store.baselines.count).toBe(0);
      });

      test("[CV15] the store knows, also once it was opened again, whether contents may be unnamed", async () => {
        const mayHave = () => store.baselines.mayHaveUnnamed;
        await store.baselines.save([baseline, binary], []);
        await store.baselines.save([{ ...baseline, image: binary.image }], []);
        await store.baselines.drop([binary.path]);
        expect(mayHave()).toBe(false);
        await store.baselines.save([{ ...baseline, sha256: "cd".repeat(32) }], []);
        expect(mayHave()).toBe(true);
        await store.baselines.searching();
        expect(mayHave()).toBe(false);
        await store.baselines.drop([baseline.path]);
        expect(mayHave()).toBe(true);
        expect((await reopen()).baselines.mayHaveUnnamed).toBe(true);
      });

      test("[ST29] an inventory is stored by its folder", async () => {
        await store.baselines.saveInventories(
          new Map([
            ["", bytes],
            ["sub", Uint8Array.of(9)],
          ]),
        );
        expect(inventories()).toEqual(["", "sub"]);
        expect(plain(store.baselines.inventory(""))).toEqual([...bytes]);
        await store.baselines.saveInventories(new Map([["", undefined]]));
        expect(inventories()).toEqual(["sub"]);
        expect([...(await reopen()).baselines.inventoried()]).toEqual(["sub"]);
      });

      test.each<[what: string, lostPath: string, work: (store: Store) => Promise<void>]>([
        ["its baseline is dropped", "sub/a.md", ({ baselines }) => baselines.drop(["sub/a.md"])],
        [
          "it gets a document",
          "sub/a.md",
          (store) => store.create({ ...record, path: "sub/a.md" }, snapshot, change(0)),
        ],
        [
          "its document moves away",
          "sub/d.md",
          (store) => store.saveDocument({ ...record, path: "elsewhere.md" }),
        ],
        [
          "its document is deleted",
          "sub/d.md",
          (store) => store.saveDocument({ ...record, path: "sub/d.md", deletedAt: 1 }),
        ],
      ])("[ST29] a file's inventory ends when %s", async (_what, lostPath, work) => {
        await store.create({ ...record, path: "sub/d.md" }, snapshot, change(0));
        await store.baselines.save([baseline], []);
        await store.baselines.saveInventories(
          new Map([
            ["", bytes],
            ["sub", bytes],
            ["sub/deep", bytes],
          ]),
        );
        const lost = new Set<string>();
        store.baselines.noteLost(lost);
        await store.saveDocument({ ...record, path: "sub/d.md", landed: 1 });
        expect([inventories(), [...lost]]).toEqual([["", "sub", "sub/deep"], []]);
        await work(store);
        expect([...lost]).toContain(lostPath);
        store.baselines.noteLost(undefined);
        expect(inventories().includes("sub")).toBe(false);
        expect(inventories().includes("sub/deep")).toBe(true);
      });
    });

    test("[DO6] refuses every write once it was closed", async () => {
      await store.close();
      await expect(store.saveDocument(record)).rejects.toThrow(StoreError);
    });
  });
}
