import { describe, expect, test } from "vitest";
import type { DocPath } from "../../src/mirror/path.ts";
import { type DocumentRecord, type Store, StoreError } from "../../src/store/store.ts";
import { FileRecord } from "../../src/workspace/document/file-record.ts";
import { drained } from "../helpers/drained.ts";

const image = (size: number) => ({
  dev: 1n,
  ino: 2n,
  size,
  mtimeNs: 3n,
  ctimeNs: 3n,
  mode: 0o644,
  uid: 0,
  gid: 0,
  links: 1,
});
const RECORD: DocumentRecord = {
  id: "doc_a",
  path: "a.md" as DocPath,
  bom: false,
  landed: 0,
  image: image(1),
};
const staged = (seq: number) => ({ seq, id: `staged-${seq}`, image: image(10 + seq) });

/** Returns a store in which the test decides the outcome of each save. */
function slowStore() {
  const waiting: { record: DocumentRecord; keep: () => void; refuse: () => void }[] = [];
  const kept: DocumentRecord[] = [];
  const saveDocument = (record: DocumentRecord) =>
    new Promise<void>((resolve, reject) => {
      waiting.push({
        record,
        keep: () => {
          kept.push(record);
          resolve();
        },
        refuse: () => reject(new StoreError("full", "no space left")),
      });
    });
  return { store: { saveDocument, document: () => undefined } as Partial<Store> as Store, waiting, kept };
}

