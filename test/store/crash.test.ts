import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Step } from "../../src/mirror/step.ts";
import { openLmdbStore } from "../../src/store/lmdb/lmdb.ts";
import { readThrough } from "../../src/store/lmdb/read-through.ts";
import { PAGE } from "../../src/store/log/record.ts";
import { segmentsIn } from "../../src/store/log/replay.ts";
import { shelfOf } from "../../src/store/shelf.ts";
import { type Store, StoreError } from "../../src/store/store.ts";
import { change, entry, record, snapshot } from "../contract/store.ts";
import { times } from "../e2e/long.ts";
import { Seeded } from "../helpers/seeded.ts";
import { copyOf, folder, openLogged } from "./logged.ts";

const DATABASE = "data.mdb";
const seen = shelfOf<{ id: string; last: number }>("seen");
/** Records of these sizes, in bytes, go to the log, to the log until the database takes it in, and past the log. */
const SIZES = [10, 10, 10, 10, 120_000, 400_000];
const SHELVED = 5;

/** What a process would leave that ends at a step, with the last change that it acknowledged and that it began. */
interface Image {
  readonly at: string;
  readonly step: Step;
  /** The database as it was flushed last: what a power cut leaves of it. */
  readonly flushed: string;
  readonly acknowledged: number;
  readonly begun: number;
}

/** Writes changes of one document to a store, and takes images of its folder at some steps. */
async function imagesOf(random: Seeded, count: number): Promise<{ images: Image[]; closed: Image }> {
  const at = folder();
  const images: Image[] = [];
  let [acknowledged, begun, isCreated] = [0, 0, false];
  let flushed = "";
  const flush = () => {
    flushed = join(folder(), DATABASE);
    copyFileSync(join(at, DATABASE), flushed);
  };
  const store = await openLogged(at, (step) => {
    if (step === "taken in") flush();
    if (isCreated && images.length < count && random.chance(step === "taken in" ? 0.7 : 0.2))
      images.push({ at: copyOf(at), step, flushed, acknowledged, begun });
  });
  flush();
  await store.create(record, snapshot, change(0));
  isCreated = true;
  const append = async () => {
    const seq = ++begun;
    const id = String(seq % SHELVED);
    const padding = "x".repeat(random.pick(SIZES));
    const shelved = [{ shelf: "seen", id, record: { id, last: seq, padding } } as const];
    await store.append({ id: "doc_a", entries: [{ ...entry(seq), shelved }] });
    acknowledged = seq;
    if (random.chance(0.3)) await append();
  };
  while (images.length < count) {
    const burst = Array.from({ length: random.between(1, 6) }, append);
    if (random.chance(0.1)) void store.compact("doc_a", { ...snapshot, seq: acknowledged }, 0);
    await Promise.all(burst);
  }
  await store.close();
  return { images, closed: { at, step: "taken in", flushed, acknowledged, begun } };
}

/** Opens what is left, checks that it is one moment of the work and not too early, and leaves it open. */
function check(at: string, { acknowledged, begun }: Image, what: string): Store {
  const store = openLmdbStore(at);
  onTestFinished(() => store.close());
  const changes = [...store.changes("doc_a")].map(({ seq }) => seq);
  const last = changes[0]!;
  expect(changes, what).toEqual(Array.from({ length: last + 1 }, (_, i) => last - i));
  expect([last >= acknowledged, last <= begun], `${what}: ${acknowledged} <= ${last} <= ${begun}`).toEqual([
    true,
    true,
  ]);
  const start = store.snapshot("doc_a")!.seq;
  const journal = store.journal("doc_a").map(({ change }) => change.seq);
  expect(journal, what).toEqual(Array.from({ length: last - start }, (_, i) => start + 1 + i));
  for (const { id, last: held } of store.shelf(seen))
    expect([held, held % SHELVED, last - held < SHELVED], what).toEqual([held, Number(id), true]);
  expect(store.find(`chg_${last}`)?.seq, what).toBe(last);
  return store;
}

/** Checks what is left, also by a second start after a crash of the first, and by writing on. */
async function checkAll(at: string, image: Image, what: string): Promise<void> {
  const copy = copyOf(at);
  expect(() => readThrough(copy), what).not.toThrow();
  check(at, image, what);
  const store = check(copyOf(at), image, `${what}, the second start`);
  const [newest] = store.changes("doc_a", { limit: 1 });
  await store.append({ id: "doc_a", entries: [entry(newest!.seq + 1)] });
  await store.close();
}

function isDamaged(at: string): boolean {
  try {
    readThrough(at);
    return false;
  } catch (error) {
    if (error instanceof StoreError) return true;
    throw error;
  }
}

/** Replaces part of the last record of a log, from one of its pages on, as a write that a power cut ended. */
function tear(at: string, random: Seeded): void {
  const found = segmentsIn(at).flatMap((name) => {
    const bytes = readFileSync(join(at, name));
    const starts: { name: string; bytes: Buffer; start: number; seq: number; pages: number }[] = [];
    for (let start = 0; start < bytes.length; start += PAGE)
      if (bytes.toString("latin1", start, start + 4) === "SPLG") {
        const pages = Math.ceil((28 + bytes.readUInt32LE(start + 8)) / PAGE);
        starts.push({ name, bytes, start, seq: bytes.readDoubleLE(start + 20), pages });
      }
    return starts;
  });
  const last = found.reduce((a, b) => (b.seq > a.seq ? b : a));
  const page = last.start + PAGE * random.int(last.pages);
  const to = last.start + PAGE * last.pages;
  // The head of the record, or all of it from one page on, did not reach the disk.
  last.bytes.fill(0, page, page === last.start ? page + PAGE : to);
  writeFileSync(join(at, last.name), last.bytes);
}

