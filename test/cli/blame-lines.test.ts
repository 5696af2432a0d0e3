import { expect, test } from "vitest";
import { blameLines } from "../../src/cli/history/blame-lines.ts";

test("[TM83] blame shows authors, days, ids and lines in columns, also where ids differ in length", () => {
  const run = (from: number, to: number, line: number, author: string, changeId: string | null) => ({
    from,
    to,
    line,
    author,
    agent: author,
    changeId,
    time: changeId === null ? null : "2026-11-28T12:00:00.000Z",
  });
  const runs = [
    run(0, 4, 1, "disk", "chg_11"),
    run(4, 6, 2, "ada", "chg_000002"),
    run(6, 9, 2, "disk", null),
  ];
  expect(blameLines({ runs }, "one\n2\u{1f600}two")).toEqual([
    "disk 2026-11-28 chg_11         1  one",
    "ada  2026-11-28 chg_000002     2  2\u{1f600}",
    "disk older                     2  two",
  ]);
});
