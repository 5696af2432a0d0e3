import fc from "fast-check";
import picomatch from "picomatch";
import { describe, expect, test } from "vitest";
import { Automaton } from "../../src/paths/automaton.ts";
import { globProblem, MAX_GLOB, matcher, queryGlobProblem } from "../../src/paths/glob.ts";
import { MOST_NESTED_BRACES, readGlob } from "../../src/paths/glob-syntax.ts";
import { times } from "../e2e/long.ts";

const RUNS = times(150, 100_000);

/** Returns the paths that a glob matches. */
function matched(glob: string, paths: string): string {
  return paths.split(" ").filter(matcher(glob)).join(" ");
}

describe("a glob", () => {
  const ordinary: [glob: string, paths: string, result: string][] = [
    ["*.md", "a.md .md a/b.md a.mdx", "a.md .md"],
    ["**/*.md", "a.md a/b.md a/b/c.md a/b.txt", "a.md a/b.md a/b/c.md"],
    ["**.md", "a.md a/b.md", "a.md a/b.md"],
    ["docs/**", "docs docs/a docs/a/b docs2/a", "docs docs/a docs/a/b"],
    ["*/**", "a a/b a/b/c", "a/b a/b/c"],
    ["a/**/z", "a/z a/b/z a/b/c/z az", "a/z a/b/z a/b/c/z"],
    ["a**z", "az abz a/z", "az abz"],
    ["?.md", "a.md ab.md \u{1f600}.md", "a.md \u{1f600}.md"],
    ["[a-c]x", "ax cx dx -x", "ax cx"],
    ["[!a-c]x", "ax dx /x", "dx"],
    ["[]a]", "] a b", "] a"],
    ["{src,test}/**/*.{ts,tsx}", "src/a.ts test/b/c.tsx lib/a.ts src/a.js", "src/a.ts test/b/c.tsx"],
    ["{a,{b,c}}d", "ad bd cd d", "ad bd cd"],
    ["{1..3}", "1 2 3 4", "1 2 3"],
    ["\\*.md", "*.md a.md", "*.md"],
    ["./a/*", "a/b b", "a/b"],
  ];
  for (const [glob, paths, result] of ordinary)
    test(`[GL1] ${glob}`, () => expect(matched(glob, paths)).toBe(result));

  test("[GL1] matches a name with a line break", () => {
    expect(matcher("**/b*d")("a\nb/b\nd")).toBe(true);
  });

  const literal: [glob: string, paths: string, result: string][] = [
    ["app/(auth)/*", "app/(auth)/a app/auth/a", "app/(auth)/a"],
    ["c++.md", "c++.md c.md ccc.md", "c++.md"],
    ["!a", "!a b", "!a"],
    ["a|b^$", "a|b^$ a", "a|b^$"],
    ["app/[id]/**", "app/[id]/a app/i/a app/x/a", "app/[id]/a app/i/a"],
    ["{a}", "{a} a", "{a}"],
    ["a{b", "a{b ab", "a{b"],
    ["a[b", "a[b ab", "a[b"],
    ["[!x]", "[!x] x a", "[!x] a"],
  ];
  for (const [glob, paths, result] of literal)
    test(`[GL2] ${glob}`, () => expect(matched(glob, paths)).toBe(result));

  const refused: [name: string, glob: string][] = [
    ["a group", "@(a|b)"],
    ["a group that counts", "([a-z/.]+)+X"],
    ["alternatives in parentheses", "src/(a|b)"],
    ["a look-ahead", "(?!a)*"],
    ["a count", "[0-9]+.md"],
    ["a named class", "[[:alpha:]]"],
    ["a range that runs backwards", "[z-a]"],
    ["a range of numbers", "{1..12}"],
    [
      "braces nested too deep",
      `${"{a,".repeat(MOST_NESTED_BRACES + 1)}b${"}".repeat(MOST_NESTED_BRACES + 1)}`,
    ],
  ];
  for (const [name, glob] of refused)
    test(`[GL4] with ${name} is refused with the syntax of globs`, () => {
      expect(globProblem(glob)).toContain("A glob is a path with * (any characters within a folder)");
    });

  const unmatched: [glob: string, why: string][] = [
    ["/a/**", "it begins with / and matches no document"],
    ["docs/", "for those in a folder, write docs/**"],
    ["../**", "no document has an empty part, . or .. in its path"],
    ["a/./b", "no document has an empty part"],
    ["a//b", "no document has an empty part"],
    [".", "no document has an empty part"],
    ["[", "a [ is never closed; write \\[ for the character itself"],
    ["a/[bc", "a [ is never closed"],
  ];
  for (const [glob, why] of unmatched)
    test(`[GL9] ${glob} that matches no document is refused for a query`, () => {
      expect(queryGlobProblem(glob)).toContain(why);
      expect(queryGlobProblem(glob)).toContain("A glob is a path with *");
    });

  test("[GL9] that matches documents is sound for a query", () => {
    for (const glob of ["**", "./a/*", "a/..b", "[a]", "\\[", "[[]x", "a]b", "...", "{a/,b}c"])
      expect(queryGlobProblem(glob)).toBeUndefined();
  });

  test("[GL7] that is too long is refused", () => {
    expect(globProblem("a".repeat(MAX_GLOB))).toBeUndefined();
    expect(globProblem("a".repeat(MAX_GLOB + 1))).toBe("longer than 1000 characters");
  });

  test("[GL4] with brackets around a special character matches that character", () => {
    for (const glob of ["[0-9][+].md", "src/[(]a[|]b)", "a[@](b)"]) expect(globProblem(glob)).toBeUndefined();
    expect(matcher("[0-9][+].md")("7+.md")).toBe(true);
  });
});

