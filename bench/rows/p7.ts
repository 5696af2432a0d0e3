import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { startDaemon } from "../daemon.ts";
import { startEditFloor } from "../floors/edits.ts";
import { interleave } from "../interleave.ts";
import { atMost, type Line, lineOf } from "../line.ts";
import { connectToPeer } from "../peers/connect.ts";
import { IN_FLIGHT, mostEdits, replay } from "../replay.ts";
import { loadTraces } from "../trace.ts";
import { Wire } from "../wire.ts";

/** Measures the replay of recorded histories, one request a keystroke, until all are durable and in the file. */
export async function* p7(bench: Bench): AsyncGenerator<Line> {
  const daemon = await startDaemon(bench, bench.scope.folder());
  const { wire } = await daemon.wire("bench");
  const { ws, pid } = await connectToPeer(bench.scope, "splice-server.js");
  const bare = new Wire(ws);
  const least = await startEditFloor(bench.scope);
  const { wire: floor } = await least.wire("bench");
  let replays = 0;
  const next = () => `replay-${replays++}.txt`;
  for (const trace of loadTraces(mostEdits(bench), bench.traces)) {
    const edits = trace.codePoints.length;
    const through = async (server: Wire, root: string, units: typeof trace.units) => {
      const path = next();
      const ms = await replay(server, trace, units, path, () => server.request("doc.save", { path }));
      if (readFileSync(join(root, path), "utf8") !== trace.end)
        throw new Error(`${path} on disk is not the end of ${trace.name}`);
      return [ms / edits];
    };
    const ours = () => through(wire, daemon.root, trace.codePoints);
    const peer = async () => [(await replay(bare, trace, trace.units, next())) / edits];
    const bottom = () => through(floor, least.root, trace.units);
    const servers = { ours: daemon.pid, peer: pid, floor: least.pid };
    const rounds = { name: `P7 ${trace.name}`, rounds: 3, warmup: 1, servers, operations: edits };
    const samples = await interleave(bench, rounds, ours, peer, bottom);
    const what = `replay ${trace.name}, ${edits} edits, ${IN_FLIGHT} in flight: time an edit`;
    const against = "bare server: parse, Loro, commit, export; nothing stored";
    yield lineOf({ row: "P7", what, against, ...samples }, atMost(1));
  }
}
