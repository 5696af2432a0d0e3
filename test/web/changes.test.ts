import { describe, expect, test } from "vitest";
import { timeAgo } from "../../src/web/parts/time-ago.ts";
import { activeAuthors } from "../../src/web/state/changes/active-authors.ts";
import {
  changeTitle,
  dayHeading,
  daysOf,
  groupTitle,
  type HistoryChange,
  isSameGroup,
  withChange,
} from "../../src/web/state/changes/changes.ts";
import { figuresOf, type Sample } from "../../src/web/state/health/daemon-figures.ts";
import { comparedVersions } from "../../src/web/views/timeline/version-choice.ts";

const NOON = new Date(2026, 4, 5, 12).getTime();
const MINUTE = 60_000;

/** The `n`-th change of a document, a minute after the one before. */
function change(n: number, given: Partial<HistoryChange> = {}): HistoryChange {
  return {
    changeId: `c${n}`,
    path: "a.md",
    docId: "a",
    version: `v${n}`,
    previous: `v${n - 1}`,
    author: "ann",
    agent: "ann",
    origin: "agent",
    time: new Date(NOON + n * MINUTE).toISOString(),
    kind: "edit",
    added: 1,
    removed: 0,
    undone: false,
    ...given,
  };
}

const shapes = (changes: readonly HistoryChange[]) =>
  daysOf(changes).map(({ groups }) => groups.map(({ kind, changes }) => `${kind} ${changes.length}`));

