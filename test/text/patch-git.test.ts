import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { unifiedDiff } from "../../src/text/diff/unified.ts";
import { type Placement, placePatch } from "../../src/text/patch/locate.ts";
import {
  type Hunk,
  isPatchFailure,
  type Patch,
  type PatchFailure,
  parsePatch,
} from "../../src/text/patch/patch.ts";
import { Text } from "../../src/text/text.ts";
import { times } from "../e2e/long.ts";
import { spliceString } from "./language.ts";

const hasGit = spawnSync("git", ["--version"]).status === 0;
if (!hasGit) console.warn("git is not installed: the tests skip the comparison");
const RUNS = times(12, 2_000);

interface Case {
  readonly base: string;
  readonly diff: string;
}

const line = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom("}", "end", "") },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 60 }).map((n) => `line ${n}`) },
);
const block = fc.array(line, { minLength: 1, maxLength: 3 });
const text = (lines: readonly string[]) => lines.map((each) => `${each}\n`).join("");

/** A diff, most often at the start or the end of a text, and the text after the diff or after other changes. */
const cases: fc.Arbitrary<Case> = fc
  .record({
    lines: fc.array(line, { minLength: 1, maxLength: 14 }),
    added: block,
    at: fc.constantFrom("start", "end", "within"),
    removed: fc.constantFrom(0, 0, 1),
    applied: fc.boolean(),
    ahead: fc.oneof(fc.constant([]), block),
    behind: fc.oneof(fc.constant([]), block),
  })
  .map(({ lines, added, at, removed, applied, ahead, behind }) => {
    const changed = [...lines];
    const place = at === "start" ? 0 : at === "end" ? lines.length - removed : lines.length >> 1;
    changed.splice(place, removed, ...added);
    const diff = unifiedDiff(text(lines), text(changed), { from: "a/x", to: "b/x", context: 3 });
    return { base: text([...ahead, ...(applied ? changed : lines), ...behind]), diff };
  })
  .filter(({ diff }) => diff !== "");

/** Returns the texts that `git apply` makes; undefined where it refuses. */
function appliedByGit(cases: readonly Case[]): (string | undefined)[] {
  const folder = mkdtempSync(join(tmpdir(), "apply-"));
  try {
    for (const [i, { base, diff }] of cases.entries()) {
      mkdirSync(join(folder, `${i}`));
      writeFileSync(join(folder, `${i}`, "x"), base);
      writeFileSync(join(folder, `${i}`, "diff"), diff);
    }
    const each = "(cd $d && git apply --whitespace=nowarn diff 2>/dev/null; echo $? > status)";
    spawnSync("sh", ["-c", `for d in *; do ${each}; done`], {
      cwd: folder,
      env: { ...process.env, GIT_CEILING_DIRECTORIES: folder, GIT_DIR: join(folder, "none") },
    });
    return cases.map((_, i) => {
      const read = (name: string) => readFileSync(join(folder, `${i}`, name), "utf8");
      return read("status") === "0\n" ? read("x") : undefined;
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function placed({ base, diff }: Case): Placement | PatchFailure {
  const patch = parsePatch(diff);
  return isPatchFailure(patch) ? patch : placePatch(Text.of(base), patch);
}

/** True when a hunk at line 1 lacks no context above; git takes its line 1 for the start of the file all the same. */
function isFirst({ lines, oldStart }: Hunk): boolean {
  const head = lines.findIndex((each) => each.kind !== "context");
  const tail = lines.length - 1 - lines.findLastIndex((each) => each.kind !== "context");
  return head >= tail && oldStart <= 1;
}

/** Returns why a result differs from git's; undefined when the reason is unknown. */
function explanation(
  ours: Placement | PatchFailure,
  byGit: string | undefined,
  patch: Patch,
): string | undefined {
  if (!isPatchFailure(ours))
    // Only an author who has seen the text may place such a hunk.
    return ours.hunks.some(({ away }, i) => away !== undefined || isFirst(patch.hunks[i]!))
      ? "edge"
      : undefined;
  // git takes the closest of several places, and applies a hunk within a run of equal lines again.
  if (ours.reason === "context_ambiguous") return "ambiguous";
  return ours.reason === "already_applied" && byGit !== undefined ? "already applied" : undefined;
}

describe("beside git apply", () => {
  test.skipIf(!hasGit)(
    "[PL24, PL26] the result is the same, or a rule gives the reason (skipped where git is not installed)",
    () => {
      const samples = fc.sample(cases, RUNS);
      const byGit = appliedByGit(samples);
      const counts = new Map<string, number>();
      for (const [i, each] of samples.entries()) {
        const ours = placed(each);
        const result = isPatchFailure(ours) ? undefined : spliceString(each.base, ours.splices);
        const equal = result === undefined ? "both refuse" : "same";
        const rule =
          result === byGit[i] ? equal : explanation(ours, byGit[i], parsePatch(each.diff) as Patch);
        expect(rule, JSON.stringify({ ...each, ours, byGit: byGit[i] })).toBeDefined();
        counts.set(rule!, (counts.get(rule!) ?? 0) + 1);
      }
      expect(counts.get("same")).toBeGreaterThan(RUNS / 8);
      expect(counts.get("both refuse")).toBeGreaterThan(RUNS / 8);
    },
  );

  test("[PL24] a patch that lands adds no line a second time when it is sent again", () => {
    fc.assert(
      fc.property(cases, ({ base, diff }) => {
        const first = placed({ base, diff });
        if (isPatchFailure(first)) return;
        const after = spliceString(base, first.splices);
        const again = placed({ base: after, diff });
        // A patch that only deletes from a run of equal lines, or replaces one of them, finds more of them.
        const adds = after.split("\n").length > base.split("\n").length;
        if (!adds) return;
        const reasons =
          first.maxOffset === 0 ? ["already_applied"] : ["already_applied", "context_ambiguous"];
        expect(reasons, JSON.stringify(again)).toContain(isPatchFailure(again) ? again.reason : "applied");
      }),
      { numRuns: times(300, 20_000) },
    );
  });
});
