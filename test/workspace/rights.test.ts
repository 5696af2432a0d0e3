import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Protection } from "../../src/workspace/access/protection.ts";
import { FULL_RIGHTS, LEVELS, type Level, levelIncludes, Rights } from "../../src/workspace/access/rights.ts";
import "../helpers/seeds.ts";

/** Rights as they are written: "docs/**=read private/*=none". */
function rightsOf(written: string): Rights {
  return new Rights(
    written.split(" ").map((rule) => {
      const [glob, level] = rule.split("=") as [string, Level];
      return { glob, level, conflict: "merge" };
    }),
  );
}

describe("rights", () => {
  const cases: [rules: string, path: string, level: Level][] = [
    ["docs/**=read", "docs/a.md", "read"],
    ["docs/**=read", "docs/deep/er/.hidden", "read"],
    ["docs/**=read", "docs", "read"],
    ["docs/**=read", "docs2/a.md", "none"],
    ["docs/**=read", "a/docs/a.md", "none"],
    ["docs/**=read", "a.md", "none"],
    ["docs/*=read", "docs/deep/a.md", "none"],
    ["*=read", "docs/a.md", "none"],
    ["**/*.md=write", "a.md", "write"],
    ["**/*.md=write", "a.txt", "none"],
    ["{a,b}/**=append", "b/x", "append"],
    ["private/**=none **=write", "private/a.md", "none"],
    ["private/**=none **=write", "a.md", "write"],
    ["a.md=read **=none a.md=write", "a.md", "read"],
    ["private/**=none **=read", "private/two\nlines.md", "none"],
    ["**=read", "two\nlines.md", "read"],
  ];
  for (const [rules, path, level] of cases)
    test(`[RI1, RI24] ${rules} allow ${level} on ${JSON.stringify(path)}`, () =>
      expect(rightsOf(rules).levelAt(path)).toBe(level));

  const spellings: [rules: string, path: string, level: Level][] = [
    ["private/**=none **=read", "Private/a.md", "none"],
    ["Private/**=none **=read", "PRIVATE/a.md", "none"],
    ["caf\u00e9/**=none **=read", "cafe\u0301/a.md", "none"],
    ["cafe\u0301/**=none **=read", "CAF\u00c9/a.md", "none"],
    ["stra\u00dfe/**=none **=read", "STRASSE/a.md", "none"],
    ["docs/**=read", "Docs/a.md", "none"],
    ["caf\u00e9/**=read", "cafe\u0301/a.md", "none"],
    ["Docs/**=read", "Docs/A.md", "read"],
    ["README.md=write readme.md=none", "README.md", "write"],
  ];
  for (const [rules, path, level] of spellings)
    test(`[RI2] ${rules} allow ${level} on ${path}, whatever a file system takes for the same name`, () =>
      expect(rightsOf(rules).levelAt(path)).toBe(level));

  const own = [
    "daemon.config.ts",
    "daemon.config.mts",
    "sub/daemon.config.js",
    "Daemon.Config.MJS",
    "daemon.config.d/a.md",
    ".spliced/tokens.json",
    "DAEMON\u200b.CONFIG.ts",
    "daemon.config.t\u017f",
  ];
  const named = [
    ".git/config",
    "a/.git/hooks/x",
    ".mcp.json",
    "a/.cursor/mcp.json",
    ".VSCODE/tasks.json",
    ".vscode\u200d/tasks.json",
    ".claude/hooks/run.sh",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".idea/a.xml",
    ".envrc",
    ".husky/pre-commit",
    ".gitignore",
    "deep/.gitignore",
    "my.code-workspace",
  ];
  const free = [
    "src/daemon.config",
    "my-daemon.config.ts",
    "mcp.json",
    "git/config",
    ".github/workflows/ci.yml",
    "vscode/a.md",
    "package.json",
    ".env",
    "AGENTS.md",
  ];
  test("[PF1, PF2] protected files are read by who may, and changed with `admin` on them only", () => {
    const levelsOf = (rights: Rights, paths: readonly string[]) => [
      ...new Set(paths.map((path) => rights.levelAt(path))),
    ];
    for (const level of ["write", "append", "propose", "read"] as const) {
      const rights = rightsOf(`**=${level}`);
      expect([own, named, free].map((paths) => levelsOf(rights, paths))).toEqual([
        ["read"],
        ["read"],
        [level],
      ]);
    }
    const opened = new Rights(
      [{ glob: "**", level: "write", conflict: "merge" }],
      new Protection(["infra/**"], ["conf/own.ts"]),
    );
    expect([own, named, ["infra/a"], ["conf/own.ts"]].map((paths) => levelsOf(opened, paths))).toEqual([
      ["read"],
      ["write"],
      ["read"],
      ["read"],
    ]);
    expect(levelsOf(rightsOf("**=none"), [...own, ...named])).toEqual(["none"]);
    expect(levelsOf(FULL_RIGHTS, [...own, ...named])).toEqual(["admin"]);
    expect(rightsOf("**=write").allowsEverywhere("write")).toBe(false);
  });

  test("[RI18] another spelling never allows more than the rules say of the path as it is", () => {
    const name = fc.constantFrom("a", "A", "b", "\u00e9", "e\u0301", "*", "**");
    const glob = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
    const rule = fc.record({
      glob,
      level: fc.constantFrom(...LEVELS),
      conflict: fc.constant("merge" as const),
    });
    const plain = fc.constantFrom("a", "A", "b", "B", "\u00e9", "e\u0301", "\u00c9");
    const path = fc.array(plain, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 4 }), path, (rules, at) => {
        const strict = rules.find(({ glob }) =>
          new Rights([{ glob, level: "admin", conflict: "merge" }]).allows(at, "read"),
        );
        expect(levelIncludes(strict?.level ?? "none", new Rights(rules).levelAt(at))).toBe(true);
      }),
    );
  });

  test("[RI1] of several paths the least counts, and everywhere is everywhere", () => {
    const rights = rightsOf("a/**=read **=write");
    expect(rights.levelAt("b.md", "a/b.md")).toBe("read");
    expect(rights.allowsEverywhere("read")).toBe(true);
    expect(rights.allowsEverywhere("write")).toBe(false);
    expect(rightsOf("**/*=admin").allowsEverywhere("read")).toBe(false);
    expect(FULL_RIGHTS.allowsEverywhere("admin")).toBe(true);
  });

  test("[RI17] the rule that decides also says what becomes of conflicts", () => {
    const rights = new Rights([
      { glob: "notes/**", level: "write", conflict: "ask" },
      { glob: "**", level: "write", conflict: "disk" },
    ]);
    expect(["notes/a.md", "a.md"].map((path) => rights.conflict(path))).toEqual(["ask", "disk"]);
    expect(new Rights([]).conflict("a.md")).toBe("merge");
  });
});
