import { describe, expect, test } from "vitest";
import type { Image } from "../../../src/mirror/files.ts";
import type { DocumentRecord } from "../../../src/store/store.ts";
import {
  ageOf,
  type Content,
  conclude,
  contentSearch,
  type Evidence,
  landedOf,
  stampsOf,
} from "../../../src/workspace/document/recovery.ts";

const STAMPS = ["same", "resized", "different", "unreadable"] as const;
type Staged = "none" | "present" | "swapped in";
const STAGED: readonly Staged[] = ["none", "present", "swapped in"];

/** Change 3 is in the file by its record, 5 was staged, 9 is the newest. */
function evidence(over: Partial<Evidence>, staged: Staged = "none"): Evidence {
  const version = { seq: 5, present: staged === "present" };
  return {
    stamps: "different",
    head: 9,
    landed: 3,
    floor: 0,
    synced: 3,
    ...(staged !== "none" && { staged: version }),
    ...over,
  };
}

describe("the last change that landed, by the record", () => {
  const landed = (staged: Staged, stamps: Evidence["stamps"]) =>
    staged === "swapped in" && stamps !== "same" ? 5 : 3;
  for (const staged of STAGED)
    for (const stamps of STAMPS)
      for (const [floor, proven] of [
        [0, landed(staged, stamps)],
        [4, Math.max(4, landed(staged, stamps))],
        [7, 7],
      ] as const)
        test(`[I1] staged: ${staged}, stamps: ${stamps}, floor ${floor} → ${proven}`, () => {
          expect(landedOf(evidence({ stamps, floor }, staged))).toBe(proven);
        });

  test("[I1] is no change that the journal lost", () => {
    expect(landedOf(evidence({ head: 2 }))).toBe(2);
    expect(landedOf(evidence({ head: 4 }, "swapped in"))).toBe(4);
  });
});

describe("the daemon reads the content", () => {
  for (const stamps of STAMPS)
    for (const staged of STAGED)
      for (const [synced, settled] of [
        [undefined, false],
        [2, false],
        [3, staged === "none"],
        [4, staged === "none"],
        [5, true],
      ] as const) {
        const reads = !settled || stamps === "resized";
        test(`[FA6] stamps: ${stamps}, staged: ${staged}, synced: ${synced} → ${reads ? "yes" : "no"}`, () => {
          const search = contentSearch(evidence({ stamps, synced }, staged));
          expect(search !== undefined).toBe(reads);
        });
      }

  for (const [floor, synced, search] of [
    [0, undefined, { oldest: 0, save: true }],
    [0, 2, { oldest: 2, save: false }],
    [2, 2, { oldest: 2, save: true }],
    [3, 2, { oldest: 3, save: true }],
    [3, undefined, { oldest: 3, save: true }],
  ] as const)
    test(`[FA6] floor ${floor}, synced ${synced} → back to ${search.oldest}, ${search.save ? "with" : "without"} the merged save`, () => {
      expect(contentSearch(evidence({ floor, synced }))).toEqual(search);
    });
});

describe("a restart concludes", () => {
  const contents: readonly (readonly [Content | undefined, fellBack: number | "damaged" | undefined])[] = [
    [undefined, undefined],
    [{ kind: "unreadable" }, undefined],
    [{ kind: "complete" }, undefined],
    [{ kind: "later" }, undefined],
    [{ kind: "unknown" }, undefined],
    [{ kind: "version", seq: 2 }, 2],
    [{ kind: "save" }, 1],
    [{ kind: "incomplete" }, "damaged"],
    [{ kind: "torn" }, "damaged"],
  ];
  for (const [content, fellBack] of contents)
    for (const stamps of STAMPS)
      for (const staged of STAGED) {
        const facts = evidence({ stamps, floor: 1, content }, staged);
        const conclusion =
          typeof fellBack === "number"
            ? { kind: "fell_back", landed: fellBack }
            : { kind: fellBack ?? "as_recorded", landed: landedOf(facts) };
        const rule = content?.kind === "later" ? "FA9" : "FA6";
        const found = content?.kind ?? "not read";
        test(`[${rule}] content: ${found}, stamps: ${stamps}, staged: ${staged} → ${conclusion.kind} ${conclusion.landed}`, () => {
          expect(conclude(facts)).toEqual(conclusion);
        });
      }
});

const RECORDED: Image = {
  dev: 1n,
  ino: 2n,
  size: 10,
  mtimeNs: 50n,
  ctimeNs: 50n,
  mode: 0o644,
  uid: 0,
  gid: 0,
  links: 1,
};
const RECORD: DocumentRecord = { id: "doc_a", path: "a.md", bom: false, landed: 3, image: RECORDED };

describe("the stamps of a file", () => {
  for (const [seen, stamps] of [
    [undefined, "unreadable"],
    [RECORDED, "same"],
    [{ ...RECORDED, size: 4 }, "resized"],
    [{ ...RECORDED, size: 4, ctimeNs: 60n }, "resized"],
    [{ ...RECORDED, ctimeNs: 60n }, "different"],
    [{ ...RECORDED, ino: 3n, size: 4 }, "different"],
    [{ ...RECORDED, mtimeNs: 60n, size: 4 }, "different"],
  ] as const)
    test(`[FA6] ino ${seen?.ino}, ${seen?.size} bytes, times ${seen?.mtimeNs}/${seen?.ctimeNs} are ${stamps}`, () => {
      expect(stampsOf(RECORD, seen)).toBe(stamps);
    });

  test("[FA6] are different without a recorded image", () => {
    const { image: _, ...record } = RECORD;
    expect(stampsOf(record, RECORDED)).toBe("different");
  });

  const staged = (seq: number) => ({ seq, id: "staged", image: { ...RECORDED, ino: 7n, ctimeNs: 70n } });
  const other = (ctimeNs: bigint): Image => ({ ...RECORDED, ino: 9n, mtimeNs: ctimeNs, ctimeNs });
  for (const [title, record, seen, age] of [
    ["the recorded version", RECORD, { ...RECORDED, ctimeNs: 40n }, "recorded"],
    ["the staged version", { ...RECORD, staged: staged(3) }, staged(3).image, "recorded"],
    ["a file from before the record", RECORD, other(49n), "earlier"],
    ["a file of the same time", RECORD, other(50n), "later"],
    [
      "a file from before the staged version that landed",
      { ...RECORD, staged: staged(3) },
      other(69n),
      "earlier",
    ],
    ["a file from after it", { ...RECORD, staged: staged(3) }, other(70n), "later"],
    [
      "a file from before a staged version that did not land",
      { ...RECORD, staged: staged(4) },
      other(60n),
      "later",
    ],
    ["any file without a recorded image", {}, other(1n), "later"],
  ] as const)
    test(`[FA9] of ${title} are ${age}`, () => {
      expect(ageOf(record, seen, 3)).toBe(age);
    });
});
