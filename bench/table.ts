import type { Line } from "./line.ts";

const HEAD = [
  "row",
  "what",
  "compared with",
  "n",
  "ours p50 / p99 ms",
  "peer p50 / p99 ms",
  "p50 ratio",
  "p99 ratio",
  "target",
  "reached",
];
/** The columns with text. The other columns have numbers and are aligned right. */
const TEXT = new Set([0, 1, 2, 8, 9]);

/** Returns a table for the terminal. */
export function plainTable(lines: readonly Line[]): string {
  const rows = [HEAD, ...lines.map(cells)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const printed = rows.map((row) =>
    row
      .map((cell, i) => pad(cell, widths[i]!, TEXT.has(i)))
      .join("  ")
      .trimEnd(),
  );
  printed.splice(
    1,
    0,
    widths
      .map((width) => "─".repeat(width))
      .join("  ")
      .trimEnd(),
  );
  return `${printed.join("\n")}\n`;
}

/** Returns a table in Markdown. */
export function markdownTable(lines: readonly Line[]): string {
  const rule = HEAD.map((_, i) => (TEXT.has(i) ? "---" : "---:"));
  return `${[HEAD, rule, ...lines.map(cells)].map((row) => `| ${row.join(" | ")} |`).join("\n")}\n`;
}

function cells({ row, what, against, ours, peer, targets }: Line): string[] {
  return [
    row,
    what,
    against,
    ours.n === peer.n ? String(ours.n) : `${ours.n}, ${peer.n}`,
    `${milliseconds(ours.p50)} / ${milliseconds(ours.p99)}`,
    `${milliseconds(peer.p50)} / ${milliseconds(peer.p99)}`,
    ratio(ours.p50 / peer.p50),
    ratio(ours.p99 / peer.p99),
    targets.map(({ text }) => text).join(", "),
    verdict(targets),
  ];
}

function verdict(targets: Line["targets"]): string {
  const short = targets.filter(({ met }) => !met);
  if (short.length === 0) return "ok";
  return short.length === targets.length ? "short" : `short: ${short.map(({ text }) => text).join(", ")}`;
}

function milliseconds(ms: number): string {
  return ms.toFixed(ms < 10 ? 2 : ms < 100 ? 1 : 0);
}

function ratio(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)}×`;
}

function pad(cell: string, width: number, left: boolean): string {
  return left ? cell.padEnd(width) : cell.padStart(width);
}
