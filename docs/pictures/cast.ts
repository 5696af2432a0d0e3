import type { Run, Screen } from "./terminal.ts";

/** One step of the picture: a typed command and its output. */
export interface Step {
  readonly command: string;
  readonly screen: Screen;
}

const COLUMNS = 92;
const ROWS = 24;
const CHARACTER = 8.4;
const LINE = 20;
const MARGIN = 18;
const BAR = 34;
/** Seconds to type a character, until a command answers, and until the next command. */
const TYPING = 0.035;
const ANSWERING = 0.35;
const READING = 2.2;
/** Seconds for which the picture shows its end before it begins again. */
const RESTING = 5;

interface Line {
  readonly runs: readonly Run[];
  /** Seconds from the beginning. */
  readonly at: number;
  /** The seconds of typing, for a typed line. */
  readonly typed: number;
}

/** Returns an animated SVG of a terminal that types the steps and shows their output. */
export function castOf(title: string, steps: readonly Step[]): string {
  const { lines, end } = layOut(steps);
  const total = end + RESTING;
  const width = COLUMNS * CHARACTER + 2 * MARGIN;
  const height = ROWS * LINE + 2 * MARGIN + BAR;
  const scrolls = scrollsOf(lines);
  const percent = (seconds: number) => `${((100 * seconds) / total).toFixed(3)}%`;
  const shown = lines.map(
    ({ at }, i) =>
      `@keyframes l${i}{0%,${percent(Math.max(0, at - 0.001))}{opacity:0}${percent(at)},100%{opacity:1}}`,
  );
  const typed = lines.flatMap(({ at, typed, runs }, i) => {
    if (typed === 0) return [];
    const wide = (textOf(runs).length * CHARACTER).toFixed(1);
    return `@keyframes t${i}{0%,${percent(at)}{width:${2 * CHARACTER}px}${percent(at + typed)},100%{width:${wide}px}}`;
  });
  const rolled = scrolls.map(
    ({ at, by }, i) =>
      `${i === 0 ? `0%,` : ""}${percent(Math.max(0, at - 0.001))}{transform:translateY(${-(scrolls[i - 1]?.by ?? 0) * LINE}px)}` +
      `${percent(at)}{transform:translateY(${-by * LINE}px)}`,
  );
  const last = scrolls.at(-1)?.by ?? 0;
  const style = [
    `text{font:14px ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d6dae0;white-space:pre}`,
    `.roll{animation:roll ${total}s steps(1) infinite}`,
    `@keyframes roll{${rolled.join("")}100%{transform:translateY(${-last * LINE}px)}}`,
    ...lines.map((_, i) => `.l${i}{animation:l${i} ${total}s steps(1) infinite}`),
    ...lines.flatMap(({ typed }, i) =>
      typed === 0 ? [] : `.t${i}{animation:t${i} ${total}s linear infinite}`,
    ),
    ...shown,
    ...typed,
  ].join("\n");
  const clips = lines.flatMap(({ typed }, i) =>
    typed === 0
      ? []
      : `<clipPath id="c${i}"><rect class="t${i}" x="${MARGIN}" y="${top(i) - 15}" height="${LINE}" width="0"/></clipPath>`,
  );
  const drawn = lines.map(
    ({ runs, typed }, i) =>
      `<g class="l${i}"${typed === 0 ? "" : ` clip-path="url(#c${i})"`}><text x="${MARGIN}" y="${top(i)}">${runs.map(spanOf).join("")}</text></g>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(title)}">
<style>
${style}
</style>
<defs><clipPath id="screen"><rect x="0" y="${BAR}" width="${width}" height="${height - BAR}"/></clipPath>
${clips.join("\n")}</defs>
<rect width="${width}" height="${height}" rx="10" fill="#14171c"/>
<g fill="#3a404a"><circle cx="22" cy="18" r="6"/><circle cx="42" cy="18" r="6"/><circle cx="62" cy="18" r="6"/></g>
<text x="${width / 2}" y="23" text-anchor="middle" style="fill:#7d8590;font-size:12px">${escape(title)}</text>
<g clip-path="url(#screen)"><g class="roll">
${drawn.join("\n")}
</g></g>
</svg>
`;
}

function top(row: number): number {
  return BAR + MARGIN + row * LINE + 12;
}

/** Returns each line with its time: a command is typed, then its output appears. */
function layOut(steps: readonly Step[]): { lines: readonly Line[]; end: number } {
  const lines: Line[] = [];
  let at = 0.4;
  for (const { command, screen } of steps) {
    const typed = command.length * TYPING;
    const prompt: Run = { text: "$ ", colour: "#2dd4bf", bold: true, dim: false };
    const words: Run = { text: command, colour: "#ffffff", bold: false, dim: false };
    lines.push({ runs: [prompt, words], at, typed });
    at += typed + ANSWERING;
    for (const runs of screen) lines.push({ runs, at, typed: 0 });
    lines.push({ runs: [], at, typed: 0 });
    at += READING;
  }
  return { lines, end: at };
}

/** Returns the number of rows by which the lines have moved up, with times, so that the newest lines stay in view. */
function scrollsOf(lines: readonly Line[]): { at: number; by: number }[] {
  const scrolls: { at: number; by: number }[] = [];
  for (const [i, { at }] of lines.entries()) {
    const by = Math.max(0, i + 1 - ROWS);
    if (scrolls.at(-1)?.at === at) scrolls.pop();
    scrolls.push({ at, by });
  }
  return scrolls;
}

function spanOf({ text, colour, bold, dim }: Run): string {
  const styles = [
    colour === undefined ? "" : `fill:${colour}`,
    bold ? "font-weight:700" : "",
    dim ? "fill:#8b949e" : "",
  ].filter(Boolean);
  return styles.length === 0
    ? escape(text)
    : `<tspan style="${styles.join(";")}">${escape(text)}</tspan>`;
}

function textOf(runs: readonly Run[]): string {
  return runs.map(({ text }) => text).join("");
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
