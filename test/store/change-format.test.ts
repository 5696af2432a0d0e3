import { Encoder } from "msgpackr";
import { describe, expect, test } from "vitest";
import { changePacker } from "../../src/store/format/change-format.ts";
import type { ChangeRecord } from "../../src/store/store.ts";
import { change } from "../contract/store.ts";

const older = new Encoder();
const packer = changePacker(older);
const sha256 = "0123456789abcdef".repeat(4);
const splices = [
  { from: 0, to: 2, insert: "" },
  { from: 5, to: 5, insert: "é\u{1f600}" },
];
const changes: readonly ChangeRecord[] = [
  change(0, { splices: [], removed: [] }),
  change(1),
  change(2, { sha256, splices, removed: ["ab", ""], time: 1.7e12 + 1 / 1024 }),
  change(3, { sha256, message: "why", batch: { id: "bat_1", size: 2 }, alsoUndoes: ["chg_1"] }),
  change(4, { file: { kind: "rename", from: "a.md", to: "b.md" }, candidates: ["alice", "bob"] }),
];

describe("a stored change", () => {
  test("[ST3] comes back as it was", () => {
    for (const one of changes) expect(packer.decode(packer.encode(one))).toEqual(one);
  });

  test("[ST3] is read in the form before schema 11, too", () => {
    for (const one of changes) expect(packer.decode(older.encode(one))).toEqual(one);
  });

  test("[ST3] has no names of its fields", () => {
    expect(packer.encode(change(1, { sha256 })).length).toBeLessThan(90);
  });
});
