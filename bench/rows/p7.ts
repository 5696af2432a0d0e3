import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "../../src/client/client.ts";
import type { Bench } from "../bench.ts";
import { type Daemon, startDaemon } from "../daemon.ts";
import { interleave } from "../interleave.ts";
import { atMost, type Line, lineOf } from "../line.ts";
import { replayOnLoro } from "../peers/loro.ts";
import { pipeline } from "../pipeline.ts";
import { loadTraces, type Trace } from "../trace.ts";

/** Measures the replay of recorded histories at full speed, until every edit is durable and in the file. */
export async function* p7(bench: Bench): AsyncGenerator<Line> {
  const daemon = await startDaemon(bench, bench.scope.folder());
  const client = await daemon.connect("bench");
  for (const trace of loadTraces(bench.quick ? 4000 : Number.POSITIVE_INFINITY)) {
    let replays = 0;
    const samples = await interleave(
      bench,
      { name: `P7 ${trace.name}`, rounds: 3, warmup: 1 },
      async () => [await replay(daemon, client, trace, `${trace.name}-${replays++}.txt`)],
      async () => {
        const { ms, end } = replayOnLoro(trace.start, trace.patches);
        if (end !== trace.end) throw new Error(`Loro's replay of ${trace.name} ended with another text`);
        return [ms];
      },
    );
    const what = `replay ${trace.name}, ${trace.splices.length} edits`;
    yield lineOf({ row: "P7", what, against: "loro-crdt alone, in process", ...samples }, atMost(3));
  }
}

/** Returns the milliseconds from the first request until all edits are durable and in the file. */
async function replay({ root }: Daemon, client: Client, trace: Trace, path: string): Promise<number> {
  await client.request("doc.create", { path, text: trace.start });
  const started = performance.now();
  await pipeline(client, `P7 ${path}`, trace.splices.length, (i) => ({
    path,
    version: "latest",
    splices: [...trace.splices[i]!],
    ack: "durable",
  }));
  await client.request("doc.save", { path });
  const ms = performance.now() - started;
  const { text } = await client.request("doc.read", { path });
  if (text !== trace.end) throw new Error(`the replay of ${trace.name} ended with another text`);
  if (readFileSync(join(root, path), "utf8") !== text) throw new Error(`${path} on disk is not the document`);
  return ms;
}
