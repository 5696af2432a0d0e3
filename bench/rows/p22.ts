import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { startDaemon } from "../daemon.ts";
import { isInstalled } from "../installed.ts";
import { atMost, type Line, lineOf } from "../line.ts";
import { atChange, joinFolder, shareFolder } from "../machines.ts";
import { readStream, startNats } from "../peers/nats.ts";
import { pipeline } from "../pipeline.ts";
import { within } from "../scope.ts";

const DOCUMENTS = 100;
/** Edits that are under way at a time. */
const WINDOW = 64;
const END = "the end\n";

/** Measures how a machine catches up that was away while another one made many changes. */
export async function* p22(bench: Bench): AsyncGenerator<Line> {
  if (!isInstalled("nats-server")) throw new Error("nats-server is not installed");
  const changes = bench.quick ? 5000 : 100_000;
  const { url } = await startNats(bench.scope);
  const root = bench.scope.folder();
  const nameOf = (n: number) => `${n % DOCUMENTS}.md`;
  for (let n = 0; n < DOCUMENTS; n++) writeFileSync(join(root, nameOf(n)), "begin\n");
  writeFileSync(join(root, "end.md"), "begin\n");
  const a = await shareFolder(bench, root, url);
  const away = bench.scope.folder();
  await within((scope) => joinFolder({ ...bench, scope }, a, "b", away));
  await pipeline("P22", changes, WINDOW, (n) =>
    a.client.request("edit.append", { path: nameOf(n), text: `line ${n} of many\n` }),
  );
  await a.client.request("edit.append", { path: "end.md", text: END });
  while ((await a.client.request("machine.list", {})).waiting > 0) await wait(50);
  const raw = await readStream(bench.scope, url);
  const started = performance.now();
  const b = await startDaemon(bench, away);
  const end = join(b.root, "end.md");
  await atChange(b.root, () => existsSync(end) && readFileSync(end, "utf8").includes(END));
  const ours = performance.now() - started;
  const shown = changes.toLocaleString("en");
  const what = `catching up ${shown} changes after a start`;
  yield lineOf({ row: "P22", what, against: "reading the stream", ours: [ours], peer: [raw] }, atMost(3));
}
