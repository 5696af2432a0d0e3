import fc from "fast-check";
import { expect, test } from "vitest";
import { matcher } from "../../src/paths/glob.ts";
import { GlobIndex } from "../../src/paths/glob-index.ts";

const names = fc.constantFrom(
  "a",
  "b",
  "ab",
  "[id]",
  "*.ts",
  "b.ts",
  "**",
  "*",
  "{a,b}",
  "[ab]",
  "?",
  "\\a",
  ".",
  "",
);
const globs = fc.array(names, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
const plain = fc.constantFrom("a", "b", "ab", "[id]", "x.ts", "b.ts", ".", "");
const paths = fc.array(plain, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));

const VALUES = [0, 1, 2, 3];

test("[GL8] an index finds the globs that match a path, as they come and go", () => {
  const step = fc.record({ glob: globs, value: fc.integer({ min: 0, max: 3 }), isAdded: fc.boolean() });
  let found = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.array(paths, { maxLength: 5 }), (steps, asked) => {
      const index = new GlobIndex<number>();
      const held = new Set<string>();
      // One comparison, because each call of expect takes longer than a look into the index.
      const [expected, seen]: [unknown[], unknown[]] = [[], []];
      for (const { glob, value, isAdded } of steps) {
        if (isAdded) index.add(glob, value);
        else index.delete(glob, value);
        held[isAdded ? "add" : "delete"](`${value} ${glob}`);
        for (const path of asked) {
          const matching = [...held]
            .filter((one) => matcher(one.slice(2))(path))
            .map((one) => Number(one[0]));
          expected.push(path, matching.sort(), ...VALUES.map((one) => matching.includes(one)));
          seen.push(path, [...index.at(path)].sort(), ...VALUES.map((one) => index.has(path, one)));
          found += matching.length;
        }
      }
      expect(seen).toEqual(expected);
      for (const { glob, value } of steps) index.delete(glob, value);
      expect(index.isEmpty).toBe(true);
    }),
    { numRuns: 1_000 },
  );
  expect(found).toBeGreaterThan(500);
});

test("[GL8] an index finds a glob for a folder by the folder itself and by all that is in it", () => {
  const index = new GlobIndex<string>();
  for (const glob of ["a/**", "a/b/*.ts", "**/c", "./a/d"]) index.add(glob, glob);
  const found = (path: string) => [...index.at(path)].sort();
  expect(found("a")).toEqual(["a/**"]);
  expect(found("a/b/x.ts")).toEqual(["a/**", "a/b/*.ts"]);
  expect(found("a/d")).toEqual(["./a/d", "a/**"]);
  expect(found("b/c")).toEqual(["**/c"]);
});
