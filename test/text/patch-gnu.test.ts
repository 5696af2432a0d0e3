import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { unifiedDiff } from "../../src/text/diff/unified.ts";
import { fuzzed } from "../../src/text/patch/fuzz.ts";
import { type Placement, placePatch } from "../../src/text/patch/locate.ts";
import {
  isPatchFailure,
  type Match,
  type Patch,
  type PatchFailure,
  parsePatch,
} from "../../src/text/patch/patch.ts";
import type { Allowance } from "../../src/text/patch/place-hunk.ts";
import { Text } from "../../src/text/text.ts";
import { times } from "../e2e/long.ts";
import { spliceString } from "./language.ts";

/*
 * Patches for one text are applied to another and compared with GNU patch. Where the results differ, a rule below must
 * give the reason; an unexplained difference fails.
 */

const hasPatch = spawnSync("patch", ["--version"]).status === 0;
if (!hasPatch) console.warn("GNU patch is not installed: the tests skip the comparison");

/** The number of samples; each needs a process, so only the long run compares more. */
const RUNS = times(12, 3_000);

interface Case {
  readonly base: string;
  readonly diff: string;
}

interface ByGnu {
  readonly text: string;
  /** The offset in lines of each hunk from its stated place. */
  readonly offsets: readonly number[];
}

/** Returns GNU patch's result for each sample; undefined where it rejects a hunk. One shell runs all samples. */
function patchedByGnu(cases: readonly Case[], options: string): (ByGnu | undefined)[] {
  const folder = mkdtempSync(join(tmpdir(), "patch-"));
  try {
    for (const [i, { base, diff }] of cases.entries()) {
      mkdirSync(join(folder, `${i}`));
      writeFileSync(join(folder, `${i}`, "base"), base);
      writeFileSync(join(folder, `${i}`, "diff"), diff);
    }
    const each = `patch -f --binary ${options} -r - -o $d/text $d/base < $d/diff > $d/output; echo $? > $d/status`;
    const env = { ...process.env, LC_ALL: "C" };
    spawnSync("sh", ["-c", `for d in *; do ${each}; done`], { cwd: folder, env });
    return cases.map((_, i) => {
      const read = (name: string) => readFileSync(join(folder, `${i}`, name), "utf8");
      return read("status") === "0\n"
        ? { text: read("text"), offsets: offsetsIn(read("output")) }
        : undefined;
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Reads `Hunk #2 succeeded at 12 with fuzz 1 (offset 3 lines).`. GNU patch prints no line for a hunk at its stated
 * place.
 */
function offsetsIn(output: string): number[] {
  const offsets: number[] = [];
  for (const [, hunk, offset] of output.matchAll(/^Hunk #(\d+) succeeded[^(\n]*(?:\(offset (-?\d+))?/gm))
    offsets[Number(hunk) - 1] = Number(offset ?? 0);
  return Array.from(offsets, (offset) => offset ?? 0);
}

type Rule = "ambiguous" | "stale" | "already applied" | "nothing left" | "edge" | "no room" | "further step";

/** Returns why our result and GNU's differ; undefined when the reason is unknown. */
function explanation(ours: Placement | PatchFailure, gnu: ByGnu | undefined, patch: Patch): Rule | undefined {
  if (isPatchFailure(ours)) {
    // GNU patch chooses the closest of several places, at any distance.
    if (ours.reason === "context_ambiguous" && ours.candidates!.length > 1) return "ambiguous";
    if (gnu?.offsets.some((offset) => Math.abs(offset) > 50)) return "stale";
    // After GNU patch ignores its context, a hunk that only inserts fits anywhere; ours refuses it.
    if (gnu !== undefined && patch.hunks.some(isLostAtFuzz)) return "nothing left";
    // With the search for reversed patches disabled, GNU patch applies a fitting hunk a second time.
    return ours.reason === "already_applied" ? "already applied" : undefined;
  }
  // GNU patch places a hunk with less context on one side only at the start or end of the file.
  const isElsewhere = (i: number) => gnu === undefined || (gnu.offsets[i] ?? 0) !== ours.hunks[i]!.offset;
  if (patch.hunks.some((hunk, i) => isUneven(hunk) && isElsewhere(i))) return "edge";
  // GNU patch requires that the lines ignored by fuzz exist, before the hunk and after the last one.
  if (
    ours.hunks.some((_, i) => reachOf(ours, patch, i).from < (i === 0 ? 0 : reachOf(ours, patch, i - 1).to))
  )
    return "no room";
  // Without fuzz, GNU patch tolerates only white space.
  const isFurther = (allowed?: Allowance) => allowed === "blank lines" || allowed === "context";
  return ours.hunks.some(({ allowed }) => isFurther(allowed)) ? "further step" : undefined;
}

function isUneven({ lines }: Patch["hunks"][number]): boolean {
  const head = lines.findIndex((each) => each.kind !== "context");
  const tail = lines.length - 1 - lines.findLastIndex((each) => each.kind !== "context");
  return head !== tail;
}

function isLostAtFuzz(hunk: Patch["hunks"][number]): boolean {
  const inserts = hunk.lines.every((each) => each.kind !== "delete");
  return inserts && [1, 2].some((fuzz) => fuzzed(hunk, fuzz)?.oldCount === 0);
}

/** Returns the document's lines (indexes, half-open) that a placed hunk covers, with the lines ignored by fuzz. */
function reachOf({ hunks }: Placement, patch: Patch, i: number): { from: number; to: number } {
  const { lines, oldCount } = patch.hunks[i]!;
  const head = lines.findIndex((each) => each.kind !== "context");
  const tail = lines.length - 1 - lines.findLastIndex((each) => each.kind !== "context");
  const { line, fuzz } = hunks[i]!;
  const from = line - 1 - Math.max(0, fuzz === 0 ? 0 : fuzz + head - Math.max(head, tail));
  return { from, to: from + oldCount };
}

/** Lines of which some occur often and others once. */
const line = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom("}", "end", "x = 1") },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 400 }).map((n) => `line ${n}`) },
);
const change = fc.record({
  at: fc.integer({ min: 0, max: 1000 }),
  remove: fc.constantFrom(0, 1, 2),
  insert: fc.array(fc.oneof(line, fc.constant("new")), { maxLength: 2 }),
});

function changed(
  lines: readonly string[],
  changes: readonly { at: number; remove: number; insert: string[] }[],
): string[] {
  const out = [...lines];
  for (const { at, remove, insert } of changes) out.splice(at % (out.length + 1), remove, ...insert);
  return out;
}

/** A diff of two texts, and the text to patch: the first text with lines inserted before it and small changes. */
const cases: fc.Arbitrary<Case> = fc
  .record({
    lines: fc.array(line, { minLength: 6, maxLength: 40 }),
    edits: fc.array(change, { minLength: 1, maxLength: 3 }),
    ahead: fc.array(line, { maxLength: 14 }),
    far: fc.constantFrom(0, 0, 0, 0, 60),
    drift: fc.array(change, { maxLength: 2 }),
    context: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ lines, edits, ahead, far, drift, context }) => {
    const text = (all: readonly string[]) => all.map((each) => `${each}\n`).join("");
    const distance = Array.from({ length: far }, (_, i) => `far ${i}`);
    return {
      base: text([...distance, ...ahead, ...changed(lines, drift)]),
      diff: unifiedDiff(text(lines), text(changed(lines, edits)), { from: "a/x", to: "b/x", context }),
    };
  })
  .filter(({ diff }) => diff !== "");

