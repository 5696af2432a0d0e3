import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { PINNED } from "../sim/pinned.ts";
import { BUGS, type Bug } from "./bugs.ts";
import { plant } from "./plant.ts";

test("[SM5] every bug can be planted: its function contains the text once", () => {
  const problemOf = (bug: Bug) => {
    try {
      plant(readFileSync(resolve(import.meta.dirname, "../..", bug.file), "utf8"), bug);
      return [];
    } catch (error) {
      return [`${bug.name}: ${bug.file}: ${(error as Error).message}`];
    }
  };
  expect(BUGS.flatMap(problemOf)).toEqual([]);
});

test("[SM5] every bug names rules as a title of its test file has them", () => {
  const root = resolve(import.meta.dirname, "../..");
  const textOf = (file: string) => readFileSync(resolve(root, file), "utf8");
  const missing = BUGS.flatMap(({ name, test: [file, title = ""] = [""] }) => {
    const rules = title.match(/^\[[^\]]*\]?/)?.[0] ?? "";
    // The tests of a contract are in a file of their own.
    const sources = [file, file.replace("contract/store.test.ts", "contract/store.ts")];
    return rules === "" || sources.some((source) => textOf(source).includes(rules))
      ? []
      : [`${name}: ${rules}`];
  });
  expect(missing).toEqual([]);
});

describe("the text that a bug replaces", () => {
  const SOURCE = [
    "/** one(two) */",
    "export function one(",
    "  two: number,",
    "): number {",
    "  return two;",
    "}",
    "",
    "class Three {",
    "  #one(): number {",
    "    return 2;",
    "  }",
    "",
    "  async one(): Promise<void> {",
    "    this.#one();",
    "    this.one(2);",
    "  }",
    "}",
    "",
  ].join("\n");
  const changed = (bug: Parameters<typeof plant>[1]) =>
    plant(SOURCE, bug)
      .split("\n")
      .filter((line, i) => line !== SOURCE.split("\n")[i]);

  test("[SM5] is looked for in the bug's function only", () => {
    expect(changed({ in: "one", from: "return two", to: "return 3" })).toEqual(["  return 3;"]);
    expect(changed({ in: "#one", from: "2", to: "3" })).toEqual(["    return 3;"]);
  });

  test("[SM5] takes its line along when nothing replaces it", () => {
    expect(plant(SOURCE, { in: "#one", from: "2" })).toBe(SOURCE.replace("    return 2;\n", ""));
  });

  test("[SM5] must be there once", () => {
    expect(() => plant(SOURCE, { in: "one", from: "number", to: "" })).toThrow("2 times");
    expect(() => plant(SOURCE, { in: "#one", from: "two", to: "" })).toThrow("0 times");
    expect(() => plant(SOURCE, { in: "four", from: "two", to: "" })).toThrow("declared 0 times");
  });
});

test("[SM5] every bug names a test or has a pinned run, and every pinned run its bug", () => {
  const pinned = PINNED.map(({ found }) => found);
  const simulated = BUGS.filter(({ test }) => test === undefined).map(({ name }) => name);
  expect(pinned).toEqual(expect.arrayContaining(simulated));
  expect(BUGS.map(({ name }) => name)).toEqual(expect.arrayContaining(pinned));
});
