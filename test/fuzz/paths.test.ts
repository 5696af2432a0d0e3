import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Method, methods } from "../../src/protocol/schemas/schemas.ts";
import { FULL_RIGHTS, LEVELS } from "../../src/workspace/access/rights.ts";
import { times } from "../e2e/long.ts";
import { partOf, Seeded } from "../helpers/seeded.ts";
import { Talk } from "../protocol/talk.ts";
import { DiskBench } from "../workspace/harness.ts";
import { FuzzSession } from "./fuzz-session.ts";
import { Generator } from "./generate.ts";
import { KnownValues, MARKER, OPEN } from "./known-values.ts";
import { holderOf, SCHEMAS, validParams } from "./requests.ts";

const ROUNDS = times(1, 200);
/** The share of all combinations that a round tries. */
const SHARE = ROUNDS === 1 ? 0.25 : 1;
const SEED = Number(process.env["SEED"] ?? 1);

/** Methods with a path among their parameters, and the names of these parameters. */
const NAMING = (Object.keys(methods) as Method[]).flatMap((method) => {
  const schema = SCHEMAS.get(method)!;
  const shapes = [schema, ...(schema.anyOf ?? [])].map(({ properties }) => properties ?? {});
  const named = shapes.some((properties) => "path" in properties);
  return named ? [method] : [];
});

/** Paths outside the workspace, paths of the daemon's own files, and strings that are no path. */
const PATHS = [
  "..",
  "../outside.md",
  "notes/../../outside.md",
  "/etc/passwd",
  "//etc/passwd",
  "notes//a.md",
  "./notes/a.md",
  "notes/a.md/",
  "notes/a.md\0.txt",
  "notes\\a.md",
  "..\\outside.md",
  "%2e%2e/outside.md",
  "..%2foutside.md",
  "C:\\x",
  "x".repeat(5_000),
  "x/".repeat(2_100),
  "cafe\u0301.md",
  "caf\u00e9.md",
  "NOTES/A.MD",
  ".spliced/daemon.json",
  ".SPLICED/daemon.json",
  ".spl\u200ciced/daemon.json",
  "notes/../.spliced/tokens.json",
  ".spliced",
  ".git/config",
  "out/outside.md",
  "out.md",
  "inner",
  "notes/\u202egnp.md",
  "\ud800.md",
  "*",
  "~/.ssh/id_rsa",
  "",
];

describe("paths that lead astray", () => {
  test(
    `[FZ4, FZ1, FZ2] ${SHARE < 1 ? "a quarter of " : ""}${NAMING.length} methods × ${PATHS.length} paths × ${LEVELS.length} levels: nothing outside is read or written`,
    async () => {
      const problems: string[] = [];
      for (let round = 0; round < ROUNDS; round++) problems.push(...(await tryAll(partOf(SEED, round))));
      expect(problems).toEqual([]);
    },
    60_000 + ROUNDS * 60_000,
  );
});

/** Tries every method with every path at every level; returns the problems. */
async function tryAll(seed: number): Promise<string[]> {
  const random = new Seeded(seed);
  const outside = mkdtempSync(join(tmpdir(), "spliced-outside-"));
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
  const secret = join(outside, "outside.md");
  writeFileSync(secret, `${MARKER} outside\n`);
  const bench = new DiskBench({ ...OPEN, "caf\u00e9.md": "one\n" });
  const own = bench.path(".spliced/daemon.json");
  writeFileSync(own, `{"token":"${MARKER}"}`);
  symlinkSync(outside, bench.path("out"));
  symlinkSync(secret, bench.path("out.md"));
  symlinkSync(".spliced", bench.path("inner"));
  const { service } = new Talk(bench);
  const generator = new Generator(random, new KnownValues(random).hint);
  const visitors = LEVELS.map((level) => new FuzzSession(service, holderOf(level)));
  visitors.push(new FuzzSession(service, { name: "owner", rights: FULL_RIGHTS }));
  for (const visitor of visitors) await visitor.ask("hello", { protocol: 1, agent: { name: "fuzz" } });
  for (const method of NAMING)
    for (const path of PATHS.filter(() => random.chance(SHARE))) {
      const params = { ...validParams(generator, method), path };
      await Promise.all(visitors.map((visitor) => visitor.ask(method, params)));
    }
  const problems = visitors.flatMap((visitor) => visitor.problems);
  for (const visitor of visitors) visitor.close();
  if (readFileSync(secret, "utf8") !== `${MARKER} outside\n`) problems.push("what lies outside was changed");
  if (!readFileSync(own, "utf8").includes(MARKER)) problems.push("what is the daemon's own was changed");
  await bench.end();
  return problems.map((problem) => `seed ${seed}: ${problem}`);
}
