import { InvalidArgumentError, Option } from "commander";

export function parseCount(given: string): number {
  if (/^[1-9]\d*$/.test(given)) return Number(given);
  throw new InvalidArgumentError("a number from 1.");
}

export function parseLines(given: string): [number, number] {
  const match = /^(\d+)(?:-(\d+))?$/.exec(given);
  if (match === null || Number(match[1]) < 1) throw new InvalidArgumentError("a line, or a range as 3-7.");
  return [Number(match[1]), Number(match[2] ?? match[1])];
}

export type View = "text" | "markdown";

export function viewOption(description: string): Option {
  return new Option("--view <view>", description).choices(["text", "markdown"]);
}

/** `a.b[0].c` as the parts of a key; any other names in a JSON array. */
export function parseKey(given: string): (string | number)[] {
  if (given.startsWith("[")) {
    const parts = jsonOf(given);
    const isPart = (part: unknown) => typeof part === "string" || Number.isSafeInteger(part);
    if (Array.isArray(parts) && parts.every(isPart)) return parts;
  } else if (/^[^.[\]"']+(?:\.[^.[\]"']+|\[\d+\])*$/.test(given))
    return [...given.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([part, index]) =>
      index === undefined ? part : Number(index),
    );
  throw new InvalidArgumentError(
    `names and indexes, as servers[0].port; names with dots or quotes as '["a.b", 0, "port"]'.`,
  );
}

/** What a text says in JSON; undefined where it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
