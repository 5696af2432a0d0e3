import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { KnownValues, MARKER } from "../fuzz/known-values.ts";
import { framesOf } from "../fuzz/requests.ts";
import { Seeded } from "../helpers/seeded.ts";
import { beginShared } from "../helpers/shared.ts";
import { type Besieged, besiege, HANGS_MS, HELD } from "./besieged.ts";
import { times } from "./long.ts";
import { closeCodeOf, head, type Spoken, speech } from "./raw-bytes.ts";

const COUNT = times(60, 1_000_000);
const SEED = Number(process.env["SEED"] ?? 1);
/** Sockets open at once. */
const TOGETHER = 48;
/** The milliseconds after which an open connection without an answer waits for more bytes. */
const LISTEN_MS = 1_500;
/** Close codes that name a fault or a normal end. */
const CLOSES = [1000, 1001, 1002, 1003, 1005, 1007, 1008, 1009];

let besieged: Besieged;
beginShared(async () => {
  besieged = await besiege();
});

/** The answer over one socket. */
interface Heard {
  readonly bytes: Buffer;
  readonly closed: boolean;
}

/** Sends the pieces, then reads until the answer is complete, the socket closes, or the time is over. */
async function say({ pieces, restMs, leaves }: Spoken): Promise<Heard> {
  const { hostname, port } = new URL(besieged.daemon.located.url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  let closed = false;
  socket.on("error", () => undefined); // a reset is an answer, too
  const ended = new Promise<void>((done) => socket.once("close", () => done()));
  void ended.then(() => {
    closed = true;
  });
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  for (const piece of pieces) {
    socket.write(piece);
    if (restMs > 0) await pause(restMs);
  }
  if (leaves) socket.destroySoon();
  await Promise.race([ended, pause(LISTEN_MS), refused(socket)]);
  socket.destroy();
  return { bytes: Buffer.concat(chunks), closed };
}

/** Resolves after an answer that is no upgrade, because no byte follows it. */
function refused(socket: Socket): Promise<void> {
  return new Promise((done) => {
    socket.on("data", (chunk: Buffer) => {
      if (/^HTTP\/1\.1 (?!101)\d/.test(chunk.toString("latin1"))) done();
    });
  });
}

/** Returns the fault of an answer; undefined when it has none. */
function problemOf({ kind, expects }: Spoken, { bytes }: Heard): string | undefined {
  if (bytes.includes(MARKER)) return `${kind}: told what is hidden`;
  const status = /^HTTP\/1\.1 (\d+)/.exec(head(bytes))?.[1];
  if (status === undefined)
    return bytes.length === 0 ? undefined : `${kind}: no answer of HTTP: ${head(bytes).slice(0, 100)}`;
  if (expects !== undefined && !expects.includes(Number(status))) return `${kind}: status ${status}`;
  const code = status === "101" ? closeCodeOf(bytes) : undefined;
  if (code !== undefined && !CLOSES.includes(code)) return `${kind}: close code ${code}`;
  return /"INTERNAL"/.test(bytes.toString("latin1")) ? `${kind}: INTERNAL` : undefined;
}

describe("raw bytes made to harm", () => {
  test(
    `[FZ5, FZ2, FZ3] ${COUNT} sockets of malformed HTTP and WebSocket frames end in a status, a close code or a closed connection`,
    async () => {
      const random = new Seeded(SEED);
      const frame = framesOf(random, new KnownValues(random));
      const next = speech(random, { url: besieged.daemon.located.url, tokens: besieged.tokens, frame });
      const problems: string[] = [];
      const one = async () => {
        const spoken = next();
        const problem = problemOf(spoken, await say(spoken));
        if (problem !== undefined) problems.push(`seed ${SEED}: ${problem}`);
      };
      const { longest, ...siege } = await besieged.stands(`seed ${SEED}, ${COUNT} sockets`, async () => {
        for (let i = 0; i < COUNT && problems.length < 20; i += TOGETHER)
          await Promise.all(Array.from({ length: Math.min(TOGETHER, COUNT - i) }, one));
      });
      expect(problems).toEqual([]);
      expect(siege).toEqual(HELD);
      expect(longest).toBeLessThan(HANGS_MS);
    },
    60_000 + COUNT * 200,
  );
});
