import { spawnSync } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "../../src/client/client.ts";
import type { Bench } from "../bench.ts";
import { startDaemon } from "../daemon.ts";
import { startSaves } from "../floors/saves.ts";
import { taken } from "../git.ts";
import { inTime } from "../in-time.ts";
import { isInstalled, named } from "../installed.ts";
import { interleave } from "../interleave.ts";
import { atMost, type Line, lineOf, p99AtMost } from "../line.ts";
import { answersDuring } from "../meanwhile.ts";

const LINES = 100_000;
/** One of so many lines changes. */
const CHANGED_EVERY = 10;
const SAVED = "large.ts";
const PATIENCE_MS = 30_000;
const OTHER = "other.ts";

/** Measures a save that changes a tenth of a large file's lines, until a subscriber has the splices. */
export async function* p13(bench: Bench): AsyncGenerator<Line> {
  const versions = [textOfVersion(0), textOfVersion(1)] as const;
  const daemon = await startDaemon(bench, bench.scope.folder());
  writeFileSync(join(daemon.root, SAVED), versions[0]);
  writeFileSync(join(daemon.root, OTHER), "other\n");
  const subscriber = await daemon.connect("subscriber");
  const other = await daemon.connect("other");
  await subscriber.request("subscribe", { path: SAVED });
  const answers: number[] = [];
  let saves = 0;
  const ours = async () => {
    const text = versions[++saves % 2]!;
    const changed = nextSave(subscriber);
    const started = performance.now();
    save(daemon.root, text);
    const timing = changed.then(() => performance.now() - started);
    const read = () => other.request("doc.read", { path: OTHER });
    answers.push(...(await answersDuring(read, timing)));
    const { chars } = await subscriber.request("doc.open", { path: SAVED });
    if (chars !== text.length) throw new Error("the daemon has another text than the save");
    return [await timing];
  };
  const least = await startSaves(bench.scope, SAVED, versions[0]);
  writeFileSync(join(least.root, OTHER), "other\n");
  const { wire } = await least.wire("other");
  const leastAnswers: number[] = [];
  let leastSaves = 0;
  const floor = async () => {
    const text = versions[++leastSaves % 2]!;
    const reached = least.reached(text);
    const started = performance.now();
    save(least.root, text);
    const timing = inTime(reached, PATIENCE_MS, missed).then((now) => now - started);
    const read = () => wire.request("doc.read", { path: OTHER });
    leastAnswers.push(...(await answersDuring(read, timing)));
    await least.check();
    return [await timing];
  };
  const folder = bench.scope.folder();
  writeFileSync(join(folder, "a"), versions[0]);
  writeFileSync(join(folder, "b"), versions[1]);
  const diff = async () => [
    taken(() => {
      const { status, error } = spawnSync("git", ["diff", "--no-index", "a", "b"], {
        cwd: folder,
        stdio: "ignore",
      });
      if (status !== 1) throw error ?? new Error(`git diff ended with ${status}`);
    }),
  ];
  const peer = isInstalled("git") ? diff : undefined;
  const samples = await interleave(bench, { name: "P13", rounds: 10, warmup: 1 }, ours, peer, floor);
  const what = `save of ${LINES.toLocaleString("en")} lines, 10 % changed → splices`;
  yield lineOf(
    { row: "P13", what, against: named("git", "git diff --no-index, a process"), ...samples },
    atMost(3),
  );
  const others = {
    row: "P13",
    what: "answers of others meanwhile",
    against: "a limit",
    ours: answers,
    peer: [],
    floor: { values: leastAnswers },
  };
  yield lineOf(others, p99AtMost(50));
}

function textOfVersion(version: number): string {
  const lines = Array.from({ length: LINES }, (_, i) => {
    const now = i % CHANGED_EVERY === 0 ? version : 0;
    return `export const line${i} = compute(${i}, ${now}); // number ${i}\n`;
  });
  return lines.join("");
}

/** Resolves with the next change that a save made. A large file's notification has no hash to tell saves apart. */
function nextSave(client: Client): Promise<void> {
  const saved = new Promise<void>((done) => {
    const off = client.on("doc.changed", ({ origin }) => {
      if (origin !== "disk") return;
      off();
      done();
    });
  });
  return inTime(saved, PATIENCE_MS, missed);
}

function missed(): string {
  return "the save was not noticed";
}

function save(root: string, text: string): void {
  const beside = join(root, ".saving~");
  writeFileSync(beside, text);
  renameSync(beside, join(root, SAVED));
}
