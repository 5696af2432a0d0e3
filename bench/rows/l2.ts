import { readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { type Line, lineOf, nothing } from "../line.ts";
import { announce } from "../progress.ts";
import { seeded } from "../random.ts";
import { within } from "../scope.ts";
import { openSlots, type Slots } from "../slots.ts";

const WRITES = 150;
const QUICK_WRITES = 40;
const THINK_MS = 100;
const EVERY_MS = 8;
/** More slots than the agent on the wire fills. */
const SLOTS = 3000;

/** Counts an agent's acknowledged edits that are lost beside an agent that writes whole files after thinking. */
export async function* l2(bench: Bench): AsyncGenerator<Line> {
  const writes = bench.quick ? QUICK_WRITES : WRITES;
  for (const byRename of [false, true]) {
    const way = byRename ? "by rename" : "in place";
    const run = (editor: "ours" | "peer") =>
      within(async (scope) => {
        const slots = await openSlots({ ...bench, scope }, editor, SLOTS);
        const { lost, acknowledged } = await beside(slots, writes, byRename);
        announce(`L2 ${way}, ${editor}: lost ${lost} of ${acknowledged} acknowledged edits`);
        return lost;
      });
    const values = { ours: [await run("ours")], peer: [await run("peer")] };
    const what = `of an agent's edits every ${EVERY_MS} ms beside ${writes} late writes of the file ${way}`;
    yield lineOf({ row: "L2", what, against: "MCP filesystem edit_file", unit: "lost", ...values }, nothing);
  }
}

async function beside(slots: Slots, writes: number, byRename: boolean) {
  let isOver = false;
  const agent = async () => {
    while (!isOver) {
      await slots.fill();
      await wait(EVERY_MS);
    }
  };
  const onTheWire = agent();
  await writeLate(slots.path, writes, byRename);
  isOver = true;
  await onTheWire;
  return slots.end();
}

/** Reads a file, thinks, and writes it with one more line, over and over. */
async function writeLate(path: string, writes: number, byRename: boolean): Promise<void> {
  const random = seeded(2);
  const at = byRename ? join(dirname(path), ".writing~") : path;
  for (let n = 0; n < writes; n++) {
    const text = await readFile(path, "utf8");
    await wait(random() * THINK_MS);
    await writeFile(at, `${text}written ${n}\n`);
    if (byRename) await rename(at, path);
  }
}
