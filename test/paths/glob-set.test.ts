import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matcher } from "../../src/paths/glob.ts";
import { anyGlob, anyGlobOrInside } from "../../src/paths/glob-set.ts";

const GLOBS = "**/a **/a/** **/*.b **/a/b **/a.* a/*.b c **/[ab]c".split(" ");
const path = fc
  .array(fc.constantFrom("a", "b", "c", ".b", "a.b", "bc", "ab"), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join("/"));
const globs = fc.uniqueArray(fc.constantFrom(...GLOBS), { maxLength: 4 });

describe("several globs", () => {
  test("[GL1] match what any one of them matches", () => {
    fc.assert(
      fc.property(globs, path, (some, one) => {
        expect(anyGlob(some)(one)).toBe(some.some((glob) => matcher(glob)(one)));
      }),
    );
  });

  test("[AG5] cover what is in a folder that any one of them matches", () => {
    fc.assert(
      fc.property(globs, fc.array(path, { minLength: 1, maxLength: 5 }), (some, paths) => {
        const covers = anyGlobOrInside(some);
        for (const one of paths) {
          const above = one.split("/").map((_, i, names) => names.slice(0, i + 1).join("/"));
          expect(covers(one)).toBe(above.some((folder) => some.some((glob) => matcher(glob)(folder))));
        }
      }),
    );
  });
});
