import { type Command, InvalidArgumentError, Option } from "commander";
import { parseExactly } from "../../text/exact-json.ts";

/** Reads a whole number from 1. @throws InvalidArgumentError */
export function parseCount(given: string): number {
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given);
  throw new InvalidArgumentError("Give a whole number from 1.");
}

/** Returns a reader of a whole number from 1 to `most`, which throws InvalidArgumentError. */
export function countTo(most: number): (given: string) => number {
  return (given) => {
    const count = parseCount(given);
    if (count <= most) return count;
    throw new InvalidArgumentError(`Give a whole number from 1 to ${most}.`);
  };
}

/** Reads one value of an option that may be repeated. */
export function collect(given: string, before: readonly string[] = []): string[] {
  return [...before, given];
}

/** Ends a command whose argument is given together with an option that contradicts it. */
export function refuseBeside(
  command: Command,
  argument: string,
  value: unknown,
  others: readonly string[],
): void {
  if (value === undefined) return;
  const other = command.options.find(
    (option) =>
      others.includes(option.attributeName()) && command.getOptionValue(option.attributeName()) !== undefined,
  );
  if (other !== undefined)
    command.error(`error: argument '${argument}' cannot be used with option '${other.flags}'`);
}

/** Reads a line or a range of lines, both 1-based and inclusive. @throws InvalidArgumentError */
export function parseLines(given: string): [number, number] {
  const match = /^(\d+)(?:-(\d+))?$/.exec(given);
  if (match === null || Number(match[1]) < 1)
    throw new InvalidArgumentError("Give a line or a range of lines, such as 10-20.");
  const [first, last] = [Number(match[1]), Number(match[2] ?? match[1])];
  if (first > last) throw new InvalidArgumentError(`Give the smaller number first: ${last}-${first}.`);
  return [first, last];
}

export type View = "text" | "markdown";

/** Returns the option `--view`, for documents that have a Markdown view. */
export function viewOption(description: string): Option {
  return new Option("--view <view>", description).choices(["text", "markdown"]);
}

/** Reads the path of a field: `a.b[0].c`, or a JSON array of names and indexes. @throws InvalidArgumentError */
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
    `Give names and indexes, such as servers[0].port. Names with dots or quotes go into JSON: '["a.b", 0, "port"]'.`,
  );
}

/** Returns the value of a JSON text, with whole numbers exact; undefined for any other text. */
export function jsonOf(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a time that has passed: 14:00 today, 10m ago, or a date and time as ISO 8601 writes it. */
export function parseTime(given: string, _previous?: unknown, now = new Date()): Date {
  const [, count, unit] = /^(\d{1,6})\s*([smhd])$/.exec(given) ?? [];
  const [, hours, minutes, seconds] = /^(\d{1,2}):(\d\d)(?::(\d\d))?$/.exec(given) ?? [];
  const time =
    count !== undefined
      ? new Date(now.getTime() - Number(count) * UNITS[unit!]!)
      : hours !== undefined
        ? today(now, [Number(hours), Number(minutes), Number(seconds ?? 0)])
        : new Date(/^\d{4}-\d\d-\d\d/.test(given) ? given : Number.NaN);
  if (time === undefined || Number.isNaN(time.getTime()))
    throw new InvalidArgumentError("Give a time such as 14:00, 10m, 2h, 3d or 2026-11-22T14:00.");
  if (time > now)
    throw new InvalidArgumentError("This time is in the future. Add the date, or give 10m or 2h.");
  return time;
}

function today(now: Date, [hours, minutes, seconds]: readonly [number, number, number]): Date | undefined {
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  const time = new Date(now);
  time.setHours(hours, minutes, seconds, 0);
  return time;
}
