import { join } from "node:path";
import type { WebSocket } from "ws";
import type { Bench } from "../bench.ts";
import { startDaemon } from "../daemon.ts";
import { startSaves } from "../floors/saves.ts";
import { interleave } from "../interleave.ts";
import { atMost, atMostOver, type Line, lineOf, p99AtMost } from "../line.ts";
import { connectToPeer } from "../peers/connect.ts";
import { SavedFile, timeSaves } from "../save.ts";
import { textOf } from "../texts.ts";

const NAME = "saved.ts";
const BLOCK = 20;
const BYTES = 10_000;

/** Measures the time from an editor's save of 10 KB until a subscribed client has the splices. */
export async function* p4(bench: Bench): AsyncGenerator<Line> {
  for (const byRename of [true, false]) yield await saves(bench, byRename);
}

async function saves(bench: Bench, byRename: boolean): Promise<Line> {
  const { scope } = bench;
  const daemon = await startDaemon(bench, scope.folder());
  const watched = scope.folder();
  const text = textOf(BYTES);
  const ours = new SavedFile(join(daemon.root, NAME), text, byRename);
  const bare = new SavedFile(join(watched, NAME), text, byRename);
  const client = await daemon.connect("bench");
  await client.request("subscribe", { path: NAME });
  const { ws: peer, pid } = await connectToPeer(scope, "watch-server.js", watched, NAME);
  const floor = await startSaves(scope, NAME, text);
  const least = new SavedFile(join(floor.root, NAME), text, byRename);
  const notified = ({ sha256 }: { sha256: string }) =>
    new Promise<void>((done) => {
      const off = client.on("doc.changed", (change) => {
        if (change.sha256 !== sha256) return;
        off();
        done();
      });
    });
  const what = byRename ? "save by rename" : "save in place";
  const samples = await interleave(
    bench,
    { name: `P4 ${what}`, rounds: 8, warmup: 1, servers: { ours: daemon.pid, peer: pid, floor: floor.pid } },
    () => timeSaves(ours, BLOCK, notified),
    () => timeSaves(bare, BLOCK, ({ text }) => received(peer, text)),
    () => timeSaves(least, BLOCK, ({ text }) => floor.reached(text)),
  );
  await floor.check();
  return lineOf(
    { row: "P4", what: `${what}, 10 KB → splices`, against: "fs.watch → readFile → ws send", ...samples },
    byRename ? atMost(2) : atMostOver(15),
    p99AtMost(50),
  );
}

function received(ws: WebSocket, text: string): Promise<void> {
  return new Promise((done) => {
    const look = (data: Buffer) => {
      if (data.toString() !== text) return;
      ws.off("message", look);
      done();
    };
    ws.on("message", look);
  });
}
