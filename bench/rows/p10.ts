import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { startNode } from "../child.ts";
import { startDaemon } from "../daemon.ts";
import { type EditFloor, startEditFloor } from "../floors/edits.ts";
import { atMost, type Line, lineOf, megabytesAtMost } from "../line.ts";
import { residentBytes } from "../memory.ts";
import { PEERS, PROJECT } from "../places.ts";
import { progress } from "../progress.ts";
import { type Scope, within } from "../scope.ts";
import { textOf } from "../texts.ts";

const SMALL = "export const small = true;\n";

/** Measures the memory of a daemon a while after its documents were opened, and after many files were looked at. */
export async function* p10(bench: Bench): AsyncGenerator<Line> {
  const open = {
    text: textOf(10_000),
    count: bench.quick ? 200 : 1000,
    requests: ["doc.open", "subscribe"],
  } as const;
  const share = (bytes: Growth) => [(bytes.after - bytes.before) / open.count];
  const what = `memory an open 10 KB document, ${open.count} open, ${bench.quick ? "soon" : "a minute"} later`;
  const against = "two bare LoroDocs each";
  const opened = await growths(bench, open);
  yield lineOf({ row: "P10", what, against, unit: "bytes", ...sides(opened, share) }, atMost(0.3));

  const small = { text: SMALL, count: bench.quick ? 1000 : 10_000, requests: ["doc.read"] } as const;
  const all = `memory in all after ${small.count.toLocaleString("en")} small files were looked at`;
  const looked = await growths(bench, small);
  const total = sides(looked, ({ after }) => [after]);
  yield lineOf({ row: "P10", what: all, against, unit: "bytes", ...total }, megabytesAtMost(200));
}

/** Files, and the requests that look at each of them. */
interface Files {
  readonly text: string;
  readonly count: number;
  readonly requests: readonly ("doc.open" | "doc.read" | "subscribe")[];
}

/** The bytes of a process before and after its work. */
interface Growth {
  readonly before: number;
  readonly after: number;
}

interface Growths {
  readonly ours: Growth;
  readonly peer: Growth;
  readonly floor: Growth;
}

/** Looks at files through each side. */
async function growths(bench: Bench, files: Files): Promise<Growths> {
  return {
    ours: await remaining(bench, files, async (scope, fill) => {
      const root = scope.folder();
      fill(root);
      return startDaemon({ ...bench, scope }, root);
    }),
    peer: await bareDocuments(files),
    floor: await remaining(bench, files, async (scope, fill) => {
      const floor = await startEditFloor(scope);
      fill(floor.root);
      return floor;
    }),
  };
}

function sides({ ours, peer, floor }: Growths, of: (bytes: Growth) => readonly number[]) {
  return { ours: of(ours), peer: of(peer), floor: { values: of(floor) } };
}

/** Has a server look at each of many files, and returns its memory a while later. */
function remaining(
  bench: Bench,
  { text, count, requests }: Files,
  start: (scope: Scope, fill: (root: string) => void) => Promise<EditFloor>,
): Promise<Growth> {
  return within(async (scope) => {
    const server = await start(scope, (root) => {
      for (let n = 0; n < count; n++) writeFileSync(join(root, `${n}.ts`), text);
    });
    const { wire } = await server.wire("bench");
    const before = residentBytes(server.pid);
    for (let n = 0; n < count; n++) {
      for (const request of requests) await wire.request(request, { path: `${n}.ts` });
      progress(`P10: looked at ${n} of ${count} files`);
    }
    await wait(bench.quick ? 3000 : 65_000);
    return { before, after: residentBytes(server.pid) };
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
