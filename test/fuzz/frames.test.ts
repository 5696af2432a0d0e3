import { describe, expect, test } from "vitest";
import { FULL_RIGHTS, LEVELS } from "../../src/workspace/access/rights.ts";
import { spread } from "../e2e/attack/table.ts";
import { times } from "../e2e/long.ts";
import { processorMs } from "../helpers/processor-time.ts";
import { partOf, Seeded } from "../helpers/seeded.ts";
import { Talk } from "../protocol/talk.ts";
import { Bench } from "../workspace/harness.ts";
import { FuzzSession } from "./fuzz-session.ts";
import { HangWatch } from "./hang-watch.ts";
import { HIDDEN, KnownValues, MARKER, OPEN } from "./known-values.ts";
import { residentNow } from "./memory.ts";
import { framesOf, holderOf } from "./requests.ts";

const COUNT = times(200, 1_000_000);
const SEED = Number(process.env["SEED"] ?? 1);
/** Frames for one workspace; the next round begins with a new one. */
const ROUND = 250;
/** Most bytes that this process may grow by after the first round. */
const GROWTH_BYTES = 400 << 20;
/** The most processor time during a read of the owner, in milliseconds: it detects a hang and promises nothing. */
const HANGS_MS = 5_000;

/** The results of a round. */
interface Round {
  readonly problems: readonly string[];
  readonly codes: ReadonlyMap<string, number>;
  /** The processor time of this process during each read of the owner meanwhile, in milliseconds. */
  readonly waits: readonly number[];
}

/** Sends frames to one workspace in sessions of every level, while its owner edits the hidden documents. */
async function play(seed: number, frames: number, watch: HangWatch): Promise<Round> {
  const random = new Seeded(seed);
  const bench = new Bench({ ...OPEN, ...HIDDEN });
  const { service, logged } = new Talk(bench);
  const known = new KnownValues(random);
  const owner = new FuzzSession(service, { name: "owner", rights: FULL_RIGHTS }, true);
  const visitors = LEVELS.map((level) => new FuzzSession(service, holderOf(level)));
  for (const visitor of [owner, ...visitors]) {
    await visitor.ask("hello", { protocol: 1, agent: { name: "fuzz" } });
    await visitor.ask("subscribe", { pattern: "**" });
  }
  const frame = framesOf(random, known);
  const waits: number[] = [];
  for (let step = 0; step < frames; step++) {
    watch.begin(seed, step);
    let work: Promise<void> | undefined;
    const said = visitors.map((visitor) => (random.chance(1 / 3) ? visitor.send(frame()) : undefined));
    const read = await processorMs(async () => {
      work = step % 5 === 0 ? workOn(owner, random, known) : undefined;
      await owner.ask("doc.read", { path: "notes/b.md" });
    });
    waits.push(read);
    await work;
    for (const answer of await Promise.all(said)) known.learn(answer?.result);
  }
  const problems = [owner, ...visitors].flatMap((visitor) => visitor.problems);
  problems.push(...logged.filter((line) => line.startsWith('{"level":"error"')));
  const codes = new Map<string, number>();
  for (const visitor of visitors)
    for (const [code, count] of visitor.codes) codes.set(code, (codes.get(code) ?? 0) + count);
  for (const visitor of [owner, ...visitors]) visitor.close();
  for (const [path, text] of Object.entries(HIDDEN))
    if (!bench.read(path).includes(text))
      problems.push(`${path} was changed by somebody who may not read it`);
  await bench.end();
  return { problems: problems.map((problem) => `seed ${seed}: ${problem}`), codes, waits };
}

/** Runs a round; an error of it becomes a problem with the seed. */
async function runRound(seed: number, round: (seed: number) => Promise<Round>): Promise<Round> {
  try {
    return await round(seed);
  } catch (error) {
    const stack = error instanceof Error ? error.stack : String(error);
    return { problems: [`seed ${seed}: ${stack}`], codes: new Map(), waits: [0] };
  }
}

/** Changes the hidden documents as their owner, which causes events that others must not see. */
async function workOn(owner: FuzzSession, random: Seeded, known: KnownValues): Promise<void> {
  const path = random.pick(Object.keys(HIDDEN));
  const text = `${MARKER} ${random.word()}\n`;
  const deeds: (readonly [method: string, params: object])[] = [
    ["edit.append", { path, text, message: MARKER }],
    ["proposal.create", { path, operation: "append", proposed_value: text, reasoning: MARKER }],
    ["preview.create", { method: "edit.append", params: { path, text } }],
    ["thread.append", { path, role: "user", text }],
    ["presence.set", { path, from: 0 }],
    ["history.list", { path }],
  ];
  const answer = await owner.ask(...random.pick(deeds));
  known.learn(answer?.result);
}

describe("frames made from the schemas", () => {
  test(
    `[FZ1, FZ2, FZ3] ${COUNT} of them from tokens of every level are answered with known codes, tell nothing hidden, and leave memory bounded`,
    async () => {
      const watch = new HangWatch();
      const rounds = Math.ceil(COUNT / ROUND / 2);
      const codes = new Map<string, number>();
      const waits: number[] = [];
      const problems: string[] = [];
      let before = 0;
      for (let round = 0; round < rounds && problems.length < 20; round++) {
        // Two frames a step, in the mean.
        const played = await runRound(partOf(SEED, round), (seed) => play(seed, ROUND, watch));
        problems.push(...played.problems);
        waits.push(spread(played.waits)[2]);
        for (const [code, count] of played.codes) codes.set(code, (codes.get(code) ?? 0) + count);
        if (round === 0) before = residentNow();
      }
      await watch.end();
      const grown = residentNow() - before;
      const answered = [...codes].sort(([, a], [, b]) => b - a).map(([code, count]) => `${code} ${count}`);
      const longest = Math.max(...waits);
      console.info(
        `seed ${SEED}: ${answered.join(", ")}; another's costliest read ${longest.toFixed(0)} ms of processor time; ${(grown / 2 ** 20).toFixed(0)} MB more`,
      );
      expect(problems).toEqual([]);
      expect(longest).toBeLessThan(HANGS_MS);
      expect(grown).toBeLessThan(GROWTH_BYTES);
    },
    180_000 + COUNT * 100,
  );
});
