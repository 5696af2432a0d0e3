import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const ID = /[A-Z]{1,3}\d+/;
const HERE = import.meta.dirname;
const spec = readFileSync(resolve(HERE, "../src/SPEC.md"), "utf8");
const rules = [...spec.matchAll(/^- ([A-Z]{1,3}\d+) — /gm)].map((match) => match[1]!);
const tests = readdirSync(HERE, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.startsWith("long"))
  .map((file) => readFileSync(join(HERE, file), "utf8"))
  .join("\n");
/** The rules that the brackets before a test's name cite, or that a text names in passing, as invariants may be. */
function citedIn(text: string): Set<string> {
  const brackets = [...text.matchAll(/\[([A-Z]{1,3}\d+(?:[, ]+[A-Z]{1,3}\d+)*)\]/g)];
  const passing = [...text.matchAll(/\((I\d+)\)/g)].map((match) => match[1]!);
  return new Set([...brackets.flatMap((match) => match[1]!.split(/[, ]+/)), ...passing]);
}

/** The beginning of a test that `npm test` leaves out. */
const FURTHER = /\bfurther(?:\.each\([^)]*\))?\(\s*["`]\[[^\]]*\]/g;
const cited = citedIn(tests);
const held = citedIn(tests.replace(FURTHER, ""));

describe("the rules", () => {
  test("[LA10] have unique IDs", () => {
    expect(rules.filter((id, i) => rules.indexOf(id) !== i)).toEqual([]);
    expect(rules.every((id) => ID.test(id))).toBe(true);
  });

  test("[LA11] each have a test that `npm test` runs", () => {
    expect(rules.filter((id) => !held.has(id))).toEqual([]);
  });

  test("[LA12] are those that tests cite", () => {
    expect([...cited].filter((id) => !rules.includes(id))).toEqual([]);
  });

  test("[LA14] have headings whose files and folders exist", () => {
    const headings = spec.match(/^##.*$/gm)!.join("\n");
    const places = [...headings.matchAll(/`([\w./-]+(?:\.ts|\/))`/g)].map((match) => match[1]!);
    const isThere = (place: string) => ["../src", ".."].some((root) => existsSync(join(HERE, root, place)));
    expect(places.length).toBeGreaterThan(100);
    expect(places.filter((place) => !isThere(place))).toEqual([]);
  });
});
