import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { IgnoreFile, MOST_GLOB_CHARS, MOST_PATTERN } from "../../src/paths/ignore-file.ts";
import { IgnoreRules } from "../../src/paths/ignore-rules.ts";
import { NO_RULES, type OuterRules } from "../../src/paths/outer-rules.ts";
import { times } from "../e2e/long.ts";

import { processorMs } from "../helpers/processor-time.ts";

const RUNS = times(8, 1_000);

type FilesOf = Readonly<Record<string, string>>;

function rulesOf(files: FilesOf, outer: Partial<OuterRules> = {}): IgnoreRules {
  return new IgnoreRules({ ...NO_RULES, ...outer }, (path) => files[path]);
}

/** Returns the paths that rules leave out. */
function ignored(rules: IgnoreRules, paths: string): string {
  return paths
    .split(" ")
    .filter((path) => rules.ruleFor(path) !== undefined)
    .join(" ");
}

/** Returns what git says about each path: the file and line of the pattern that leaves it out, or "". */
function gitSays(files: FilesOf, paths: readonly string[], exclude: string, global: string): string[] {
  const root = mkdtempSync(join(tmpdir(), "spliced-ignore-"));
  try {
    const git = (args: readonly string[], input?: string) =>
      execFileSync("git", ["-C", root, "-c", `core.excludesFile=${join(root, ".git/global")}`, ...args], {
        input,
        encoding: "utf8",
        stdio: ["pipe", "pipe", "ignore"],
      });
    git(["init", "-q"]);
    mkdirSync(join(root, ".git/info"), { recursive: true });
    const all = { ...files, ".git/info/exclude": exclude, ".git/global": global };
    for (const path of paths) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), "");
    }
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    // git exits with 1 when it ignores none of the paths; the one that it surely ignores prevents that.
    writeFileSync(join(root, ".git/info/exclude"), `${exclude}\n/surely-ignored`);
    writeFileSync(join(root, "surely-ignored"), "");
    const out = git(
      ["check-ignore", "-v", "-n", "-z", "--no-index", "--stdin"],
      `${[...paths, "surely-ignored"].join("\0")}\0`,
    );
    const fields = out.split("\0");
    return paths.map((_, i) => {
      const [file, line, pattern] = fields.slice(4 * i, 4 * i + 3);
      return file === "" || pattern!.startsWith("!") ? "" : `${file!.replace(join(root, "/"), "")}:${line}`;
    });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function weSay(files: FilesOf, paths: readonly string[], exclude: string, global: string): string[] {
  const names = [".git/info/exclude", ".git/global"];
  const outer = { files: names.map((file) => ({ file, path: file, prefix: "" })) };
  const rules = rulesOf({ ...files, ".git/info/exclude": exclude, ".git/global": global }, outer);
  return paths.map((path) => {
    const rule = rules.ruleFor(path);
    return rule === undefined ? "" : `${rule.file}:${rule.line}`;
  });
}

const name = fc.constantFrom(
  "a",
  "b",
  "ab",
  "a.b",
  "b.a",
  ".a",
  "é",
  "a b",
  "[a]",
  "-",
  "A",
  "a\\b",
  "!a",
  "#a",
);
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
const piece = fc.oneof(
  { weight: 6, arbitrary: name },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ..."* ** *** / // ? [ab] [!a] [^a] [a-b] []a] [a [[:alpha:]] [[:alnum:]-] [[:x:]] [[:] [a-] [--a] [\\]] [/-a]".split(
        " ",
      ),
      ..."\\ \\* \\a ! # - é . a* *a **/ /** /**/ a**/ **a \\/ [b-a] [[:space:]] {a,b} (a|b) \\! \\#".split(
        " ",
      ),
      " ",
    ),
  },
);
const pattern = fc
  .tuple(
    fc.constantFrom("", "", "", "!", "/", "!/"),
    fc.array(piece, { minLength: 1, maxLength: 4 }),
    fc.constantFrom("", "", "", "/", " ", "\r", "\\ ", "  "),
  )
  .map(([before, pieces, after]) => before + pieces.join("") + after);
const text = fc.array(pattern, { maxLength: 6 }).map((lines) => lines.join("\n"));

describe("the rules of .gitignore", () => {
  test("[IG1] are git's, file and line included, for any patterns and paths", { timeout: 600_000 }, () => {
    fc.assert(
      fc.property(
        fc.array(path, { minLength: 1, maxLength: 40 }),
        fc.dictionary(fc.oneof(fc.constant(""), path), text, { maxKeys: 4 }),
        text,
        text,
        (generated, texts, exclude, global) => {
          // A path that is also a folder of another is no file.
          const isFolder = (one: string) => generated.some((other) => other.startsWith(`${one}/`));
          const paths = [...new Set(generated)].filter((one) => !isFolder(one));
          const files = Object.fromEntries(
            Object.entries(texts)
              .filter(([folder]) => folder === "" || isFolder(folder))
              .map(([folder, lines]) => [folder === "" ? ".gitignore" : `${folder}/.gitignore`, lines]),
          );
          expect(weSay(files, paths, exclude, global)).toEqual(gitSays(files, paths, exclude, global));
        },
      ),
      { numRuns: RUNS },
    );
  });
});

