import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { whenCovered } from "../cover.ts";
import { startDaemon } from "../daemon.ts";
import { gitBeside, taken } from "../git.ts";
import { named } from "../installed.ts";
import { interleave } from "../interleave.ts";
import { atMost, type Line, lineOf } from "../line.ts";
import { makeTree } from "../tree.ts";

const FILES = 10_000;
const CHANGED = "a0/b0/c0/file-0.ts";

/** Measures a checkpoint of a folder of known files, one of which was just saved. */
export async function* p16(bench: Bench): AsyncGenerator<Line> {
  const root = bench.scope.folder();
  const files = bench.quick ? 2000 : FILES;
  await makeTree(root, files);
  const git = gitBeside(bench.scope, root);
  git?.("add", "-A");
  const daemon = await startDaemon(bench, root);
  await whenCovered(daemon);
  const client = await daemon.connect("bench");
  let count = 0;
  const ours = async () => {
    appendFileSync(join(root, CHANGED), `// ${count}\n`);
    const started = performance.now();
    const made = await client.request("checkpoint.create", { name: `checkpoint ${count++}` });
    const ms = performance.now() - started;
    if (made.documents < files) throw new Error(`the checkpoint has ${made.documents} files`);
    return [ms];
  };
  const peer =
    git &&
    (async () => {
      appendFileSync(join(root, CHANGED), `// git ${count}\n`);
      return [
        taken(() => {
          git("add", "-A");
          git("write-tree");
        }),
      ];
    });
  const titles = {
    row: "P16",
    what: `checkpoint of ${files.toLocaleString("en")} files, one saved`,
    against: named("git", "git add -A && git write-tree"),
  };
  const rounds = { name: "P16", rounds: 20, warmup: 2 };
  yield lineOf({ ...titles, ...(await interleave(bench, rounds, ours, peer)) }, atMost(1));
}