/** The same with other white space in the text to patch. */
const spaced: fc.Arbitrary<Case> = fc
  .tuple(cases, fc.array(fc.constantFrom("", "", " ", "\t", " \t"), { minLength: 7, maxLength: 7 }))
  .map(([{ base, diff }, blanks]) => {
    const other = (blank: string, at: number) => blank + blanks[at % 7];
    return { base: base.replace(/ /g, other).replace(/$/gm, (_end, at: number) => blanks[at % 7]!), diff };
  });

describe("beside GNU patch", () => {
  const modes: [name: string, match: Match, options: string, cases: fc.Arbitrary<Case>][] = [
    ["strict", "strict", "-F0", cases],
    ["tolerant", "tolerant", "-F2", cases],
    ["tolerant of white space", "tolerant", "-F0 -l", spaced],
  ];
  for (const [name, match, options, cases] of modes)
    test.skipIf(!hasPatch)(
      `[PA30] ${name}: the result is the same, or a rule gives the reason (skipped where patch is not installed)`,
      () => {
        const samples = fc.sample(cases, RUNS);
        const gnu = patchedByGnu(samples, options);
        const counts = new Map<Rule | "same" | "both refuse", number>();
        for (const [i, each] of samples.entries()) {
          const patch = parsePatch(each.diff, match) as Patch;
          const ours = placePatch(Text.of(each.base), patch, match);
          const text = isPatchFailure(ours) ? undefined : spliceString(each.base, ours.splices);
          const equal = text === undefined ? "both refuse" : "same";
          const rule = text === gnu[i]?.text ? equal : explanation(ours, gnu[i], patch);
          expect(rule, JSON.stringify({ ...each, ours, gnu: gnu[i] })).toBeDefined();
          counts.set(rule!, (counts.get(rule!) ?? 0) + 1);
        }
        expect(counts.get("same")).toBeGreaterThan(RUNS / 4);
      },
    );
});
