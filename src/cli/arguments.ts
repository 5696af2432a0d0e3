import { InvalidArgumentError } from "commander";

export function parseCount(given: string): number {
  if (/^[1-9]\d*$/.test(given)) return Number(given);
  throw new InvalidArgumentError("a number from 1.");
}

export function parseLines(given: string): [number, number] {
  const match = /^(\d+)(?:-(\d+))?$/.exec(given);
  if (match === null || Number(match[1]) < 1) throw new InvalidArgumentError("a line, or a range as 3-7.");
  return [Number(match[1]), Number(match[2] ?? match[1])];
}
