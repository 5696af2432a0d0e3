import { FULL_RIGHTS, type Rights } from "./rights.ts";

/** Who asks: a name for people, an identity that stays the same across sessions and restarts, and what it may. */
export interface Actor {
  readonly name: string;
  readonly agent: string;
  readonly rights: Rights;
}

/** The author of what came from the file. */
export const DISK: Actor = { name: "disk", agent: "disk", rights: FULL_RIGHTS };

/** The author of what was written into a file after it was replaced, by somebody who has not seen by what. */
export const LATE_WRITER: Actor = { name: "disk", agent: "disk/late", rights: FULL_RIGHTS };

/** The author of changes that give back what a stale save took out (I6). */
export const RESCUER: Actor = { name: "spliced", agent: "spliced", rights: FULL_RIGHTS };

/** The name of the token behind an identity, which begins it; the daemon's own identities are each their own. */
export function tokenNameOf(agent: string): string {
  return agent.split("/", 1)[0]!;
}

/** Names that nobody else goes by. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([DISK.name, RESCUER.name]);
