import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { methods } from "../src/protocol/schemas/schemas.ts";

const read = (path: string) => readFileSync(resolve(import.meta.dirname, "..", path), "utf8");
const rows = [...read("docs/seeds.md").matchAll(/^\| ([SR][\d.]+) \|.*\| ([A-Z0-9 ]+) \|$/gm)];
const LINES: Readonly<Record<string, number>> = { S0: 13, S1: 15, S2: 11, S3: 10, S4: 12 };
const RULINGS = 15;

test("[LA6] every line that was asked for is in the table, once", () => {
  const lines = Object.entries(LINES).flatMap(([seed, n]) =>
    Array.from({ length: n }, (_, i) => `${seed}.${i + 1}`),
  );
  const rulings = Array.from({ length: RULINGS }, (_, i) => `R${i + 1}`);
  expect(rows.map(([, line]) => line)).toEqual([...lines, ...rulings]);
});

test("[LA6] the rules and methods that the table names are there", () => {
  const rules = new Set([...read("src/SPEC.md").matchAll(/^- ([A-Z]+\d+) —/gm)].map(([, id]) => id));
  const named = rows.flatMap(([, , ids]) => ids!.split(" "));
  expect(named.filter((id) => !rules.has(id))).toEqual([]);
  const told = [
    ...read("docs/seeds.md").matchAll(/`((?:doc|edit|proposal|batch|preview|change|diff|metrics)\.[a-z]+)`/g),
  ];
  expect(
    told
      .map(([, method]) => method)
      .filter((method) => !Object.hasOwn(methods, method!) && method !== "edit.rejected"),
  ).toEqual([]);
});

const tests = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts") || file.startsWith("contract/"))
  .map((file) => read(`test/${file}`))
  .join("\n");

describe("what was asked for", () => {
  for (const [, line, ids] of rows)
    test(`[LA6] ${line} is held by tests of ${ids}`, () => {
      expect(ids!.split(" ").filter((id) => !new RegExp(`[[( ,]${id}[\\]), ]`).test(tests))).toEqual([]);
    });
});
