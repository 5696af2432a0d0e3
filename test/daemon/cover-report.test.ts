import { expect, test } from "vitest";
import { coverReport } from "../../src/daemon/reports/cover-report.ts";
import { AgentBounds, FULL_RIGHTS, Rights } from "../../src/workspace/access/rights.ts";

const leftOut = { tooLarge: 0, overLimit: 0, unreadable: 0, unsaved: 0 };

test("[I16b] the report names the covered size in a unit that fits", () => {
  const sizes = [0, 1, 999, 1_000, 99_949, 100_000, 12_340_000].map(
    (bytes) =>
      coverReport({ stage: "covered", files: 1, bytes, leftOut, unread: [] }, FULL_RIGHTS).lines[0]!.match(
        /\((.*)\)/,
      )?.[1],
  );
  expect(sizes).toEqual(["0 bytes", "1 byte", "999 bytes", "1.0 kB", "99.9 kB", "0.1 MB", "12.3 MB"]);
});

test("[I16b] the report separates thousands", () => {
  const shown = [1, 999, 1_000, 12_345, 1_234_567].map(
    (files) => coverReport({ stage: "covered", files, bytes: 0, leftOut, unread: [] }, FULL_RIGHTS).lines[0]!,
  );
  expect(shown.map((line) => /covers (.*) \(/.exec(line)?.[1])).toEqual([
    "1 file",
    "999 files",
    "1,000 files",
    "12,345 files",
    "1,234,567 files",
  ]);
});

test("[RI61] the report counts no files for a caller who may not see all of them", () => {
  const unread = ["docs/a.md", "secret/b.md"];
  const status = {
    stage: "covered",
    files: 7,
    bytes: 699,
    leftOut: { ...leftOut, unreadable: 2 },
    unread,
  } as const;
  const reader = new Rights([{ glob: "docs/**", level: "read" }]);
  const agent = new AgentBounds([], ["secret"]).rightsIn("agent", FULL_RIGHTS);
  const shown = [undefined, reader, agent].map((asking) => coverReport(status, asking));
  expect(shown.map(({ unread }) => unread)).toEqual([[], ["docs/a.md"], ["docs/a.md"]]);
  for (const report of shown) {
    expect(Object.keys(report).sort()).toEqual(["lines", "stage", "unread"]);
    expect(report.lines.join()).not.toMatch(/\d/);
  }
  expect(coverReport(status, FULL_RIGHTS)).toMatchObject({ files: 7, bytes: 699, unread });
});
