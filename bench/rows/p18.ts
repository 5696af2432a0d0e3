import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { whenCovered } from "../covered.ts";
import { startDaemon } from "../daemon.ts";
import { gitBeside, taken } from "../git.ts";
import { interleave } from "../interleave.ts";
import { atMost, type Line, lineOf, p99AtMost } from "../line.ts";
import { Scope } from "../scope.ts";
import { makeTree, pathOf } from "../tree.ts";

/** One of so many files changes between two starts. */
const CHANGED_EVERY = 100;

/** Measures the first pass over a folder, and the pass of a restart, and the answers that others get meanwhile. */
export async function* p18(bench: Bench): AsyncGenerator<Line> {
  for (const files of bench.quick ? [2000] : [10_000, 100_000]) yield* over(bench, files);
}

async function* over(bench: Bench, files: number): AsyncGenerator<Line> {
  const root = bench.scope.folder();
  await makeTree(root, files);
  const shown = files.toLocaleString("en");
  const answers: number[] = [];
  const first = await interleave(
    bench,
    { name: `P18 ${shown} files, first pass`, rounds: 3, warmup: 0 },
    async () => {
      rmSync(join(root, ".spliced"), { recursive: true, force: true });
      return [await untilCovered(bench, root, answers)];
    },
    async () => {
      const scope = new Scope();
      const git = gitBeside(scope, root);
      const ms = taken(() => git("add", "-A"));
      await scope.close();
      return [ms];
    },
  );
  const what = `first pass over ${shown} files`;
  yield lineOf({ row: "P18", what, against: "git add -A, fresh repository", ...first }, atMost(1.5));
  const git = gitBeside(bench.scope, root);
  git("add", "-A");
  let round = 0;
  const again = await interleave(
    bench,
    { name: `P18 ${shown} files, restart`, rounds: 5, warmup: 1 },
    async () => {
      round++;
      for (let n = 0; n < files; n += CHANGED_EVERY) appendFileSync(join(root, pathOf(n)), `// ${round}\n`);
      return [await untilCovered(bench, root, answers)];
    },
    async () => [taken(() => git("status", "--short"))],
  );
  const restart = `restart on ${shown} files, 1 % changed`;
  yield lineOf({ row: "P18", what: restart, against: "git status", ...again }, atMost(2));
  const meanwhile = `answers of others during the passes over ${shown} files`;
  yield lineOf(
    { row: "P18", what: meanwhile, against: "a 50 ms limit", ours: answers, peer: answers.map(() => 50) },
    p99AtMost(50),
  );
}

/** Returns the time from ready to covered, and adds the times of another client's answers. */
async function untilCovered(bench: Bench, root: string, answers: number[]): Promise<number> {
  const scope = new Scope();
  try {
    const daemon = await startDaemon({ ...bench, scope }, root);
    const started = performance.now();
    const client = await daemon.connect("other");
    let isCovered = false;
    const covering = whenCovered(daemon).then(() => {
      isCovered = true;
      return performance.now() - started;
    });
    while (!isCovered) {
      const asked = performance.now();
      await client.request("doc.read", { path: pathOf(1) });
      answers.push(performance.now() - asked);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return await covering;
  } finally {
    await scope.close();
  }
}
