import { fork } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { simulateLanes } from "./lanes.ts";
import { simulateMachines } from "./machines.ts";
import { show } from "./replay.ts";
import { shrink } from "./shrink.ts";
import { type Options, type Run, simulate } from "./simulate.ts";

const USAGE = `npm run sim [-- <option> …]

  --seed <n>   the first seed (1)
  --runs <n>   how many seeds, one after the other (1000)
  --jobs <n>   how many processes share them (1)
  --coarse     time stamps as coarse as a kernel's clock tick
  --links      the file may have other names
  --power      the machine may lose power
  --jumps      the machine's clock is set a year ahead, and back
  --workers    workers plan the edits, while others edit on
  --requests   an agent renames, deletes and restores the file through the daemon, and undoes and redoes changes
  --rare       each run makes two rare turns, or kinds of turns, frequent; with --machines three, and further turns possible
  --machines   several machines share a workspace through a broker; of the conditions above only --power and --rare
  --lanes      a workspace and a lane of it; of the other conditions only --several and --power
  --several    with --lanes: two or three lanes, which may come and go
  --backups    with --machines: folders come back from backups
  --names      with --machines and --power: power cuts also take names of files that nobody synced
  --rights     with --machines: machines have levels, by paths, and the owner removes some
  --folding    with --machines: the disks of some take names that differ in case or Unicode form only for one
  --copies     with --machines: copies of folders run at once with the originals
  --enough <n> after so many failures a process leaves the rest out (10)
  --show       prints each run; for one seed
`;

const CONDITIONS = ["coarse", "links", "power", "jumps", "workers", "requests", "rare"] as const;
/** The simulated machines beside the usual one, and their conditions. */
const WORLDS = ["machines", "lanes", "several", "backups", "copies", "names", "rights", "folding"] as const;
/** The time between two reports of the progress, on a terminal or in a log; milliseconds. */
const PROGRESS_MS = process.stderr.isTTY ? 1000 : 60_000;
const JITI = join(import.meta.dirname, "../../node_modules/jiti/lib/jiti-cli.mjs");

/** The progress of a process. */
interface Tally {
  readonly runs: number;
  readonly failures: number;
}

/** The seed of the run under way. */
let playing: number | undefined;

process.on("exit", () => {
  if (playing !== undefined) process.stdout.write(`\nseed ${playing} waits for something that never comes\n`);
});
process.exitCode = await main();

async function main(): Promise<number> {
  const asked = options();
  if (asked === undefined) return 2;
  const started = performance.now();
  const { seed, runs, jobs, machines, lanes } = asked;
  const play = machines ? playMachines : lanes ? playLanes : playAll;
  const total = jobs === 1 ? await play(asked, progress) : await share(asked, tell);
  if (process.send !== undefined) return 0; // a share of another process's seeds, which sums up
  const seconds = (performance.now() - started) / 1000;
  const rate = Math.round(total.runs / seconds);
  process.stdout.write(
    `${total.runs} runs from seed ${seed}, ${seconds.toFixed(1)} s (${rate}/s), ${total.failures} failures\n`,
  );
  return total.failures === 0 && total.runs === runs ? 0 : 1;

  function progress(tally: Tally): void {
    if (process.send !== undefined) process.send(tally);
    else tell(tally);
  }

  function tell({ runs: done, failures }: Tally): void {
    const [start, end] = process.stderr.isTTY ? ["\r", " "] : ["", "\n"];
    process.stderr.write(`${start}${done} of ${runs}, ${failures} failures${end}`);
  }
}

/** Returns the options; for wrong ones prints the error and returns undefined. */
function options() {
  try {
    const { values } = parseArgs({
      options: {
        seed: { type: "string", default: "1" },
        runs: { type: "string", default: "1000" },
        jobs: { type: "string", default: "1" },
        coarse: { type: "boolean", default: false },
        links: { type: "boolean", default: false },
        power: { type: "boolean", default: false },
        jumps: { type: "boolean", default: false },
        workers: { type: "boolean", default: false },
        requests: { type: "boolean", default: false },
        rare: { type: "boolean", default: false },
        machines: { type: "boolean", default: false },
        lanes: { type: "boolean", default: false },
        several: { type: "boolean", default: false },
        backups: { type: "boolean", default: false },
        names: { type: "boolean", default: false },
        copies: { type: "boolean", default: false },
        rights: { type: "boolean", default: false },
        folding: { type: "boolean", default: false },
        enough: { type: "string", default: "10" },
        show: { type: "boolean", default: false },
      },
    });
    const numbers = [values.seed, values.runs, values.jobs, values.enough].map(whole);
    const [seed, runs, jobs, enough] = numbers as [number, number, number, number];
    return { ...values, seed, runs, jobs, enough };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    return undefined;
  }
}
type Asked = NonNullable<ReturnType<typeof options>>;

