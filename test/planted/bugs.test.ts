import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { PINNED } from "../sim/pinned.ts";
import { BUGS } from "./bugs.ts";

test("[SM5] every bug can be planted: its file has the text once that is replaced", () => {
  const times = ({ file, from }: (typeof BUGS)[number]) =>
    readFileSync(resolve(import.meta.dirname, "../..", file), "utf8").split(from).length - 1;
  expect(BUGS.filter((bug) => times(bug) !== 1).map(({ name }) => name)).toEqual([]);
});

test("[SM5] every bug names a test or has a pinned run, and every pinned run its bug", () => {
  const simulated = BUGS.filter(({ test }) => test === undefined).map(({ name }) => name);
  expect(PINNED.map(({ found }) => found).sort()).toEqual(simulated.sort());
});
