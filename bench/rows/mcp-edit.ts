import type { Bench } from "../bench.ts";
import { startDaemon } from "../daemon.ts";
import { floorFile } from "../floors/edits.ts";
import { interleave, timed } from "../interleave.ts";
import { atMost, type Line, lineOf } from "../line.ts";
import { type MarkedFile, markedDocument } from "../marked.ts";
import { mcpMarkedFile } from "../peers/mcp-filesystem.ts";

interface Setup {
  readonly row: string;
  readonly size: string;
  readonly bytes: number;
  readonly target: number;
  readonly rounds: number;
  /** The number of edits in a block. */
  readonly block: number;
}

/** Compares `edit.replace`, answered once mirrored, with `edit_file` of the MCP filesystem server. */
export async function* againstMcp(bench: Bench, setup: Setup): AsyncGenerator<Line> {
  const { row, size, bytes, target, rounds, block } = setup;
  const daemon = await startDaemon(bench, bench.scope.folder());
  const ours = markedDocument(await daemon.connect("bench"), daemon, bytes, "mirrored");
  const peer = await mcpMarkedFile(bench.scope, bytes);
  const { file: floor } = await floorFile(bench.scope, bytes, "mirrored");
  const run = async (file: MarkedFile) => {
    const took = await timed(block, () => file.edit());
    file.check();
    return took;
  };
  const samples = await interleave(
    bench,
    {
      name: `${row} ${size}`,
      rounds,
      warmup: 4,
      servers: { ours: ours.pid, peer: peer.pid, floor: floor.pid },
    },
    () => run(ours),
    () => run(peer),
    () => run(floor),
  );
  const what = `replace in ${size}, on disk`;
  yield lineOf({ row, what, against: "MCP filesystem edit_file", ...samples }, atMost(target));
}
