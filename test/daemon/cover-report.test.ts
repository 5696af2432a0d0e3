import { expect, test } from "vitest";
import { coverReport } from "../../src/daemon/cover-report.ts";

const leftOut = { tooLarge: 0, overLimit: 0, unreadable: 0, unsaved: 0 };

test("[I16b] the report names the covered size in a unit that fits", () => {
  const sizes = [0, 1, 999, 1_000, 99_949, 100_000, 12_340_000].map(
    (bytes) =>
      coverReport({ stage: "covered", files: 1, bytes, leftOut, unread: [] }).lines[0]!.match(
        /\((.*)\)/,
      )?.[1],
  );
  expect(sizes).toEqual(["0 bytes", "1 byte", "999 bytes", "1.0 kB", "99.9 kB", "0.1 MB", "12.3 MB"]);
});

test("[I16b] the report separates thousands", () => {
  const shown = [1, 999, 1_000, 12_345, 1_234_567].map(
    (files) => coverReport({ stage: "covered", files, bytes: 0, leftOut, unread: [] }).lines[0]!,
  );
  expect(shown.map((line) => /covers (.*) \(/.exec(line)?.[1])).toEqual([
    "1 file",
    "999 files",
    "1,000 files",
    "12,345 files",
    "1,234,567 files",
  ]);
});