describe("what is noted of a file", () => {
  test("[DC12] is not stored before the change that it rests on", async () => {
    const { store, waiting, kept } = slowStore();
    const notes = new FileRecord(store, RECORD);
    notes.seen({ image: image(2) }, Promise.reject(new StoreError("full", "no space left")));
    notes.update({ path: "b.md" as DocPath });
    const saving = notes.save();
    waiting.shift()!.keep();
    await saving;
    expect(kept).toEqual([{ ...RECORD, path: "b.md" }]);
    expect(notes.current.image).toEqual(image(2));
  });

  test("[DC41] is stored by itself once the changes are, unless the store got it with the save", async () => {
    const { store, waiting } = slowStore();
    const notes = new FileRecord(store, RECORD);
    const durable = Promise.resolve();
    notes.seen({ image: image(2) }, durable);
    expect(notes.saved(true)).toMatchObject({ image: image(2) });
    await durable;
    expect(waiting).toEqual([]);
    notes.seen({ image: image(3) }, durable);
    expect(notes.saved(false)).toBeUndefined();
    await drained();
    expect(waiting.map(({ record }) => record)).toMatchObject([{ image: image(3) }]);
    waiting.shift()!.refuse();
    const saving = notes.save();
    await drained();
    expect(waiting.map(({ record }) => record)).toMatchObject([{ image: image(3) }]);
    waiting.shift()!.keep();
    await saving;
  });

  test("[DC48] that came with a save stays: a later record waits for that save", async () => {
    const { store, waiting } = slowStore();
    const { image: _none, ...rest } = RECORD;
    const notes = new FileRecord(store, { ...rest, deletedAt: 7 });
    let keep = () => {};
    const durable = new Promise<void>((resolve) => {
      keep = resolve;
    });
    notes.seen({ image: image(2) }, durable);
    expect(notes.saved(true)).toEqual({ ...rest, image: image(2) });
    void notes.stage(staged(1));
    await drained();
    expect(waiting).toEqual([]);
    keep();
    await drained();
    const given = waiting.map(({ record }) => record);
    expect(given).toEqual([{ ...rest, image: image(2), staged: staged(1) }]);
  });

  test("[DC48] is not stored any more once the store refuses the save that it came with", async () => {
    const { store, waiting } = slowStore();
    const notes = new FileRecord(store, RECORD);
    notes.seen({ image: image(2) }, Promise.reject(new StoreError("full", "no space left")));
    notes.saved(true);
    const staging = notes.stage(staged(1)).catch((error: StoreError) => error.kind);
    await drained();
    expect(waiting).toEqual([]);
    expect(await staging).toBe("full");
  });

  test("[I3i] is not stored while the store refuses the note of a save, but for the place of the file", async () => {
    const { store, waiting, kept } = slowStore();
    const full = new StoreError("full", "no space left");
    let isNoted = false;
    const notes = new FileRecord(store, RECORD, () => (isNoted ? undefined : Promise.resolve(full)));
    notes.update({ landed: 3, image: image(3), path: "b.md" as DocPath });
    await expect(notes.stage(staged(4))).rejects.toBe(full);
    expect([notes.place(false), waiting]).toEqual([{ ...RECORD, path: "b.md" }, []]);
    isNoted = true;
    const saving = notes.save();
    await expect.poll(() => waiting.length).toBe(1);
    waiting.shift()!.keep();
    await saving;
    expect(kept).toEqual([{ ...RECORD, landed: 3, image: image(3), path: "b.md" }]);
  });

  test("[DC21] goes with an event as its place, without a staged version that the store may still refuse", async () => {
    const { store, waiting, kept } = slowStore();
    const notes = new FileRecord(store, RECORD);
    const staging = notes.stage(staged(1));
    notes.moved("b.md" as DocPath, new Promise(() => {}));
    expect(notes.place(false)).toEqual({ ...RECORD, path: "b.md" });
    waiting.shift()!.keep();
    await expect.poll(() => waiting.length).toBe(1); // the store has the event's record now
    waiting.shift()!.keep();
    await staging;
    expect(kept.at(-1)).toEqual({ ...RECORD, path: "b.md", staged: staged(1) });
    notes.markDeleted(7);
    const { image: _image, ...left } = RECORD;
    expect(notes.place(false)).toEqual({ ...left, path: "b.md", staged: staged(1), deletedAt: 7 });
  });

  test("[DC12] of a new path is stored once the store is done with the event, with or without success", async () => {
    const { store, waiting, kept } = slowStore();
    const notes = new FileRecord(store, RECORD);
    let refuse = (_: Error) => {};
    const durable = new Promise<void>((_, reject) => {
      refuse = reject;
    });
    notes.moved("b.md" as DocPath, durable);
    expect(notes.path).toBe("b.md");
    notes.update({ bom: true });
    const early = notes.save();
    waiting.shift()!.keep();
    await early;
    expect(kept.map(({ path }) => path)).toEqual(["a.md"]);
    refuse(new StoreError("full", "no space left"));
    await durable.catch(() => undefined);
    const late = notes.save();
    waiting.shift()!.keep();
    await late;
    expect(kept.at(-1)!.path).toBe("b.md");
  });

  test("[DC12] is not stored after the store refused that change either", async () => {
    const { store, waiting } = slowStore();
    const notes = new FileRecord(store, RECORD);
    const refused = Promise.reject(new StoreError("full", "no space left"));
    notes.seen({ image: image(2) }, refused);
    await expect(refused).rejects.toThrow(StoreError);
    const saving = notes.save();
    expect(waiting).toEqual([]);
    await saving;
  });

  test("[DC12] is stored without a staged version that the store was once not told of", async () => {
    const { store, waiting, kept } = slowStore();
    const notes = new FileRecord(store, { ...RECORD, staged: staged(1) });
    notes.update({ staged: staged(2) });
    const refused = notes.save();
    notes.update({ path: "b.md" as DocPath });
    const saving = notes.save();
    waiting.shift()!.refuse();
    await expect(refused).rejects.toThrow(StoreError);
    await expect.poll(() => waiting.length).toBe(1);
    waiting.shift()!.keep();
    await saving;
    expect(kept).toEqual([{ ...RECORD, path: "b.md", staged: staged(1) }]);
  });

  test("[DC12] keeps a newer staged version when an earlier save is refused", async () => {
    const { store, waiting, kept } = slowStore();
    const notes = new FileRecord(store, RECORD);
    notes.update({ path: "b.md" as DocPath });
    const refused = notes.save();
    notes.update({ staged: staged(1) });
    const saving = notes.save();
    waiting.shift()!.refuse();
    await expect(refused).rejects.toThrow(StoreError);
    await expect.poll(() => waiting.length).toBe(1);
    waiting.shift()!.keep();
    await saving;
    expect(kept).toEqual([{ ...RECORD, path: "b.md", staged: staged(1) }]);
  });

  test("[DC12] of a staged version is refused when the save that tried it was, whoever asked for that", async () => {
    const { store, waiting, kept } = slowStore();
    const notes = new FileRecord(store, { ...RECORD, staged: staged(1) });
    notes.update({ path: "b.md" as DocPath });
    const first = notes.save();
    const others = notes.save().catch((error: StoreError) => error.kind);
    const stage = notes.stage(staged(2)).catch((error: StoreError) => error.kind);
    waiting.shift()!.keep();
    await first;
    await expect.poll(() => waiting.length).toBe(1);
    waiting.shift()!.refuse(); // with the staged version in it
    await expect.poll(() => waiting.length).toBe(1);
    waiting.shift()!.keep(); // without
    expect([await others, await stage]).toEqual(["full", "full"]);
    expect(kept.at(-1)?.staged).toEqual(staged(1));
  });
});
