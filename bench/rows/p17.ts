import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { WebSocket } from "ws";
import type { Bench } from "../bench.ts";
import { startDaemon } from "../daemon.ts";
import { type EditFloor, startEditFloor } from "../floors/edits.ts";
import { inTime } from "../in-time.ts";
import { interleave } from "../interleave.ts";
import { atMost, cpuAtMost, type Line, lineOf, p99AtMost } from "../line.ts";
import { residentBytes } from "../memory.ts";
import { startPeer } from "../peers/connect.ts";
import { progress } from "../progress.ts";
import { textOf } from "../texts.ts";
import { openSocket } from "../wire.ts";

const AGENTS = 1000;
const EVERY_MS = 100;
const EDITS = 30;
const PATIENCE_MS = 20_000;
const PATH = "shared.ts";

type Server = Pick<EditFloor, "root" | "wire">;

/** Measures notifications for many connected agents, beside a server that only sends the same bytes. */
export async function* p17(bench: Bench): AsyncGenerator<Line> {
  const daemon = await startDaemon(bench, bench.scope.folder());
  const least = await startEditFloor(bench.scope);
  const peer = await startPeer(bench.scope, "broadcast-server.js");
  const edit = await writerTo(daemon);
  const editLeast = await writerTo(least);
  const ours = await crowd(bench, daemon.pid, () => subscriber(daemon));
  const bare = await crowd(bench, peer.pid, () => openSocket(peer.url));
  const floor = await crowd(bench, least.pid, () => subscriber(least));
  const [frame] = await Promise.all([notificationOf(ours.sockets[0]!), edit()]);
  const speaker = await openSocket(peer.url);
  bench.scope.defer(() => speaker.terminate());
  const samples = await interleave(
    bench,
    { name: "P17", rounds: 3, warmup: 1, servers: { ours: daemon.pid, peer: peer.pid, floor: least.pid } },
    () => deliveries(ours.sockets, edit),
    () => deliveries(bare.sockets, async () => speaker.send(frame)),
    () => deliveries(floor.sockets, editLeast),
  );
  const what = `${AGENTS.toLocaleString("en")} subscribers of one document, 10 edits a second: edit → notification`;
  const against = "ws broadcasting the same bytes";
  yield lineOf({ row: "P17", what, against, ...samples }, cpuAtMost(1.5), p99AtMost(50));
  const memory = { row: "P17", what: "memory a connection", against, unit: "bytes" } as const;
  const bytes = { ours: [ours.bytes], peer: [bare.bytes], floor: { values: [floor.bytes] } };
  yield lineOf({ ...memory, ...bytes }, atMost(2));
}

/** Returns an edit of the document, which the writer opens. */
async function writerTo(server: Server): Promise<() => Promise<unknown>> {
  writeFileSync(join(server.root, PATH), textOf(10_000));
  const { wire } = await server.wire("writer");
  await wire.request("doc.open", { path: PATH });
  const splices = [{ from: 0, to: 0, insert: "x" }];
  return () => wire.request("edit.splice", { path: PATH, version: "latest", splices });
}

/** Opens connections to a process, and measures its memory for each. */
async function crowd({ scope }: Bench, pid: number, open: () => Promise<WebSocket>) {
  const before = residentBytes(pid);
  const sockets: WebSocket[] = [];
  scope.defer(() => {
    for (const socket of sockets) socket.terminate();
  });
  while (sockets.length < AGENTS) {
    sockets.push(await open());
    progress(`P17: ${sockets.length} of ${AGENTS} connections`);
  }
  return { sockets, bytes: (residentBytes(pid) - before) / AGENTS };
}

async function subscriber(server: Server): Promise<WebSocket> {
  const { wire, socket } = await server.wire("subscriber");
  await wire.request("subscribe", { path: PATH });
  return socket;
}

/** Makes edits at a steady pace. Returns the milliseconds from each edit until each connection has its notification. */
async function deliveries(sockets: readonly WebSocket[], edit: () => Promise<unknown>): Promise<number[]> {
  const made: number[] = [];
  const took: number[] = [];
  const all = sockets.map(
    (socket) =>
      new Promise<void>((done) => {
        let heard = 0;
        const listen = (data: Buffer) => {
          if (!isNotification(data)) return;
          took.push(performance.now() - made[heard++]!);
          if (heard < EDITS) return;
          socket.off("message", listen);
          done();
        };
        socket.on("message", listen);
      }),
  );
  const edits: Promise<unknown>[] = [];
  const started = performance.now();
  while (edits.length < EDITS) {
    await wait(started + edits.length * EVERY_MS - performance.now());
    made.push(performance.now());
    edits.push(edit());
  }
  await Promise.all(edits);
  const missing = () => `${sockets.length * EDITS - took.length} notifications did not arrive`;
  await inTime(Promise.all(all), PATIENCE_MS, missing);
  return took;
}

async function notificationOf(socket: WebSocket): Promise<string> {
  for (;;) {
    const [data] = (await once(socket, "message")) as [Buffer];
    if (isNotification(data)) return data.toString();
  }
}

function isNotification(frame: Buffer): boolean {
  return frame.includes('"doc.changed"');
}
