import { appendFileSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { startAndCover } from "../cover.ts";
import { startDaemon } from "../daemon.ts";
import { catchUp } from "../floors/catch-up.ts";
import { taken } from "../git.ts";
import { interleave } from "../interleave.ts";
import { atMost, type Line, lineOf } from "../line.ts";
import { within } from "../scope.ts";
import { makeTree, pathOf, pathsOf } from "../tree.ts";

/** One of so many documents changes while no daemon runs. */
const CHANGED_EVERY = 100;

/** Measures a restart with known documents, from ready until what changed meanwhile is recorded. */
export async function* p9(bench: Bench): AsyncGenerator<Line> {
  const root = bench.scope.folder();
  const documents = bench.quick ? 300 : 1000;
  await makeTree(root, documents);
  await within(async (scope) => {
    const client = await (await startDaemon({ ...bench, scope }, root)).connect("bench");
    for (let n = 0; n < documents; n++)
      await client.request("edit.append", { path: pathOf(n), text: "// seen\n", ack: "durable" });
  });
  let round = 0;
  const change = () => {
    round++;
    const changed: string[] = [];
    for (let n = round; n < documents; n += CHANGED_EVERY) changed.push(pathOf(n));
    for (const path of changed) appendFileSync(join(root, path), `// round ${round}\n`);
    return changed;
  };
  const ours = () => {
    const changed = change();
    return within(async (scope) => {
      const { daemon, ms } = await startAndCover({ ...bench, scope }, root);
      const client = await daemon.connect("checker");
      const { changes } = await client.request("history.list", { agent: "disk", limit: changed.length });
      const recorded = new Set(changes.map(({ path }) => path));
      const missing = changed.filter((path) => !recorded.has(path));
      if (missing.length > 0) throw new Error(`the restart recorded no change of ${missing.join(", ")}`);
      return [ms];
    });
  };
  const all = pathsOf(documents);
  const changed = all.filter((_, n) => n % CHANGED_EVERY === 0);
  const peer = async () => {
    return [
      taken(() => {
        for (const path of all) statSync(join(root, path));
        for (const path of changed) readFileSync(join(root, path));
      }),
    ];
  };
  const samples = await interleave(bench, { name: "P9", rounds: 10, warmup: 1 }, ours, peer, () =>
    catchUp(root, all, changed),
  );
  const what = `restart with ${documents.toLocaleString("en")} documents, 1 % changed, from ready`;
  yield lineOf({ row: "P9", what, against: "stat of all files, read of the changed", ...samples }, atMost(3));
}
