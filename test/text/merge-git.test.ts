import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { merge } from "../../src/text/merge/merge.ts";
import { times } from "../e2e/long.ts";

/** The number of samples of each kind; git merges each in a process. */
const RUNS = times(12, 2_000);

const hasGit = spawnSync("git", ["--version"]).status === 0;
const NAMES = ["base", "ours", "theirs"] as const;

type Triple = readonly [base: string, ours: string, theirs: string];

/**
 * Returns git's merge of each triple; undefined where `git merge-file` reports a conflict. One shell runs all merges.
 */
function mergedByGit(triples: readonly Triple[]): (string | undefined)[] {
  const folder = mkdtempSync(join(tmpdir(), "merge-"));
  try {
    for (const [i, texts] of triples.entries()) {
      mkdirSync(join(folder, `${i}`));
      for (const [k, name] of NAMES.entries()) writeFileSync(join(folder, `${i}`, name), texts[k]!);
    }
    const each = "git merge-file -p -q $d/ours $d/base $d/theirs > $d/text; echo $? > $d/status";
    spawnSync("sh", ["-c", `for d in *; do ${each}; done`], { cwd: folder });
    const read = (i: number, name: string) => readFileSync(join(folder, `${i}`, name), "utf8");
    return triples.map((_, i) => (read(i, "status") === "0\n" ? read(i, "text") : undefined));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Texts whose lines often repeat, with two edits of each. Repeated lines decide how an alignment reads. */
function triples(line: fc.Arbitrary<string>, size: number, edits: number): fc.Arbitrary<Triple> {
  const change = fc.record({
    at: fc.nat(size),
    remove: fc.nat(3),
    insert: fc.array(fc.oneof(line, fc.constantFrom("new\n", "newer\n")), { maxLength: 3 }),
  });
  const edited = (lines: readonly string[]) =>
    fc.array(change, { maxLength: edits }).map((changes) => {
      const out = [...lines];
      for (const { at, remove, insert } of changes) out.splice(at, remove, ...insert);
      return out;
    });
  const end = fc.nat(9).map((n) => (lines: readonly string[]) => {
    const text = lines.join("");
    return n === 0 ? text.replace(/\n$/, "") : text;
  });
  return fc
    .array(line, { maxLength: size })
    .chain((lines) => fc.tuple(fc.constant(lines), edited(lines), edited(lines), end, end, end))
    .map(([b, ours, theirs, ...ends]) => [ends[0](b), ends[1](ours), ends[2](theirs)]);
}

/** Lines of one form, each with some values; an edit gives a line other values. */
function valued(
  form: (values: readonly string[]) => string,
  value: fc.Arbitrary<string>,
): fc.Arbitrary<Triple> {
  const values = fc.array(value, { minLength: 3, maxLength: 3 });
  const edits = fc.array(fc.tuple(fc.nat(11), fc.nat(2), value), { maxLength: 3 });
  return fc
    .array(values, { minLength: 6, maxLength: 12 })
    .chain((lines) => fc.tuple(fc.constant(lines), edits, edits))
    .map(([lines, ...sides]) => {
      const text = (changes: readonly (readonly [number, number, string])[]) =>
        lines
          .map((line, i) =>
            line.map((old, k) => changes.findLast(([at, n]) => at === i && n === k)?.[2] ?? old),
          )
          .map(form)
          .join("");
      return [text([]), text(sides[0]!), text(sides[1]!)];
    });
}

const versions = fc
  .tuple(
    fc.constantFrom("", "^", "~", ">="),
    fc.nat(2),
    fc.nat(2),
    fc.nat(21),
    fc.constantFrom("", "-beta.1"),
  )
  .map(([sign, a, b, c, end]) => `${sign}${a}.${b}.${c}${end}`);
const words = fc.constantFrom("one", "two", "three", "12", "3.4", "left-pad", "漢字");

/*
 * One measurement with git 2.39.5 covered 14,600 triples like these, of up to 3,000 lines. Git merged 7,222 of them
 * cleanly, all with the same result as here. Our merge does not follow git's guesses after 256 search steps from both
 * ends. They need some 500 lines that both versions have in another order. Of 166 clean merges of 2,500 lines with
 * hundreds of them moved, shuffled or of few kinds, one differed.
 */
describe("beside git", () => {
  const kinds: [name: string, triple: fc.Arbitrary<Triple>][] = [
    ["few kinds of lines", triples(fc.constantFrom("\n", "}\n", "a\n"), 10, 2)],
    ["more kinds", triples(fc.constantFrom("\n", "}\n", "a\n", "b\n", "c\r\n", "\u{1f600}\n"), 25, 4)],
    [
      "lines that seldom repeat",
      triples(
        fc.nat(60).map((n) => (n < 15 ? "\n" : `line ${n}\n`)),
        60,
        4,
      ),
    ],
    ["versions in package.json", valued(([a, b, c]) => `  "${b!.length}": "${a}", // ${c}\n`, versions)],
    ["words of one line", valued((values) => `${values.join(" ")}\n`, words)],
    ["TOML", valued(([a, b, c]) => `key-${c!.length} = "${a}" # ${b}\n`, fc.oneof(versions, words))],
    ["JSON of one line", valued(([a, b, c]) => `{"a": "${a}", "b": ["${b}", "${c}"]}\n`, words)],
  ];
  for (const [name, kind] of kinds)
    test.skipIf(!hasGit)(
      `[MG1] a clean merge by git gives the same text here: ${name} (skipped where git is not installed)`,
      () => {
        const samples = fc.sample(kind, RUNS);
        const merged = mergedByGit(samples);
        expect(merged.filter((text) => text !== undefined).length).toBeGreaterThan(RUNS / 5);
        for (const [i, text] of merged.entries())
          if (text !== undefined)
            expect(merge(...samples[i]!), JSON.stringify(samples[i])).toMatchObject({ text, conflicts: [] });
      },
    );
});
