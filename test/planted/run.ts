import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { PINNED } from "../sim/pinned.ts";
import { BUGS, type Bug } from "./bugs.ts";
import { plant } from "./plant.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** Folders that a copy does without: tools made them, or tests do not read them. */
const LEFT_OUT = new Set([".git", ".spliced", "node_modules", "dist", "playground"]);
const MOST_MS = 300_000;

/** The part of a vitest report that this script reads. */
interface Report {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly title: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** `caught`: the title of the test that found the bug. */
type Verdict = { readonly caught: string } | { readonly problem: string };

const USAGE = `npm run test:planted [-- <part of a name> …] [--changed <ref>] [--tenth <n>] [--find]

Plants each bug in a copy of the source, and runs the test that must fail.
  --changed <ref>  only the bugs of files that differ from a commit of git
  --tenth <n>      only a tenth of the bugs, by the last digit of n; with --changed, when that leaves none
  --find           has the simulation look for each bug instead, and prints the line that pins it
`;

const { values, positionals: parts } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: "string" },
    tenth: { type: "string" },
    find: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const bugs = selected(
  BUGS.filter(({ name }) => parts.length === 0 || parts.some((part) => name.includes(part))),
);
const copy = mkdtempSync(join(tmpdir(), "spliced-planted-"));
process.on("exit", () => rmSync(copy, { recursive: true, force: true }));
for (const name of readdirSync(ROOT))
  if (!LEFT_OUT.has(name)) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));

let missed = 0;
const width = Math.max(...bugs.map(({ name }) => name.length));
for (const bug of bugs) {
  const verdict = tryOut(bug);
  if ("problem" in verdict) missed++;
  const result = "caught" in verdict ? verdict.caught : `NOT CAUGHT: ${verdict.problem}`;
  console.log(`${bug.name.padEnd(width)}  ${result}`);
}
console.log(`\n${bugs.length} planted, ${bugs.length - missed} caught`);
process.exitCode = missed === 0 && (bugs.length > 0 || values.changed !== undefined) ? 0 : 1;

/** Returns the bugs that the options ask for. */
function selected(all: readonly Bug[]): readonly Bug[] {
  const { changed, tenth } = values;
  const files = changed === undefined ? undefined : filesChangedSince(changed);
  const ofFiles = all.filter(({ file }) => files === undefined || files.has(file));
  if (tenth === undefined || (files !== undefined && ofFiles.length > 0)) return ofFiles;
  if (!/^\d+$/.test(tenth)) throw new Error(`--tenth takes a whole number, not ${tenth}`);
  return all.filter((_, i) => i % 10 === Number(tenth) % 10);
}

/** Returns the files that differ from a commit; none when git cannot compare and a tenth would do. */
function filesChangedSince(ref: string): ReadonlySet<string> {
  const { status, stdout, stderr } = spawnSync("git", ["diff", "--name-only", "--relative", ref, "--"], {
    cwd: ROOT,
  });
  if (status === 0) return new Set(stdout.toString().split("\n"));
  if (values.tenth === undefined) throw new Error(`git cannot compare with ${ref}: ${stderr}`);
  return new Set();
}

/** Plants one bug in the copy, runs the test that must fail, and restores the file. */
function tryOut(bug: Bug): Verdict {
  const { file } = bug;
  const path = join(copy, file);
  const sound = readFileSync(path, "utf8");
  try {
    writeFileSync(path, plant(sound, bug));
  } catch (error) {
    return { problem: `${file}: ${(error as Error).message}` };
  }
  try {
    return values.find ? find() : verdictOf(bug);
  } finally {
    writeFileSync(path, sound);
  }
}

function find(): Verdict {
  const sim = [join(ROOT, "node_modules/jiti/lib/jiti-cli.mjs"), "test/sim/run.ts"];
  const { stdout } = spawnSync(process.execPath, [...sim, "--runs", "20000", "--enough", "1"], { cwd: copy });
  const pin = stdout.toString().match(/^to pin it: (.*)$/m)?.[1];
  return pin === undefined ? { problem: "20000 runs keep every promise" } : { caught: pin };
}

function verdictOf({ name, test }: Bug): Verdict {
  const pinned = PINNED.find(({ found }) => found === name);
  if (test === undefined && pinned === undefined) return { problem: "no run of this name is pinned" };
  const report = run(test ?? ["test/sim/sim.test.ts", `[SM1] ${pinned?.seed}: ${name}`]);
  const results = report?.testResults ?? [];
  const failed = results.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === "failed"),
  );
  const caught = failed.find(({ failureMessages }) => failureMessages.some(isAssertion));
  if (caught !== undefined) return { caught: caught.title };
  const reason = failed[0]?.failureMessages[0] ?? results.find(({ message }) => message !== "")?.message;
  return { problem: reason?.split("\n")[0] ?? "every test passed, or none ended" };
}

function run([file, title]: NonNullable<Bug["test"]>): Report | undefined {
  const output = join(copy, "planted.json");
  rmSync(output, { force: true });
  const named = title === undefined ? [] : ["--testNamePattern", title.replace(/[[\]().?*+^$|\\]/g, "\\$&")];
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const args = ["run", file, "--bail", "1", "--reporter", "json", "--outputFile", output, ...named];
  spawnSync(process.execPath, [vitest, ...args], { cwd: copy, stdio: "ignore", timeout: MOST_MS });
  try {
    return JSON.parse(readFileSync(output, "utf8"));
  } catch {
    return undefined; // vitest ended before it wrote the report
  }
}

/** Reports whether an assertion failed, and not the test itself. */
function isAssertion(message: string): boolean {
  return message.startsWith("AssertionError");
}
