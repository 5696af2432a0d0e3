import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packGroup, unpackGroup } from "../../src/store/lmdb/write.ts";
import { PAGE, recordOf, recordsIn } from "../../src/store/log/record.ts";
import { groupsAfter, nameOf, readLog } from "../../src/store/log/replay.ts";
import { StoreError } from "../../src/store/store.ts";
import { Seeded } from "../helpers/seeded.ts";
import { folder } from "./logged.ts";

const DATABASE = 42;
/** The bytes of a record beside its payload. */
const HEAD = 28;
const SIZES = [100, PAGE, 30];

function record(seq: number, size: number, database = DATABASE): Buffer {
  return recordOf({ database, seq, payload: Buffer.alloc(size, seq) });
}

/** Three records and a page of zeros, with the end of each record's content. */
const RECORDS = SIZES.map((size, i) => record(i + 1, size));
const LOG = Buffer.concat([...RECORDS, Buffer.alloc(PAGE)]);
const STARTS = RECORDS.map((_, i) => RECORDS.slice(0, i).reduce((sum, { length }) => sum + length, 0));
const ENDS = STARTS.map((start, i) => start + HEAD + SIZES[i]!);

/** Returns the groups that a log has for a database with the groups up to `taken`. */
function read(bytes: Buffer, taken = 0): number[] | "damaged" {
  try {
    return groupsAfter(taken, DATABASE, [bytes]).map(({ seq }) => seq);
  } catch (error) {
    if (error instanceof StoreError) return "damaged";
    throw error;
  }
}

/** What a log must be read as when its bytes from `from` to `to` are lost. */
function without(from: number, to: number): number[] | "damaged" {
  const lost = STARTS.map((start, i) => from < ENDS[i]! && to > start);
  const whole = [1, 2, 3].filter((seq) => !lost[seq - 1]);
  return whole.every((seq, i) => seq === i + 1) ? whole : "damaged";
}

describe("a log", () => {
  test("[ST39] holds groups of writes as they were", () => {
    const writes = [
      { table: "changes", key: ["doc_a", 7] as [string, number], bytes: Buffer.from([0, 255]) },
      { table: "peers", key: "é\u{1f600}", bytes: undefined },
    ];
    const bytes = recordOf({ database: DATABASE, seq: 1, payload: packGroup(writes) });
    expect([...recordsIn(bytes, DATABASE)].map(({ payload }) => unpackGroup(payload))).toEqual([writes]);
  });

  test("[ST42] that was cut at any byte holds the groups before the cut", () => {
    for (let cut = 0; cut <= LOG.length; cut++) {
      const whole = [1, 2, 3].filter((seq) => ENDS[seq - 1]! <= cut);
      expect(read(LOG.subarray(0, cut)), `cut at ${cut}`).toEqual(whole);
    }
  });

  test("[ST42, ST30] with a bit flipped in any byte lacks the last group, or is damaged", () => {
    const random = new Seeded(31);
    for (let at = 0; at < LOG.length; at++) {
      const bytes = Buffer.from(LOG);
      bytes[at]! ^= 1 << random.int(8);
      expect(read(bytes), `byte ${at}`).toEqual(without(at, at + 1));
    }
  });

  test("[ST42, ST30] with any run of zeroed pages lacks the last groups, or is damaged", () => {
    for (let from = 0; from < LOG.length; from += PAGE)
      for (let to = from + PAGE; to <= LOG.length; to += PAGE) {
        const bytes = Buffer.from(LOG).fill(0, from, to);
        expect(read(bytes), `${from} to ${to}`).toEqual(without(from, to));
      }
  });

  test("[ST31] adds to a newer database only what that lacks", () => {
    expect([0, 1, 2, 3, 9].map((taken) => read(LOG, taken))).toEqual([[1, 2, 3], [2, 3], [3], [], []]);
  });

  test("[ST30] that begins later than its database ends is damaged", () => {
    expect(read(Buffer.concat(RECORDS.slice(1)))).toBe("damaged");
    expect(read(Buffer.concat(RECORDS.slice(1)), 1)).toEqual([2, 3]);
  });

  test("[ST30] of another database is damaged, however old", () => {
    expect(read(Buffer.concat([record(1, 10, 43), record(2, 10, 43)]), 5)).toBe("damaged");
  });

  test("[ST55] with a record in the text of a client reads no such record, whichever group a crash cut short", () => {
    const forged = Buffer.concat([record(2, 0, 43).subarray(0, HEAD), Buffer.alloc(1)]);
    // In one of the first pages of the text such a record is at the beginning of the page.
    const text = Buffer.alloc(64 * PAGE, forged);
    const said = recordOf({ database: DATABASE, seq: 2, payload: text });
    expect(read(Buffer.concat([record(1, 10), said, record(3, 10)]))).toEqual([1, 2, 3]);
    expect(read(Buffer.concat([record(1, 10), said.subarray(0, 60 * PAGE)]))).toEqual([1]);
    expect(read(Buffer.concat([record(3, 10), said.subarray(PAGE)]), 2)).toEqual([3]);
  });

  test("[ST39] in several segments, used in turn, is read in the order of its groups", () => {
    const at = folder();
    // The later groups took the place of the earliest ones in the first segment.
    writeFileSync(join(at, nameOf(1)), Buffer.concat([record(5, 10), record(6, 10), record(3, 10)]));
    writeFileSync(join(at, nameOf(2)), Buffer.concat([record(4, 10), record(2, 10)]));
    const log = readLog(at, DATABASE, 3);
    expect(log.groups.map(({ seq }) => seq)).toEqual([4, 5, 6]);
    expect([log.last, log.nextNumber]).toEqual([6, 3]);
    truncateSync(join(at, nameOf(2)), 0);
    expect(() => readLog(at, DATABASE, 3)).toThrow(/lost a group/);
  });

  test("[ST42] of other bytes, or of too few, holds nothing", () => {
    const random = new Seeded(7);
    for (let size = 0; size < 100; size++) expect(read(Buffer.from(random.bytes(size)))).toEqual([]);
    const long = Buffer.from(RECORDS[0]!);
    long.writeUInt32LE(0xffff_ffff, 8);
    expect(read(long)).toEqual([]);
  });
});
