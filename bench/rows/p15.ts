import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { LoroDoc } from "loro-crdt";
import type { Bench } from "../bench.ts";
import { startDaemon } from "../daemon.ts";
import { atMost, type Line, lineOf } from "../line.ts";
import { mostEdits, replay } from "../replay.ts";
import { within } from "../scope.ts";
import { loadTraces, type Trace } from "../trace.ts";

const REST_MS = 60_000;

/** Measures the size of the store a minute after a replay, and of the state folder, which also has the log. */
export async function* p15(bench: Bench): AsyncGenerator<Line> {
  for (const trace of loadTraces(mostEdits(bench), bench.traces)) {
    const [store, state] = await within(async (scope) => {
      const daemon = await startDaemon({ ...bench, scope }, scope.folder());
      const { wire } = await daemon.wire("bench");
      await replay(wire, trace, trace.codePoints, "replayed.txt");
      await wait(bench.quick ? 1000 : REST_MS);
      const folder = join(daemon.root, ".spliced");
      return [sizeOf(join(folder, "store")), sizeOf(folder)] as const;
    });
    const when = `${bench.quick ? "soon" : "a minute"} after ${trace.codePoints.length} edits of ${trace.name}`;
    const parts = { row: "P15", against: "the trace's Loro snapshot", unit: "bytes" } as const;
    const peer = [snapshotSize(trace)];
    const floor = { values: [snapshotSize(trace, "least")] };
    yield lineOf({ ...parts, what: `store ${when}`, ours: [store], peer, floor }, atMost(3));
    yield lineOf({ ...parts, what: `store and log ${when}`, ours: [state], peer });
  }
}

/** Returns the bytes on disk of a folder. */
function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files.reduce((sum, file) => sum + 512 * lstatSync(join(folder, file)).blocks, 0);
}

/** The time at which the least store's first change was made, in milliseconds since the epoch. */
const BEGUN = 1_700_000_000_000;

/**
 * Returns the bytes of a trace's Loro snapshot. `least`: it is the least store, where each run of edits that touch one
 * another is a change with its author and time.
 */
function snapshotSize({ name, start, end, units }: Trace, least?: "least"): number {
  const doc = new LoroDoc();
  const text = doc.getText("content");
  text.insert(0, start);
  doc.commit();
  let cursor = 0;
  for (const [i, splices] of units.entries()) {
    const { from, to, insert } = splices[0]!;
    if (from > cursor || to < cursor) doc.commit(least && { message: `agent/bench ${BEGUN + i}` });
    cursor = from + insert.length;
    for (const { from, to, insert } of splices.toReversed()) {
      text.delete(from, to - from);
      text.insert(from, insert);
    }
  }
  doc.commit(least && { message: `agent/bench ${BEGUN + units.length}` });
  if (text.toString() !== end) throw new Error(`${name}: Loro has another text at the end`);
  const { length } = doc.export({ mode: "snapshot" });
  text.free();
  doc.free();
  return length;
}
