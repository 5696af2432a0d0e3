import type { Result } from "../../../protocol/schemas/schemas.ts";
import { plural } from "../base/plural.ts";

export type SharedMachines = Result<"machine.list">;
export type Lane = Result<"lane.list">["lanes"][number];

/** The page reports no shorter absence of the server, as when a laptop wakes up or a daemon begins. */
const BRIEF_MS = 10_000;
/** The waiting time from which a change does not merely wait for its turn. */
const LONG_MS = 60_000;

/** The trouble that delays changes to the other machines, or from them. */
export type LinkTrouble = "away" | "slow";

/** Returns the trouble of a link at a time, in milliseconds since the epoch; undefined without any. */
export function linkTrouble(machines: SharedMachines, at: number): LinkTrouble | undefined {
  const { status, connected, since, waitingSince } = machines;
  if (status === "alone" || status === "broken") return undefined;
  const passed = (time: string | null) => (time === null ? 0 : at - Date.parse(time));
  if (!connected) return passed(since) >= BRIEF_MS ? "away" : undefined;
  return passed(waitingSince) >= LONG_MS ? "slow" : undefined;
}

/** Returns the files of a lane that wait for a person, and not only for their proposal. */
function heldFiles({ waiting }: Lane): Lane["waiting"] {
  return waiting.filter(({ status }) => status !== "proposed");
}

/** Returns the trouble of a lane that needs a person; undefined without any. */
export function laneTrouble(lane: Lane): string | undefined {
  if (lane.problem !== null) return lane.problem;
  const held = heldFiles(lane).length;
  if (held === 0) return undefined;
  return `${plural(held, "file")} ${held === 1 ? "has" : "have"} text that the workspace does not have`;
}
