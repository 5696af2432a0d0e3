import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { PINNED } from "../sim/pinned.ts";
import { BUGS, type Bug } from "./bugs.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** What a copy does without: made by tools, or not what tests read. */
const LEFT_OUT = new Set([".git", ".spliced", "node_modules", "dist", "playground"]);
const MOST_MS = 120_000;

/** What vitest writes of a run, as far as it is read here. */
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

/** `caught`: the test that an assertion of failed. */
type Verdict = { readonly caught: string } | { readonly problem: string };

const USAGE = `npm run test:planted [-- <part of a name> …] [--find]

Plants each bug in a copy of the source, and runs the test that must fail.
  --find   has the simulation look for each bug instead, and prints what pins it
`;

const { values, positionals: asked } = parseArgs({
  allowPositionals: true,
  options: { find: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const bugs = BUGS.filter(({ name }) => asked.length === 0 || asked.some((part) => name.includes(part)));
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
  const told = "caught" in verdict ? verdict.caught : `NOT CAUGHT: ${verdict.problem}`;
  console.log(`${bug.name.padEnd(width)}  ${told}`);
}
console.log(`\n${bugs.length} planted, ${bugs.length - missed} caught`);
process.exitCode = missed === 0 && bugs.length > 0 ? 0 : 1;

/** Plants one bug in the copy, runs the test that must fail, and takes it out again. */
function tryOut(bug: Bug): Verdict {
  const { file, from, to } = bug;
  const path = join(copy, file);
  const sound = readFileSync(path, "utf8");
  if (sound.split(from).length !== 2)
    return { problem: `${file} does not have the text once that is replaced` };
  writeFileSync(
    path,
    sound.replace(from, () => to),
  );
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
    return undefined; // cut off before it wrote anything
  }
}

/** A test found what it did not expect; it did not stumble. */
function isAssertion(message: string): boolean {
  return message.startsWith("AssertionError");
}
