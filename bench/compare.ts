import type { Line } from "./line.ts";
import type { Results } from "./results.ts";
import { plain, ratio, shownValue } from "./table.ts";

const HEAD = [
  "row",
  "what",
  "compared with",
  "ours before",
  "ours now",
  "now / before",
  "ratio before",
  "ratio now",
  "CPU ratio before",
  "CPU ratio now",
  "ours / floor before",
  "ours / floor now",
];
const TEXT = new Set([0, 1, 2]);

/** Returns a table that sets the lines of two runs side by side. A line that one of the runs lacks has empty cells. */
export function comparisonTable(before: Results, now: Results): string {
  const old = new Map(before.lines.map((line) => [key(line), line]));
  const fresh = new Map(now.lines.map((line) => [key(line), line]));
  const keys = new Set([...fresh.keys(), ...old.keys()]);
  return plain(
    HEAD,
    [...keys].map((each) => cells(old.get(each), fresh.get(each))),
    TEXT,
  );
}

function key({ row, what, against }: Line): string {
  return JSON.stringify([row, what, against]);
}

function cells(before: Line | undefined, now: Line | undefined): string[] {
  const { row, what, against } = (now ?? before)!;
  return [
    row,
    what,
    against,
    before === undefined ? "" : shownValue(before),
    now === undefined ? "" : shownValue(now),
    before === undefined || now === undefined ? "" : ratio(now.ours.p50, before.ours.p50),
    ratioOf(before),
    ratioOf(now),
    cpuRatioOf(before),
    cpuRatioOf(now),
    floorRatioOf(before),
    floorRatioOf(now),
  ];
}

function floorRatioOf(line: Line | undefined): string {
  return line?.floor === undefined ? "" : ratio(line.ours.p50, line.floor.summary.p50);
}

function ratioOf(line: Line | undefined): string {
  return line?.peer === undefined ? "" : ratio(line.ours.p50, line.peer.p50);
}

function cpuRatioOf(line: Line | undefined): string {
  return line?.cpu === undefined ? "" : ratio(line.cpu.ours, line.cpu.peer);
}
