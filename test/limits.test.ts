import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import defaults from "../daemon.config.ts";
import * as signIns from "../src/daemon/tokens/sign-ins.ts";
import * as glob from "../src/paths/glob.ts";
import * as globSyntax from "../src/paths/glob-syntax.ts";
import * as occurrence from "../src/text/find/occurrence.ts";
import * as regex from "../src/text/find/regex.ts";
import type { Bounds } from "../src/work/bounds.ts";
import * as work from "../src/work/bounds.ts";

const constants: Readonly<Record<string, unknown>> = {
  ...occurrence,
  ...regex,
  ...glob,
  ...globSyntax,
  ...signIns,
  ...work,
  ...Object.fromEntries(Object.entries(defaults.limits).map(([name, value]) => [`limits.${name}`, value])),
};

const SIGNS: Readonly<Record<number, string>> = {
  [1 / 4]: "¼",
  [1 / 2]: "half",
  [3 / 4]: "¾",
  [7 / 8]: "7/8",
  [2 ** 29]: "2²⁹",
};
const UNITS: readonly (readonly [size: number, name: string])[] = [
  [1, ""],
  [1 << 10, " KiB"],
  [1 << 20, " MiB"],
  [1000, " s"],
  [3_600_000, " hour"],
  [86_400_000, " days"],
];

/** Whether a text has a number, as a sign of its own or in a unit. */
function tells(text: string, value: number): boolean {
  const sign = SIGNS[value];
  if (sign !== undefined) return text.includes(sign);
  return UNITS.filter(([size]) => Number.isInteger(value / size)).some(([size, name]) =>
    new RegExp(`(?<![\\d,])${(value / size).toLocaleString("en")}${name}(?![\\d,]*\\d)`).test(text),
  );
}

const isBounds = (value: unknown): value is Bounds => typeof value === "object" && value !== null;

test("[LA8] each figure of docs/security.md is that of the constant beside it", () => {
  const text = readFileSync("docs/security.md", "utf8");
  const places = text
    .split(/\n\s*\n|\n(?=[-|])/)
    .flatMap((place) => [...place.matchAll(/`([\w.]+)`/g)].map(([, name = ""]) => ({ name, place })))
    .filter(({ name }) => name in constants);
  expect(places.length).toBeGreaterThan(30);
  const untold = places.filter(({ name, place }) => {
    const value = constants[name];
    const figures = isBounds(value) ? [value.count, value.bytes] : [value as number];
    return !figures.every((figure) => tells(place, figure));
  });
  expect(untold).toEqual([]);
});
