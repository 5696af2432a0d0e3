import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { startAndCover } from "../cover.ts";
import { startDaemon } from "../daemon.ts";
import { catchUp } from "../floors/catch-up.ts";
import { type Git, gitBeside, taken } from "../git.ts";
import { isInstalled, named } from "../installed.ts";
import { interleave } from "../interleave.ts";
import { atMost, type Line, lineOf, megabytesAtMost, p99AtMost } from "../line.ts";
import { answersDuring } from "../meanwhile.ts";
import { peakBytes } from "../memory.ts";
import { within } from "../scope.ts";
import { makeTree, pathOf, pathsOf } from "../tree.ts";

/** One of so many files changes between two starts. */
const CHANGED_EVERY = 100;

/** Measures the first pass over a folder, the pass of a restart, and what others notice of them. */
export async function* p18(bench: Bench): AsyncGenerator<Line> {
  for (const files of bench.quick ? [2000] : [10_000, 100_000]) yield* over(bench, files);
}

/** What the passes over a folder cost others. */
interface Cost {
  /** Milliseconds of another client's answers meanwhile. */
  readonly answers: number[];
  /** The most bytes of memory of each daemon. */
  readonly peaks: number[];
}

async function* over(bench: Bench, files: number): AsyncGenerator<Line> {
  const root = bench.scope.folder();
  await makeTree(root, files);
  const shown = `${files.toLocaleString("en")} files`;
  const cost: Cost = { answers: [], peaks: [] };
  const first = await interleave(
    bench,
    { name: `P18 ${shown}, first pass`, rounds: 3, warmup: 0 },
    async () => {
      rmSync(join(root, ".spliced"), { recursive: true, force: true });
      return [await pass(bench, root, cost)];
    },
    isInstalled("git") ? () => within(async (scope) => [firstAdd(gitBeside(scope, root)!)]) : undefined,
  );
  const fresh = {
    row: "P18",
    what: `first pass over ${shown}`,
    against: named("git", "git add -A, fresh repository"),
  };
  yield lineOf({ ...fresh, ...first }, atMost(1.5));
  const git = gitBeside(bench.scope, root);
  git?.("add", "-A");
  const paths = pathsOf(files);
  const changed = paths.filter((_, n) => n % CHANGED_EVERY === 0);
  let round = 0;
  const again = await interleave(
    bench,
    { name: `P18 ${shown}, restart`, rounds: 5, warmup: 1 },
    async () => {
      round++;
      for (const path of changed) appendFileSync(join(root, path), `// ${round}\n`);
      return [await pass(bench, root, cost)];
    },
    git && (async () => [taken(() => git("status", "--short"))]),
    () => catchUp(root, paths, changed),
  );
  const restart = {
    row: "P18",
    what: `restart on ${shown}, 1 % changed`,
    against: named("git", "git status"),
  };
  yield lineOf({ ...restart, ...again }, atMost(2));
  const answers = { row: "P18", what: `answers of others during passes over ${shown}`, against: "a limit" };
  yield lineOf({ ...answers, ours: cost.answers, peer: [] }, p99AtMost(50));
  const empty = await within(async (scope) =>
    peakBytes((await startDaemon({ ...bench, scope }, scope.folder())).pid),
  );
  const more = [Math.max(...cost.peaks) - empty];
  const memory = { row: "P18", what: `memory that passes over ${shown} add, at most`, against: "a limit" };
  yield lineOf({ ...memory, unit: "bytes", ours: more, peer: [] }, megabytesAtMost(150));
}

function firstAdd(git: Git): number {
  return taken(() => git("add", "-A"));
}

/** Returns the time from ready to covered. */
function pass(bench: Bench, root: string, cost: Cost): Promise<number> {
  return within(async (scope) => {
    const { daemon, ms } = await startAndCover({ ...bench, scope }, root, async (daemon, covered) => {
      const client = await daemon.connect("other");
      const read = () => client.request("doc.read", { path: pathOf(1) });
      cost.answers.push(...(await answersDuring(read, covered)));
    });
    cost.peaks.push(peakBytes(daemon.pid));
    return ms;
  });
}
