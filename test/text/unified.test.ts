import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { unifiedDiff } from "../../src/text/diff/unified.ts";
import { placePatch } from "../../src/text/patch/locate.ts";
import { isPatchFailure, parsePatch } from "../../src/text/patch/patch.ts";
import { Text } from "../../src/text/text.ts";
import { times } from "../e2e/long.ts";
import { edited, spliceString } from "./language.ts";

const names = { from: "a/x", to: "b/x" };

/** Returns the text after a patch, or the reason of its refusal. */
function apply(base: string, source: string, isOwn = false): string {
  const patch = parsePatch(source);
  if (isPatchFailure(patch)) return patch.message;
  const placement = placePatch(Text.of(base), patch, "strict", isOwn);
  return isPatchFailure(placement) ? placement.message : spliceString(base, placement.splices);
}

describe("unifiedDiff", () => {
  test("[UD1] shows changes with their context and both sides' numbers", () => {
    const base = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    expect(unifiedDiff(base, base.replace("5", "five"), names)).toBe(
      "--- a/x\n+++ b/x\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
    );
    expect(unifiedDiff(base, base.replace("5", "five"), { ...names, context: 0 })).toContain(
      "@@ -5,1 +5,1 @@\n-5\n+five\n",
    );
  });

  test("[UD5] equal texts have no diff", () => expect(unifiedDiff("a\n", "a\n", names)).toBe(""));

  test("[UD6] changes close together share a hunk, others do not", () => {
    const base = Array.from({ length: 20 }, (_, i) => `${i}\n`).join("");
    const hunks = (far: number) =>
      unifiedDiff(base, base.replace("3\n", "x\n").replace(`${far}\n`, "y\n"), names).split("\n@@").length -
      1;
    expect([hunks(9), hunks(10), hunks(11)]).toEqual([1, 1, 2]);
  });

  test("[UD2] a missing final newline is marked on the side that lacks it", () => {
    const mark = "\\ No newline at end of file\n";
    expect(unifiedDiff("a", "b\n", names)).toContain(`-a\n${mark}+b\n`);
    expect(unifiedDiff("a\n", "a", names)).toContain(`-a\n+a\n${mark}`);
    expect(unifiedDiff("x\na", "y\na", names)).toContain(`+y\n a\n${mark}`);
    expect(unifiedDiff("", "a", names)).toContain(`@@ -0,0 +1,1 @@\n+a\n${mark}`);
  });

  test("[UD3] parsed and placed again, a diff gives the updated text", () => {
    fc.assert(
      fc.property(edited, fc.nat(4), ([base, updated], context) => {
        const patch = unifiedDiff(base, updated, { ...names, context });
        // Without context, a line that is there already passes for an added one, unless the base is named (PL24).
        if (base !== updated) expect(apply(base, patch, context === 0)).toBe(updated);
      }),
      { numRuns: times(150, 50_000) },
    );
  });

  test("[UD3, PA34] one that adds a text's only line again does so, because it names its base", () => {
    expect(apply("a", unifiedDiff("a", "a\na", { ...names, context: 0 }), true)).toBe("a\na");
  });

  test("[UD7] it also does so with mixed line endings, given a line of context", () => {
    const unit = fc.constantFrom("a", "b", "word ", "\n", "\n", "\r\n", "\r", "}", "\u{1f600}", "\ufeff");
    const text = fc.array(unit, { maxLength: 40 }).map((units) => units.join(""));
    const odd: [string, string, number][] = [
      ["", "a\r", 1],
      ["\r\n", "\r", 1],
      ["", "\r\r\n", 1],
    ];
    fc.assert(
      fc.property(text, text, fc.integer({ min: 1, max: 4 }), (base, updated, context) => {
        const patch = unifiedDiff(base, updated, { ...names, context });
        if (base !== updated) expect(apply(base, patch)).toBe(updated);
      }),
      { numRuns: times(150, 50_000), examples: odd },
    );
  });

  test("[UD3] names that need quoting are read back", () => {
    for (const name of ['é "x".md', "\u{1f600}\t.md"]) {
      const patch = parsePatch(unifiedDiff("a\n", "b\n", { from: `a/${name}`, to: `b/${name}` }));
      expect(patch).toMatchObject({ from: `a/${name}`, to: `b/${name}` });
    }
  });
});

const hasPatch = spawnSync("patch", ["--version"]).status === 0;
const hasGit = spawnSync("git", ["--version"]).status === 0;

describe("beside other tools", () => {
  const within = (use: (folder: string) => void) => {
    const folder = mkdtempSync(join(tmpdir(), "unified-"));
    try {
      use(folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  test.skipIf(!hasPatch)(
    "[UD4] GNU patch gives the same result (skipped where patch is not installed)",
    () => {
      within((folder) => {
        fc.assert(
          fc.property(edited, ([base, updated]) => {
            fc.pre(base !== updated);
            writeFileSync(join(folder, "x"), base);
            const args = ["--binary", "--quiet", "--force", "-p1"];
            const run = spawnSync("patch", args, { cwd: folder, input: unifiedDiff(base, updated, names) });
            expect(run.status).toBe(0);
            expect(readFileSync(join(folder, "x"), "utf8")).toBe(updated);
          }),
          { numRuns: times(8, 1_000) },
        );
      });
    },
  );

  test.skipIf(!hasGit)(
    "[UD4] a diff by git is placed with the same result (skipped where git is not installed)",
    () => {
      within((folder) => {
        fc.assert(
          fc.property(edited, ([base, updated]) => {
            fc.pre(base !== updated && base !== "" && updated !== "");
            writeFileSync(join(folder, "x"), base);
            writeFileSync(join(folder, "y"), updated);
            const run = spawnSync("git", ["diff", "--no-index", "--no-prefix", "--no-color", "x", "y"], {
              cwd: folder,
            });
            expect(apply(base, run.stdout.toString())).toBe(updated);
          }),
          { numRuns: times(8, 1_000) },
        );
      });
    },
  );
});
