import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "../../src/client/client.ts";
import type { Bench } from "../bench.ts";
import { startNode } from "../child.ts";
import { startDaemon } from "../daemon.ts";
import { atMost, type Line, lineOf, megabytesAtMost } from "../line.ts";
import { residentBytes } from "../memory.ts";
import { PEERS, PROJECT } from "../places.ts";
import { progress } from "../progress.ts";
import { within } from "../scope.ts";
import { textOf } from "../texts.ts";

const SMALL = "export const small = true;\n";

/** Measures the memory of a daemon a while after its documents were opened, and after many files were looked at. */
export async function* p10(bench: Bench): AsyncGenerator<Line> {
  const open = { text: textOf(10_000), count: bench.quick ? 200 : 1000 };
  const opened = await remaining(bench, open, async (client, path) => {
    await client.request("doc.open", { path });
    await client.request("subscribe", { path });
  });
  const bare = await bareDocuments(open);
  const share = (bytes: Growth) => (bytes.after - bytes.before) / open.count;
  const what = `memory an open 10 KB document, ${open.count} open, ${bench.quick ? "soon" : "a minute"} later`;
  const against = "two bare LoroDocs each";
  yield lineOf(
    { row: "P10", what, against, unit: "bytes", ours: [share(opened)], peer: [share(bare)] },
    atMost(0.3),
  );

  const small = { text: SMALL, count: bench.quick ? 1000 : 10_000 };
  const looked = await remaining(bench, small, (client, path) => client.request("doc.read", { path }));
  const all = `memory in all after ${small.count.toLocaleString("en")} small files were looked at`;
  const held = await bareDocuments(small);
  const values = { ours: [looked.after], peer: [held.after] };
  yield lineOf({ row: "P10", what: all, against, unit: "bytes", ...values }, megabytesAtMost(200));
}

interface Files {
  readonly text: string;
  readonly count: number;
}

/** The bytes of a process before and after its work. */
interface Growth {
  readonly before: number;
  readonly after: number;
}

/** Has the daemon look at each of many files, and returns its memory a while later. */
function remaining(
  bench: Bench,
  { text, count }: Files,
  look: (client: Client, path: string) => Promise<unknown>,
): Promise<Growth> {
  return within(async (scope) => {
    const root = scope.folder();
    for (let n = 0; n < count; n++) writeFileSync(join(root, `${n}.ts`), text);
    const daemon = await startDaemon({ ...bench, scope }, root);
    const client = await daemon.connect("bench");
    const before = residentBytes(daemon.pid);
    for (let n = 0; n < count; n++) {
      await look(client, `${n}.ts`);
      progress(`P10: looked at ${n} of ${count} files`);
    }
    await wait(bench.quick ? 3000 : 65_000);
    return { before, after: residentBytes(daemon.pid) };
  });
}

/** Returns the memory of a process without and with two Loro documents for each file. */
function bareDocuments({ text, count }: Files): Promise<Growth> {
  return within(async (scope) => {
    const memoryOf = async (files: number) => {
      const child = startNode(scope, [join(PEERS, "loro-docs.js"), String(files)], PROJECT, text);
      await child.ready;
      return residentBytes(child.pid);
    };
    return { before: await memoryOf(0), after: await memoryOf(count) };
  });
}