describe("changes, newest first", () => {
  test("[WP52] by one author in one document that follow each other are a run", () => {
    expect(shapes([change(3), change(2), change(1)])).toEqual([["run 3"]]);
    expect(shapes([change(3), change(2, { author: "bob", agent: "bob" }), change(1)])).toEqual([
      ["one 1", "one 1", "one 1"],
    ]);
    expect(shapes([change(3), change(1)])).toEqual([["one 1", "one 1"]]);
    expect(shapes([change(2, { message: "why" }), change(1)])).toEqual([["one 1", "one 1"]]);
    const why = [change(2, { message: "why" }), change(1, { message: "why" })];
    expect(shapes(why)).toEqual([["run 2"]]);
    expect(daysOf(why)[0]!.groups.map(groupTitle)).toEqual(["why (2 edits)"]);
    expect(shapes([change(2, { undone: true }), change(1)])).toEqual([["one 1", "one 1"]]);
    const pause = { time: new Date(NOON + 10 * MINUTE).toISOString() };
    expect(shapes([change(2, pause), change(1)])).toEqual([["one 1", "one 1"]]);
  });

  test("[WP52] saves that follow each other have one title in every view", () => {
    const saves = [change(2, { origin: "disk" }), change(1, { origin: "disk" })];
    expect(daysOf(saves)[0]!.groups.map(groupTitle)).toEqual(["Saved 2 times in an editor"]);
  });

  test("[WP52] that join a group leave it the same group, and the other groups as they were", () => {
    const [one, other] = [change(2), change(1, { author: "bob", agent: "bob" })];
    const [run, before] = daysOf([one, other])[0]!.groups;
    const [grown, after] = daysOf([change(3), one, other])[0]!.groups;
    expect([grown!.changes.length, grown!.key]).toEqual([2, run!.key]);
    expect([isSameGroup(run!, grown!), isSameGroup(before!, after!)]).toEqual([false, true]);
  });

  test("[WP52] an undone batch says what was undone", () => {
    const undos = [change(2, { batchId: "b", undoes: "a2" }), change(1, { batchId: "b", undoes: "a1" })];
    expect(daysOf(undos)[0]!.groups.map(groupTitle)).toEqual(["Undid changes in 1 document"]);
  });

  test("[WP52] of a batch form one group, in any documents", () => {
    const other = change(2, { batchId: "b", docId: "b", path: "b.md" });
    expect(shapes([other, change(1, { batchId: "b" })])).toEqual([["batch 2"]]);
  });

  test("[WP109] alike ones by one author in several documents are a series", () => {
    const inB = (n: number, given: Partial<HistoryChange> = {}) =>
      change(n, { docId: "b", path: "b.md", ...given });
    expect(shapes([inB(3), change(2), change(1)])).toEqual([["series 3"]]);
    const why = { message: "why" };
    expect(shapes([inB(2, why), change(1, why)])).toEqual([["series 2"]]);
    expect(shapes([inB(2, why), change(1)])).toEqual([["one 1", "one 1"]]);
    expect(shapes([inB(2, { origin: "disk", agent: "disk" }), change(1)])).toEqual([["one 1", "one 1"]]);
    expect(shapes([inB(2, { kind: "create", previous: null }), change(1)])).toEqual([["one 1", "one 1"]]);
  });

  test("[WP110] a time is the clock's after a minute, with its day if that is another one", () => {
    const at = (...date: [number, number, number, number, number]) =>
      timeAgo(new Date(...date).getTime(), NOON);
    expect(at(2026, 4, 5, 11, 59)).toBe("11:59");
    expect(timeAgo(NOON - 59_000, NOON)).toBe("just now");
    expect(at(2026, 4, 4, 9, 5)).toBe("yesterday 09:05");
    expect(at(2026, 0, 4, 9, 5)).toBe("4 Jan, 09:05");
    expect(at(2025, 0, 4, 9, 5)).toBe("4 Jan 2025");
  });

  test("[WP50] are grouped by the reader's days", () => {
    const days = daysOf([change(1), change(0, { time: new Date(NOON - 24 * 60 * MINUTE).toISOString() })]);
    expect(days.map(({ key }) => dayHeading(key, NOON))).toEqual(["Today", "Yesterday"]);
    expect(dayHeading(new Date(2025, 0, 1).toDateString(), NOON)).toBe("Wednesday, January 1, 2025");
  });

  test("[WP50] a new one is inserted once, in order", () => {
    expect(withChange([change(1)], change(2))!.map(({ changeId }) => changeId)).toEqual(["c2", "c1"]);
    expect(withChange([change(3), change(1)], change(2))!.map(({ changeId }) => changeId)).toEqual([
      "c3",
      "c2",
      "c1",
    ]);
    expect(withChange([change(1)], change(1, { added: 9 }))).toEqual([change(1)]);
  });

  test("[WP50] undo, redo and another undo mark the change accordingly", () => {
    const marks = (changes: readonly HistoryChange[] | undefined) => changes!.map(({ undone }) => undone);
    const once = withChange([change(1)], change(2, { undoes: "c1" }))!;
    expect(marks(once)).toEqual([false, true]);
    const again = withChange(once, change(3, { undoes: "c2" }))!;
    expect(marks(again)).toEqual([false, true, false]);
    expect(marks(withChange(again, change(4, { undoes: "c3" })))).toEqual([false, true, false, true]);
    expect(withChange([change(5)], change(6, { undoes: "c1" }))).toBeUndefined();
  });

  test("[WP50] the title says what became of the file, whoever did it", () => {
    const titles = (["create", "delete", "rename"] as const).map((kind) =>
      changeTitle(change(1, { kind, origin: "disk", previous: null })),
    );
    expect(titles).toEqual(["Created the file", "Deleted the file", "Renamed the file"]);
    expect(changeTitle(change(1, { origin: "disk", previous: null }))).toBe("Existing file");
  });

  test("[WP57] name the active authors of the last hour", () => {
    const changes = [
      change(3),
      change(2, { author: "bob", path: "b.md" }),
      change(1),
      change(0, { time: new Date(NOON - 61 * MINUTE).toISOString(), author: "eve" }),
    ];
    expect(activeAuthors(changes, NOON)).toMatchObject([
      { author: "ann", edits: 2, paths: ["a.md"] },
      { author: "bob", edits: 1, paths: ["b.md"] },
    ]);
  });

  test("[WP55] the default comparison is the newest version against the one before", () => {
    const groups = daysOf([
      change(3, { message: "c" }),
      change(2, { message: "b" }),
      change(1, { message: "a" }),
    ]).flatMap((day) => day.groups);
    const versions = (sides: ReturnType<typeof comparedVersions>) => [sides?.a?.version, sides?.b.version];
    expect(versions(comparedVersions(groups, {}))).toEqual(["v2", "v3"]);
    expect(versions(comparedVersions(groups, { b: "v2" }))).toEqual(["v1", "v2"]);
    expect(versions(comparedVersions(groups, { a: "v1" }))).toEqual(["v1", "v3"]);
    expect(comparedVersions([], {})).toBeUndefined();
  });
});

describe("figures", () => {
  test("[WP59] exist between two samples, except across a restart", () => {
    const sample = (at: number, uptimeMs: number, edits: number): Sample => ({
      at,
      metrics: {
        uptimeMs,
        changes: { agent: edits },
        documents: { loaded: 2, pendingWrites: 0, problems: {} },
        connections: 1,
        memoryBytes: 1_048_576,
        requests: [
          { method: "edit.append", outcomes: {}, latency: { count: edits, sumMs: edits * 3, buckets: [] } },
        ],
      } as unknown as Sample["metrics"],
    });
    expect(figuresOf([sample(0, 1000, 0), sample(2000, 3000, 4)])).toEqual([
      { editsPerSecond: 2, latencyMs: 3, documents: 2, connections: 1, memoryBytes: 1_048_576 },
    ]);
    expect(figuresOf([sample(0, 9000, 7), sample(2000, 10, 0)])).toEqual([]);
  });
});