function whole(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${text} is no whole number above 0`);
  return value;
}

/** Plays the seeds one after the other; shrinks and prints each failing run. */
function playAll(asked: Asked, progress: (tally: Tally) => void): Promise<Tally> {
  const { coarse, links, power, jumps, workers, requests, rare } = asked;
  const conditions = { coarse, links, power, jumps, workers, requests, rare };
  return playEach(asked, progress, async (seed) => {
    if (asked.show) await show(seed, conditions);
    const { problems } = await simulate(seed, conditions);
    if (problems.length > 0) await explain(seed, conditions);
    return problems.length === 0;
  });
}

/** Plays the seeds on several machines, one after the other; shrinks and prints each failing run. */
function playMachines(asked: Asked, progress: (tally: Tally) => void): Promise<Tally> {
  const { backups, copies, power, names, rare, rights, folding } = asked;
  const conditions = { backups, copies, power, names, rare, rights, folding };
  return playTurns(asked, progress, (seed, part) => simulateMachines(seed, { ...part, ...conditions }));
}

/** Plays the seeds on a machine with lanes, one after the other; shrinks and prints each failing run. */
function playLanes(asked: Asked, progress: (tally: Tally) => void): Promise<Tally> {
  const { several, power } = asked;
  return playTurns(asked, progress, (seed, part) => simulateLanes(seed, { ...part, several, power }));
}

/** Plays each seed with all of its turns; of a failing run, prints the turns that fail. */
function playTurns(
  asked: Asked,
  progress: (tally: Tally) => void,
  play: (seed: number, part: Pick<Options, "turns">) => Promise<Run>,
): Promise<Tally> {
  return playEach(asked, progress, async (seed) => {
    const run = await play(seed, {});
    if (run.problems.length > 0) {
      const { turns } = await shrink(seed, {}, play);
      const { trace } = await play(seed, { turns });
      process.stdout.write(
        `\nseed ${seed} fails; turns [${turns.join(", ")}] of it do:\n${trace.join("\n")}\n`,
      );
    } else if (asked.show) process.stdout.write(`${run.trace.join("\n")}\nevery promise is kept\n`);
    return run.problems.length === 0;
  });
}

/** Plays the seeds one after the other, as `keeps` does, which returns false for a run that breaks a promise. */
async function playEach(
  { seed, runs, enough }: Asked,
  progress: (tally: Tally) => void,
  keeps: (seed: number) => Promise<boolean>,
): Promise<Tally> {
  let failures = 0;
  let done = 0;
  let last = 0;
  for (; done < runs && failures < enough; done++) {
    playing = seed + done;
    if (!(await keeps(playing).finally(() => (playing = undefined)))) failures++;
    if (performance.now() - last < PROGRESS_MS) continue;
    last = performance.now();
    progress({ runs: done + 1, failures });
  }
  progress({ runs: done, failures });
  return { runs: done, failures };
}

/** Prints the smallest part of a run that fails, and the line that pins it. */
async function explain(seed: number, options: Options): Promise<void> {
  const part = await shrink(seed, options);
  process.stdout.write(`\nseed ${seed} fails; of it, this does:\n`);
  await show(seed, { ...options, ...part });
  const pin = [
    `seed: ${seed}`,
    `turns: [${part.turns.join(", ")}]`,
    ...(part.interrupted === false ? ["interrupted: false"] : []),
    ...CONDITIONS.filter((on) => options[on]).map((on) => `${on}: true`),
    'found: "…"',
  ];
  process.stdout.write(`to pin it: { ${pin.join(", ")} },\n\n`);
}

/** Starts processes that play equal shares of the seeds. */
async function share(
  { seed, runs, jobs, enough, ...conditions }: Asked,
  tell: (tally: Tally) => void,
): Promise<Tally> {
  const tallies: Tally[] = Array.from({ length: jobs }, () => ({ runs: 0, failures: 0 }));
  const bounds = Array.from({ length: jobs + 1 }, (_, job) => Math.floor((runs * job) / jobs));
  const flags = [...CONDITIONS, ...WORLDS].filter((on) => conditions[on]).map((on) => `--${on}`);
  let last = performance.now();
  const ended = tallies.map(
    (_, job) =>
      new Promise<void>((done) => {
        const [from, to] = [bounds[job]!, bounds[job + 1]!];
        if (from === to) return done();
        const share = ["--seed", `${seed + from}`, "--runs", `${to - from}`, "--enough", `${enough}`];
        const child = fork(JITI, [import.meta.filename, ...share, ...flags]);
        child.on("message", (tally: Tally) => {
          tallies[job] = tally;
          if (performance.now() - last < PROGRESS_MS) return;
          last = performance.now();
          tell(total());
        });
        child.on("exit", () => done());
      }),
  );
  await Promise.all(ended);
  return total();

  function total(): Tally {
    return {
      runs: tallies.reduce((sum, tally) => sum + tally.runs, 0),
      failures: tallies.reduce((sum, tally) => sum + tally.failures, 0),
    };
  }
}
