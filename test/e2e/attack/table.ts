import type { Report } from "./launch.ts";

const HEAD = [
  "attack",
  "as",
  "answer",
  "took ms",
  "read p50/p99/max ms",
  "edit p50/p99/max ms",
  "unanswered",
];
const MEMORY = ["RSS before/peak/after MB", "daemon", "changed"];
const COLUMNS = [...HEAD, ...MEMORY];
const MB = 1_000_000;

/** p50, p99 and the longest of some times; milliseconds. */
export function spread(times: readonly number[]): readonly [p50: number, p99: number, max: number] {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return [at(0.5), at(0.99), at(1)];
}

/** A line of the table. */
export function row({ name, level, verdict, took, witness, rss, alive, changed }: Report): string {
  const figures = (numbers: readonly number[]) => numbers.map((n) => n.toFixed(0)).join("/");
  const waited = (times: readonly number[]) => (times.length === 0 ? "none due" : figures(spread(times)));
  return line([
    name,
    level,
    verdict.slice(0, 40),
    took.toFixed(0),
    waited(witness.read),
    waited(witness.edit),
    [witness.unanswered, ...new Set(witness.refused)].join(" "),
    figures([rss.before / MB, rss.peak / MB, rss.after / MB]),
    alive ? "alive" : "DEAD",
    changed.length === 0 ? "no" : "yes",
  ]);
}

export const head = `${line(COLUMNS)}\n${line(COLUMNS.map((column) => "-".repeat(column.length)))}`;

function line(cells: readonly string[]): string {
  const widths = [16, 7, 22, 8, 20, 20, 10, 24, 6, 7];
  return cells
    .map((cell, i) => cell.padEnd(widths[i]!))
    .join(" ")
    .trimEnd();
}
