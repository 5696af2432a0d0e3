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
    yield lineOf({ ...parts, what: `store ${when}`, ours: [store], peer }, atMost(3));
    yield lineOf({ ...parts, what: `store and log ${when}`, ours: [state], peer });
  }
}

/** Returns the bytes on disk of a folder. */
function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files.reduce((sum, file) => sum + 512 * lstatSync(join(folder, file)).blocks, 0);
}

function snapshotSize({ start, units }: Trace): number {
  const doc = new LoroDoc();
  const text = doc.getText("content");
  text.insert(0, start);
  doc.commit();
  for (const splices of units) {
    for (const { from, to, insert } of splices.toReversed()) {
      text.delete(from, to - from);
      text.insert(from, insert);
    }
    doc.commit();
  }
  const { length } = doc.export({ mode: "snapshot" });
  text.free();
  doc.free();
  return length;
}