const name = fc.string({ unit: fc.constantFrom("a", "b", "c", ".", "-", "\n"), minLength: 1, maxLength: 4 });
const path = fc
  .array(
    name.filter((part) => part !== "." && part !== ".."),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join("/"));
const sign = fc.constantFrom(
  "a",
  "b",
  "c",
  ".",
  "-",
  "*",
  "?",
  "[ab]",
  "[a-c]",
  "[^b]",
  "{a,bc}",
  "{,b}",
  "{*,c.}",
);
/** Parts of a glob that never match an empty part of a path. */
const part = fc.oneof(
  fc
    .array(sign, { minLength: 1, maxLength: 4 })
    .filter((signs) => signs[0] === "*" || signs.some((one) => !/^(\*|\{[,*])/.test(one)))
    .map((signs) => signs.join("").replaceAll(/\*+/g, "*")),
  fc.constant("**"),
);
const ordinary = fc
  .array(part, { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join("/"))
  .filter((glob) => !/(^|\/)\.{1,2}(\/|$)/.test(glob));

/** Matches by trying every possibility: a reference implementation for short globs. */
function naive(glob: string, path: string, at: number): boolean {
  if (glob === "") return at === path.length;
  const rest = (from: number, size: number) => naive(glob.slice(size), path, from);
  if (glob === "/**") return at === path.length || path[at] === "/";
  if (glob.startsWith("**/")) {
    if (rest(at, 3)) return true;
    for (let i = at; i < path.length; i++) if (path[i] === "/" && rest(i + 1, 3)) return true;
    return false;
  }
  if (glob === "**") return true;
  if (glob[0] === "*") {
    if (rest(at, 1)) return true;
    for (let i = at; i < path.length && path[i] !== "/"; i++) if (rest(i + 1, 1)) return true;
    return false;
  }
  if (at >= path.length) return false;
  if (glob[0] === "?") return path[at] !== "/" && rest(at + 1, 1);
  return path[at] === glob[0] && rest(at + 1, 1);
}

describe("any ordinary glob", () => {
  test("[GL1] matches the same paths as picomatch", () => {
    const options = { dot: true, nonegate: true, flags: "s" };
    fc.assert(
      fc.property(ordinary, fc.array(path, { minLength: 1, maxLength: 20 }), (glob, paths) => {
        expect(paths.filter(matcher(glob))).toEqual(paths.filter((each) => picomatch(glob, options)(each)));
      }),
      { numRuns: RUNS },
    );
  });

  test("[GL1] matches the same paths as the reference implementation", () => {
    const plain = ordinary.filter((glob) => !/[[{]/.test(glob) && !/\*\/\*\*$/.test(glob));
    fc.assert(
      fc.property(plain, fc.array(path, { minLength: 1, maxLength: 20 }), (glob, paths) => {
        expect(paths.filter(matcher(glob))).toEqual(
          paths.filter((each) => each === glob || naive(glob, each, 0)),
        );
      }),
      { numRuns: RUNS },
    );
  });
});

describe("whatever a glob holds", () => {
  const anything = fc.string({
    unit: fc.constantFrom(
      "a",
      "/",
      "*",
      "**",
      "?",
      "[",
      "]",
      "{",
      "}",
      ",",
      "!",
      "-",
      "\\",
      "(",
      ")",
      "+",
      "..",
    ),
    maxLength: 60,
  });

  test("[GL2] it is parsed, and matches the path with the same text", () => {
    fc.assert(
      fc.property(
        anything,
        fc.string({ unit: fc.constantFrom("a", "/", "]", "-"), maxLength: 40 }),
        (glob, path) => {
          matcher(glob)(path);
          expect(matcher(glob)(glob)).toBe(true);
        },
      ),
      { numRuns: RUNS },
    );
  });

  test("[GL3] matching takes at most time in proportion to the glob times the path", () => {
    fc.assert(
      fc.property(
        anything,
        fc.string({ unit: fc.constantFrom("a", "/", "]", "-", "b"), maxLength: 60 }),
        (glob, path) => {
          expectLinear(glob, path);
        },
      ),
      { numRuns: RUNS },
    );
  });

  const slow = [
    "*a".repeat(490),
    "**/".repeat(330),
    "**/*a".repeat(190),
    "{*,**/a,?}".repeat(90),
    `${"{a,".repeat(8)}*${"}".repeat(8)}`.repeat(20),
    "[a-z]*".repeat(160),
    "([a-z/.]+)+X",
    "*(+(a)+(a))b",
    "{".repeat(MAX_GLOB),
    "[".repeat(MAX_GLOB),
  ];
  for (const glob of slow)
    test(`[GL3] ${glob.slice(0, 20)}… is matched in bounded time`, () => {
      for (const path of ["a".repeat(42), "a".repeat(1000), "a/".repeat(500), `${"ab/".repeat(300)}c`])
        expectLinear(glob, path);
    });

  function expectLinear(glob: string, path: string): void {
    const automaton = new Automaton(readGlob(glob).parts);
    automaton.matches(path);
    expect(automaton.size).toBeLessThanOrEqual(4 * glob.length + 2);
    expect(automaton.steps).toBeLessThanOrEqual(2 * automaton.size * (path.length + 1));
  }
});
