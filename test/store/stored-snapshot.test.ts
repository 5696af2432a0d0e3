import { expect, test } from "vitest";
import { snapshotIn, storedSnapshot } from "../../src/store/format/stored-snapshot.ts";

const snapshotOf = (size: number) => ({
  seq: 7,
  form: "update" as const,
  bytes: Uint8Array.from({ length: size }, (_, i) => i % 251),
});

test("[ST54] a snapshot that takes pages of the database is stored in a shorter form", () => {
  const snapshot = snapshotOf(20_000);
  const stored = storedSnapshot(snapshot);
  expect(stored.bytes.length).toBeLessThan(1000);
  const { bytes, ...facts } = snapshotIn(stored);
  expect([facts, new Uint8Array(bytes)]).toEqual([{ seq: 7, form: "update" }, snapshot.bytes]);
});

test("[ST54] a short snapshot is stored as it is, and so is one over a megabyte", () => {
  expect(storedSnapshot(snapshotOf(2000))).toEqual(snapshotOf(2000));
  expect(storedSnapshot(snapshotOf((1 << 20) + 1)).bytes.length).toBe((1 << 20) + 2);
});
