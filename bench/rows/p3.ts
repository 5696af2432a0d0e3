import { once } from "node:events";
import type { Bench } from "../bench.ts";
import { startDaemon } from "../daemon.ts";
import { floorFile } from "../floors/edits.ts";
import { interleave, timed } from "../interleave.ts";
import { atMost, type Line, lineOf } from "../line.ts";
import { MARKED, type MarkedFile, markedDocument } from "../marked.ts";
import { connectToPeer } from "../peers/connect.ts";
import { markerLine } from "../texts.ts";

const BLOCK = 100;

/** Measures a replacement in 10 KB that is answered once it is durable. */
export async function* p3(bench: Bench): AsyncGenerator<Line> {
  const daemon = await startDaemon(bench, bench.scope.folder());
  const client = await daemon.connect("bench");
  const ours = markedDocument(client, daemon, 10_000, "durable");
  const { ws: peer, pid } = await connectToPeer(bench.scope, "durable-server.js", bench.scope.folder());
  let id = 0;
  const store = async () => {
    const params = { path: MARKED, old: markerLine(id), new: markerLine(id + 1), ack: "durable" };
    peer.send(JSON.stringify({ jsonrpc: "2.0", id: id++, method: "edit.replace", params }));
    const [frame] = (await once(peer, "message")) as [Buffer];
    JSON.parse(frame.toString());
  };
  const floor = await floorFile(bench.scope, 10_000, "durable");
  const edits = async (file: MarkedFile, save: () => Promise<unknown>) => {
    const took = await timed(BLOCK, () => file.edit());
    await save();
    file.check();
    return took;
  };
  const servers = { ours: daemon.pid, peer: pid, floor: floor.file.pid };
  const samples = await interleave(
    bench,
    { name: "P3", rounds: 8, warmup: 5, servers },
    () => edits(ours, () => client.request("doc.save", { path: MARKED })),
    () => timed(BLOCK, store),
    () => edits(floor.file, floor.save),
  );
  const what = "replace in 10 KB, durable";
  yield lineOf({ row: "P3", what, against: "ws echo + LMDB durable put", ...samples }, atMost(1));
}
