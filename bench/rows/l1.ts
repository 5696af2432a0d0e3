import { readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { type Line, lineOf, nothing } from "../line.ts";
import { announce, progress } from "../progress.ts";
import { within } from "../scope.ts";
import { openSlots, type Slots } from "../slots.ts";

const EDITS = 600;
const EVERY_MS = 20;
/** The longest time that the agent takes, in a quick run and in another. */
const AT_MOST_MS = { quick: 6000, other: 60_000 };

/** Counts what is lost when an agent edits a file that a person saves by rename every 20 ms. */
export async function* l1(bench: Bench): AsyncGenerator<Line> {
  const run = (editor: "ours" | "peer") =>
    within(async (scope) => {
      const slots = await openSlots({ ...bench, scope }, editor, EDITS);
      return beside(slots, editor, bench.quick ? AT_MOST_MS.quick : AT_MOST_MS.other);
    });
  const [ours, peer] = [await run("ours"), await run("peer")];
  const against = "MCP filesystem edit_file";
  const titles = { row: "L1", against, unit: "lost" } as const;
  const edits = `of at most ${EDITS} agent edits beside saves every ${EVERY_MS} ms`;
  yield lineOf({ ...titles, what: edits, ours: [ours.edits], peer: [peer.edits] }, nothing);
  const saves = "of the saves beside them";
  yield lineOf({ ...titles, what: saves, ours: [ours.saves], peer: [peer.saves] }, nothing);
}

/** Fills slots while a person saves. Returns the numbers of lost edits and of lost saves. */
async function beside(
  slots: Slots,
  editor: string,
  atMostMs: number,
): Promise<{ edits: number; saves: number }> {
  let isOver = false;
  const person = saveOften(slots.path, () => isOver);
  const until = performance.now() + atMostMs;
  for (let n = 0; n < EDITS && performance.now() < until; n++) {
    await slots.fill();
    progress(`L1 ${editor}: ${n} of ${EDITS} edits`);
  }
  isOver = true;
  const saved = await person;
  const { text, lost, acknowledged } = await slots.end();
  const lines = new Set(text.split("\n"));
  const saves = Array.from({ length: saved }, (_, n) => savedLine(n)).filter(
    (line) => !lines.has(line),
  ).length;
  announce(
    `L1 ${editor}: lost ${lost} of ${acknowledged} acknowledged edits, and ${saves} of ${saved} saves`,
  );
  return { edits: lost, saves };
}

/** Adds a line to a file over and over, each time with its newest text. Returns the number of saves. */
async function saveOften(path: string, isOver: () => boolean): Promise<number> {
  const beside = join(dirname(path), ".saving~");
  let count = 0;
  while (!isOver()) {
    const text = await readFile(path, "utf8");
    await writeFile(beside, `${text}${savedLine(count++)}\n`);
    await rename(beside, path);
    await wait(EVERY_MS);
  }
  return count;
}

function savedLine(n: number): string {
  return `save ${n}`;
}
