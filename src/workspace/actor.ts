/** Who asks: a name for people, and an identity that stays the same across sessions and restarts. */
export interface Actor {
  readonly name: string;
  readonly agent: string;
}

/** The author of what came from the file. */
export const DISK: Actor = { name: "disk", agent: "disk" };

/** The author of what was written into a file after it was replaced, by somebody who has not seen by what. */
export const LATE: Actor = { name: "disk", agent: "disk/late" };

/** The author of changes that give back what a stale save took out (I6). */
export const RESCUER: Actor = { name: "spliced", agent: "spliced" };
