import { partOf, Seeded } from "../helpers/seeded.ts";

/** What is rare, so that two of these hardly ever meet in one run: turns, kinds of turns, and a text of a line or two. */
const RARE = [
  "crash",
  "failure",
  "space",
  "wire",
  "power",
  "window",
  "revert",
  "open",
  "append",
  "tear",
  "again",
  "touch",
  "delete",
  "rename",
  "link",
  "request lost",
  "answer lost",
  "undo",
  "redo",
  "rename by request",
  "delete by request",
  "restore",
  "interruption",
  "short",
] as const;

/** The same of several machines: turns, an outbox for a few messages, and documents that soon leave memory. */
const RARE_ON_MACHINES = [
  "stale save",
  "create equal",
  "delete",
  "delete on disk",
  "rename",
  "rename on disk",
  "swap names",
  "restore",
  "undo",
  "crash",
  "cut",
  "faults",
  "broker",
  "full",
  "join",
  "byte order mark",
  "rules",
  "leave",
  "snapshot",
  "rest",
  "refuse",
  "show",
  "clock",
  "small outbox",
  "idle",
] as const;

/** The factor of a turn that a run makes frequent. */
export const FREQUENT = 10;

/** Returns what one run makes frequent, drawn from the seed alone. */
export function frequentIn(seed: number): ReadonlySet<string> {
  const random = new Seeded(partOf(seed, -1));
  return new Set([random.pick(RARE), random.pick(RARE)]);
}

/** The same as `frequentIn` for a run of several machines. */
export function frequentOnMachines(seed: number): ReadonlySet<string> {
  const random = new Seeded(partOf(seed, -1));
  return new Set(Array.from({ length: 3 }, () => random.pick(RARE_ON_MACHINES)));
}