describe("the rules of a workspace", () => {
  test("[IG1] are those of each folder's own file, the nearest first", () => {
    const rules = rulesOf({ ".gitignore": "*.md\n", "a/.gitignore": "!b.md\n/c\n", "x/a/.gitignore": "*\n" });
    expect(ignored(rules, "b.md a/b.md a/c a/d/c a/e.md x/a/z")).toBe("b.md a/c a/e.md x/a/z");
    expect(rules.ruleFor("a/c")).toEqual({ rule: "/c", file: "a/.gitignore", line: 2 });
  });

  test("[IG2] .splicedignore decides before .gitignore, and takes back with !", () => {
    const rules = rulesOf({
      ".gitignore": "build/\n*.log\n",
      ".splicedignore": "!build/\n!keep.log\nsecret\n",
    });
    expect(ignored(rules, "build/a a.log keep.log x/keep.log secret/a")).toBe("a.log secret/a");
    const deep = rulesOf({ "a/.gitignore": "*.md", ".splicedignore": "!b.md" });
    expect(ignored(deep, "a/b.md a/c.md")).toBe("a/c.md");
  });

  test("[IG3] no file takes back a glob of the configuration", () => {
    const rules = rulesOf({ ".splicedignore": "!out\n!*.tmp\n" }, { globs: ["out", "**/*.tmp"] });
    expect(ignored(rules, "out/a x/a.tmp a.md")).toBe("out/a x/a.tmp");
    expect(rules.ruleFor("x/a.tmp")).toEqual({
      ...{ rule: "**/*.tmp", file: "daemon.config.ts", line: 2 },
      by: "setting",
    });
  });

  test("[IG4] leave out a folder whole, and read nothing in it", () => {
    const read: string[] = [];
    const rules = new IgnoreRules(NO_RULES, (path) => {
      read.push(path);
      return path === ".gitignore" ? "out" : undefined;
    });
    expect(rules.skips("out", true)).toBe(true);
    expect(rules.skips("out/deep", true)).toBe(true);
    expect(rules.ruleFor("out/deep/a")).toEqual({ rule: "out", file: ".gitignore", line: 1 });
    expect(read).toEqual([".splicedignore", ".gitignore"]);
  });

  test("[IG8] are read again after refresh only", () => {
    const files: Record<string, string> = { ".gitignore": "a" };
    const rules = rulesOf(files);
    expect(ignored(rules, "a b")).toBe("a");
    files[".gitignore"] = "b";
    expect(ignored(rules, "a b")).toBe("a");
    rules.refresh();
    expect(ignored(rules, "a b")).toBe("b");
  });
});

describe("hostile files of patterns", () => {
  test("[IG9] of 100,000 names are read and matched quickly, each name in force", async () => {
    const text = Array.from({ length: 100_000 }, (_, i) => `name${i}`).join("\n");
    let file: IgnoreFile | undefined;
    expect(
      await processorMs(() => {
        file = new IgnoreFile(text);
      }),
    ).toBeLessThan(1_000);
    expect(file?.rules).toBe(100_000);
    expect(
      await processorMs(() => {
        for (let i = 0; i < 1_000; i++) file?.match(`a/name${i}`, false);
      }),
    ).toBeLessThan(100);
  });

  test("[IG9] do not hold up the first lookup in a deep folder", async () => {
    const text = `${"**/a*/".repeat(26)}b\n`.repeat(26);
    const rules = rulesOf({ ".gitignore": text, "aab/.gitignore": text });
    expect(await processorMs(() => rules.ruleFor(`${"aab/".repeat(250)}x`))).toBeLessThan(2_000);
  });

  const HOSTILE = ["*a?*[ab]*".repeat(100), "**/a*/".repeat(150), "*a".repeat(400), "?*".repeat(400)];
  for (const glob of HOSTILE)
    test(`[IG9] such as ${glob.slice(0, 12)}… do not hold up a lookup`, async () => {
      const file = new IgnoreFile(Array.from({ length: 1_000 }, () => `${glob}b`).join("\n"));
      const path = `${"aab/".repeat(200)}${"a".repeat(200)}`;
      expect(await processorMs(() => file.match(path, false))).toBeLessThan(1_000);
    });

  test("[IG9] have lines beyond the limits that are not in force, and the report names the first", () => {
    const long = new IgnoreFile(`a\n${"b".repeat(MOST_PATTERN + 1)}\nc`);
    expect([long.rules, long.unused?.line]).toEqual([2, 2]);
    const many = new IgnoreFile("a*b\n".repeat(MOST_GLOB_CHARS));
    expect([many.rules, many.unused?.line]).toEqual([MOST_GLOB_CHARS / 2, MOST_GLOB_CHARS / 2 + 1]);
    const reported: string[] = [];
    const rules = new IgnoreRules(
      NO_RULES,
      (path) => (path === ".gitignore" ? `x\n${"b".repeat(MOST_PATTERN + 1)}` : undefined),
      (file) => reported.push(file),
    );
    for (let i = 0; i < 2; i++) {
      rules.ruleFor("a");
      rules.refresh();
    }
    expect(reported).toEqual([".gitignore"]);
    expect(rules.reports()).toContainEqual({
      file: ".gitignore",
      rules: 1,
      problem: "line 2 is not in force: the pattern is longer than 1000 characters",
    });
  });

  test("[IG9] in many folders above each other have a limit together", () => {
    const text = "*a*bcde?\n".repeat(MOST_GLOB_CHARS / 8);
    const rules = rulesOf({ ".gitignore": text, "a/.gitignore": text, "a/b/.gitignore": "*x?\nname\n" });
    expect(rules.ruleFor("a/b/name")).toBeUndefined();
    expect(rules.reports().find(({ file }) => file === "a/b/.gitignore")).toMatchObject({
      rules: 0,
      problem: expect.stringContaining("more than 8192 characters"),
    });
  });
});
