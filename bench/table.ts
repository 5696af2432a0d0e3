import type { Line, Pair } from "./line.ts";
import type { Summary } from "./stats.ts";

const HEAD = [
  "row",
  "what",
  "compared with",
  "n",
  "ours p50 / p99",
  "peer p50 / p99",
  "p50 ratio",
  "p99 ratio",
  "ours, peer a second",
  "ratio",
  "CPU ours, peer",
  "ratio",
  "target",
  "reached",
];
/** The columns with text. The other columns have numbers and are aligned right. */
const TEXT = new Set([0, 1, 2, 12, 13]);

/** Returns a table for the terminal. */
export function plainTable(lines: readonly Line[]): string {
  return plain(HEAD, lines.map(cells), TEXT);
}

/** Returns a table in Markdown. */
export function markdownTable(lines: readonly Line[]): string {
  return markdown(HEAD, lines.map(cells), TEXT);
}

function markdown(
  head: readonly string[],
  body: readonly (readonly string[])[],
  text: ReadonlySet<number>,
): string {
  const rule = head.map((_, i) => (text.has(i) ? "---" : "---:"));
  return `${[head, rule, ...body].map((row) => `| ${row.join(" | ")} |`).join("\n")}\n`;
}

const FLOOR_HEAD = [
  "row",
  "what",
  "floor p50 / p99",
  "ours / floor",
  "floor / peer",
  "floor a second",
  "ours / floor",
  "CPU floor",
  "ours / floor",
  "target",
];
const FLOOR_TEXT = new Set([0, 1, 9]);

/** Returns a table of the lines with a floor, for the terminal; nothing where there is none. */
export function plainFloors(lines: readonly Line[]): string {
  const body = lines.flatMap(floorCells);
  return body.length === 0 ? "" : plain(FLOOR_HEAD, body, FLOOR_TEXT);
}

/** Returns a table of the lines with a floor in Markdown. */
export function markdownFloors(lines: readonly Line[]): string {
  return markdown(FLOOR_HEAD, lines.flatMap(floorCells), FLOOR_TEXT);
}

function floorCells({ row, what, unit = "ms", ours, peer, floor, rate, cpu, targets }: Line): string[][] {
  if (floor === undefined) return [];
  const { summary: least } = floor;
  const given = (ours: number | undefined, floor: number | undefined, show: (value: number) => string) =>
    ours === undefined || floor === undefined ? ["", ""] : [show(floor), ratio(ours, floor)];
  return [
    [
      row,
      what,
      summary(least, SHOW[unit]),
      ratio(ours.p50, least.p50),
      peer === undefined ? "" : ratio(least.p50, peer.p50),
      ...given(rate?.ours, floor.rate, (value) => value.toFixed(0)),
      ...given(cpu?.ours, floor.cpu, time),
      targets.map(({ text }) => text).join(", "),
    ],
  ];
}

/** Returns a line in short, as the news of its end. */
export function sentence({ row, what, against, unit = "ms", ours, peer }: Line): string {
  const shown = peer === undefined ? "" : `; ${against}: ${summary(peer, SHOW[unit])}`;
  return `${row} ${what}: ${summary(ours, SHOW[unit])}${shown}`;
}

/** Returns our median. */
export function shownValue({ unit = "ms", ours }: Line): string {
  return SHOW[unit](ours.p50);
}

/** Lays out rows in columns of equal width; those in `text` are aligned left. */
export function plain(head: readonly string[], body: readonly string[][], text: ReadonlySet<number>): string {
  const widths = head.map((title, i) => Math.max(title.length, ...body.map((row) => row[i]!.length)));
  const rule = widths.map((width) => "─".repeat(width));
  const pad = (cell: string, i: number) =>
    text.has(i) ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!);
  return [head, rule, ...body].map((row) => `${row.map(pad).join("  ").trimEnd()}\n`).join("");
}

function cells({ row, what, against, unit = "ms", ours, peer, rate, cpu, targets }: Line): string[] {
  const show = SHOW[unit];
  return [
    row,
    what,
    against,
    peer === undefined || ours.n === peer.n ? String(ours.n) : `${ours.n}, ${peer.n}`,
    summary(ours, show),
    peer === undefined ? "" : summary(peer, show),
    peer === undefined ? "" : ratio(ours.p50, peer.p50),
    peer === undefined || ours.n === 1 ? "" : ratio(ours.p99, peer.p99),
    ...both(rate, (value) => value.toFixed(0)),
    ...both(cpu, time),
    targets.map(({ text }) => text).join(", "),
    verdict(targets),
  ];
}

const SHOW: Readonly<Record<NonNullable<Line["unit"]>, (value: number) => string>> = {
  ms: time,
  bytes: (value) => (value < 1e6 ? `${(value / 1e3).toFixed(1)} KB` : `${(value / 1e6).toFixed(1)} MB`),
  lost: (value) => `${value.toFixed(0)} lost`,
};

function summary({ n, p50, p99 }: Summary, show: (value: number) => string): string {
  return n === 1 ? show(p50) : `${show(p50)} / ${show(p99)}`;
}

/** Returns which targets were reached. */
function verdict(targets: Line["targets"]): string {
  const named = (wanted: readonly Line["targets"][number][]) => wanted.map(({ text }) => text).join(", ");
  const short = targets.filter(({ met }) => met === false);
  const unknown = targets.filter(({ met }) => met === undefined);
  return [
    ...(short.length > 0 ? [short.length === targets.length ? "short" : `short: ${named(short)}`] : []),
    ...(unknown.length > 0 ? [`no peer: ${named(unknown)}`] : []),
    ...(targets.length > 0 && short.length + unknown.length === 0 ? ["ok"] : []),
  ].join("; ");
}

/** Returns two cells: the values of both sides, and their ratio. */
function both(values: Pair<number> | undefined, show: (value: number) => string): [string, string] {
  if (values === undefined) return ["", ""];
  const { ours, peer } = values;
  return [`${show(ours)}, ${show(peer)}`, ratio(ours, peer)];
}

function time(ms: number): string {
  if (ms < 1) return `${(1000 * ms).toFixed(0)} µs`;
  return `${ms.toFixed(ms < 10 ? 2 : ms < 100 ? 1 : 0)} ms`;
}

/** Returns a ratio, or nothing when the peer has nothing. */
export function ratio(ours: number, peer: number): string {
  const value = ours / peer;
  return Number.isFinite(value) ? `${value.toFixed(value < 10 ? 2 : 1)}×` : "";
}
