import { FULL_RIGHTS, type Rights } from "./rights.ts";

/** The author of a request: a name for people, an identity that outlasts sessions and restarts, and rights. */
export interface Actor {
  readonly name: string;
  readonly agent: string;
  readonly rights: Rights;
}

/** The author of edits that came from the file. */
export const DISK: Actor = { name: "disk", agent: "disk", rights: FULL_RIGHTS };

/** The author of text that a program wrote into a file after the daemon had replaced the file. */
export const LATE_WRITER: Actor = { name: "disk", agent: "disk/late", rights: FULL_RIGHTS };

/** The author of rescues: changes that restore edits that a stale save removed (I6). */
export const RESCUER: Actor = { name: "spliced", agent: "spliced", rights: FULL_RIGHTS };

/** Returns the name of the token that an identity belongs to; it is the part before the first slash. */
export function tokenNameOf(agent: string): string {
  return agent.split("/", 1)[0]!;
}

/** Names that no token may have. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([DISK.name, RESCUER.name]);

/** Returns an actor with the rights of `actor` whose changes bear the author's name and identity. */
export function actingFor(actor: Actor, { name, agent }: Pick<Actor, "name" | "agent">): Actor {
  return { ...actor, name, agent };
}