const rounds = times(1, 200);

describe(`a store that was busy, ${rounds} times`, () => {
  for (let round = 0; round < rounds; round++) {
    const seed = Number(process.env["SEED"] ?? 31) + round;
    test(`[ST38, ST39, I2] has after a crash at any step what was acknowledged (seed ${seed})`, async () => {
      const random = new Seeded(seed);
      const { images, closed } = await imagesOf(random, 6);
      for (const [i, image] of images.entries()) {
        const what = `seed ${seed}, image ${i} at ${image.step}`;
        await checkAll(copyOf(image.at), image, `${what}, killed`);
        const taken = images.slice(0, i).filter(({ step }) => step === "taken in");
        const cut = copyOf(image.at);
        copyFileSync(image.flushed, join(cut, DATABASE));
        await checkAll(cut, image, `${what}, power cut`);
        if (image.step === "logged") {
          // The group under way is whole or not; nothing else was written since it began.
          const torn = copyOf(image.at);
          if (random.chance(0.5)) copyFileSync(image.flushed, join(torn, DATABASE));
          tear(torn, random);
          await checkAll(torn, image, `${what}, torn`);
        }
        for (const earlier of taken) {
          const older = copyOf(image.at);
          copyFileSync(join(earlier.at, DATABASE), join(older, DATABASE));
          // Of groups that went past the front log it knows nothing; a database that lost them is an older copy.
          const { acknowledged } = earlier;
          if (isDamaged(copyOf(older)))
            expect(() => openLmdbStore(older), what).toThrow(/front log has lost a group/);
          else await checkAll(older, { ...image, acknowledged }, `${what}, an older database`);
        }
        const newer = copyOf(closed.at);
        for (const name of segmentsIn(image.at)) cpSync(join(image.at, name), join(newer, name));
        check(newer, { ...closed, acknowledged: closed.begun }, `${what}, a newer database`);
      }
    });
  }
});

describe("a store's log", () => {
  test("[ST35] is gone after a close in order, and a store that is not busy has none", async () => {
    const at = folder();
    const store = await openLogged(at);
    await store.create(record, snapshot, change(0));
    expect(segmentsIn(at)).toHaveLength(2);
    await store.close();
    expect(segmentsIn(at)).toEqual([]);
    const next = openLmdbStore(at);
    await next.append({ id: "doc_a", entries: [entry(1)] });
    expect(segmentsIn(at)).toEqual([]);
    await next.close();
  });

  test("[ST35] of a killed process is gone once the database has all of it", async () => {
    const at = folder();
    const store = await openLogged(at);
    onTestFinished(() => store.close());
    await store.create(record, snapshot, change(0));
    const left = copyOf(at);
    const next = openLmdbStore(left);
    onTestFinished(() => next.close());
    expect(segmentsIn(left)).toHaveLength(2);
    await next.append({ id: "doc_a", entries: [entry(1)] });
    expect(segmentsIn(left)).toEqual([]);
    expect(next.change("doc_a", 0)).toEqual(change(0));
    const taken = copyOf(at);
    copyFileSync(join(left, DATABASE), join(taken, DATABASE));
    const last = openLmdbStore(taken);
    expect(segmentsIn(taken)).toEqual([]);
    await last.close();
  });

  test("[ST38] takes each group with one flush, and the database what is behind in one transaction", async () => {
    const steps: Step[] = [];
    const at = folder();
    const store = await openLogged(at, (step) => steps.push(step));
    await store.create(record, snapshot, change(0));
    steps.splice(0);
    for (let seq = 1; seq <= 50; seq++) await store.append({ id: "doc_a", entries: [entry(seq)] });
    expect(steps.filter((step) => step === "logged")).toHaveLength(50);
    await store.close();
    expect(steps.filter((step) => step === "taken in").length).toBeLessThan(25);
    expect(readdirSync(at)).toContain(DATABASE);
  });

  test("[ST35] is used again without end, and loses nothing", async () => {
    const at = folder();
    const store = await openLogged(at);
    await store.create(record, snapshot, change(0));
    const padding = "x".repeat(200_000);
    for (let seq = 1; seq <= 60; seq++)
      await store.append({
        id: "doc_a",
        entries: [
          { ...entry(seq), shelved: [{ shelf: "seen", id: "a", record: { id: "a", last: seq, padding } }] },
        ],
      });
    const left = copyOf(at);
    await store.close();
    for (const folderOf of [left, at]) {
      const next = openLmdbStore(folderOf);
      expect(next.journal("doc_a")).toHaveLength(60);
      expect(next.shelved(seen, "a")?.last).toBe(60);
      await next.close();
    }
  });

  test("[ST30] without its database, or with another one, is damage; without a group in it, it is none", async () => {
    const at = folder();
    const store = await openLogged(at);
    onTestFinished(() => store.close());
    const empty = copyOf(at);
    await store.create(record, snapshot, change(0));
    const full = copyOf(at);
    for (const left of [empty, full]) rmSync(join(left, DATABASE));
    expect(() => readThrough(full)).toThrow(/another database/);
    expect(() => openLmdbStore(full)).toThrow(/another database/);
    expect(() => readThrough(empty)).not.toThrow();
  });
});
