import { join } from "node:path";
import { open } from "lmdb";
import { describe, expect, onTestFinished, test } from "vitest";
import { CheckedEncoder } from "../../src/store/format/checked-encoder.ts";
import { Behind } from "../../src/store/lmdb/behind.ts";
import type { Databases } from "../../src/store/lmdb/environment.ts";
import { Opened } from "../../src/store/lmdb/opened.ts";
import { compareKeys, type RecordKey } from "../../src/store/lmdb/record-key.ts";
import { LmdbTable, type TableRange } from "../../src/store/lmdb/table.ts";
import { commitTo } from "../../src/store/lmdb/tables.ts";
import { Seeded } from "../helpers/seeded.ts";
import { folder } from "./logged.ts";

/** Texts that UTF-16 and UTF-8 order differently, prefixes of one another, and control characters. */
const TEXTS = [
  "",
  "a",
  "a/b",
  "a0",
  "ab",
  "b",
  "é",
  "z",
  "\u{1f600}",
  "\uff01",
  "\ue000",
  "\ufffd",
  "a\u{1f600}",
  "\t",
];

function tableIn(at: string) {
  const env = open({ path: join(at, "env"), maxDbs: 4, compression: false });
  onTestFinished(() => env.close());
  const encoder = new CheckedEncoder(() => undefined);
  const behind = new Behind();
  const peers = env.openDB<number, RecordKey>({ name: "peers", ...{ encoder } });
  const meta = env.openDB<number, string>({ name: "meta" });
  const databases = { meta, peers } as unknown as Databases;
  const opened = new Opened(join(at, "env"), { env, databases });
  const table = new LmdbTable<number, RecordKey>("peers", opened, encoder, behind);
  let seq = 0;
  const write = (key: RecordKey, value?: number) =>
    behind.add([value === undefined ? table.remove(key) : table.put(key, value)], ++seq);
  const takeIn = async () => {
    const until = seq;
    await commitTo(databases, behind.all(), until);
    behind.drop(until);
  };
  return { table, behind, write, takeIn };
}

/** Bytes of a key in the order of LMDB: texts are compared as UTF-8, numbers by size. */
function inOrder(a: RecordKey, b: RecordKey): number {
  const parts = (key: RecordKey) => (typeof key === "string" ? [key] : [...key]);
  for (const [i, part] of parts(a).entries()) {
    const other = parts(b)[i]!;
    const order =
      typeof part === "number" && typeof other === "number"
        ? part - other
        : Buffer.compare(Buffer.from(String(part)), Buffer.from(String(other)));
    if (order !== 0) return order;
  }
  return 0;
}

describe("a table whose newest writes wait", () => {
  test("[ST36] reads as if the database had them, alone, in ranges and by keys", async () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = new Seeded(seed);
      const { table, write, takeIn } = tableIn(folder());
      const isTuple = random.chance(0.5);
      const text = () => random.pick(isTuple ? TEXTS : TEXTS.slice(1));
      const draw = (): RecordKey => (isTuple ? [text(), random.between(-1, 12)] : text());
      const held = new Map<string, { key: RecordKey; value: number }>();
      for (let i = 0; i < 40; i++) {
        const key = draw();
        if (random.chance(0.3)) {
          write(key);
          held.delete(JSON.stringify(key));
        } else {
          write(key, i);
          held.set(JSON.stringify(key), { key, value: i });
        }
        if (random.chance(0.1)) await takeIn();
        if (!random.chance(0.3)) continue;
        const all = [...held.values()].sort((a, b) => inOrder(a.key, b.key));
        expect([...table.range()], `seed ${seed}`).toEqual(all);
        const [low, high] = [draw(), draw()].sort(inOrder) as [RecordKey, RecordKey];
        const limit = random.pick([undefined, 1, 3]);
        const reverse = random.chance(0.5);
        const range: TableRange<RecordKey> = {
          ...(reverse ? { start: high, end: low, reverse } : { start: low, end: high }),
          ...(limit !== undefined && { limit }),
        };
        const from = reverse ? all.toReversed() : all;
        const expected = from
          .filter(({ key }) =>
            reverse
              ? inOrder(key, high) <= 0 && inOrder(key, low) > 0
              : inOrder(key, low) >= 0 && inOrder(key, high) < 0,
          )
          .slice(0, limit);
        expect([...table.range(range)], `seed ${seed}, ${JSON.stringify(range)}`).toEqual(expected);
        expect([...table.keys(range)], `seed ${seed}`).toEqual(expected.map((one) => one.key));
        for (const one of [low, high]) {
          const value = held.get(JSON.stringify(one))?.value;
          expect([table.get(one), table.has(one)]).toEqual([value, value !== undefined]);
        }
      }
    }
  });

  test("[ST36] orders keys as the database does", () => {
    const keys: RecordKey[] = TEXTS.flatMap((a) => [0, 1, -1].map((n): RecordKey => [a, n]));
    for (const a of keys)
      for (const b of keys) expect(Math.sign(compareKeys(a, b))).toBe(Math.sign(inOrder(a, b)));
  });

  test("[ST37] refuses a key that the database cannot have, and no other", async () => {
    const { table, write, takeIn } = tableIn(folder());
    for (const key of ["x".repeat(5000), "\u{1f600}".repeat(600), "\x01".repeat(1500)])
      expect(() => write(key, 1), key.slice(0, 3)).toThrow(/too long/);
    const longest = ["x".repeat(1900), "é".repeat(950), "\x01".repeat(950)];
    for (const key of longest) write(key, 1);
    await takeIn();
    expect(longest.map((key) => table.get(key))).toEqual([1, 1, 1]);
  });
});
