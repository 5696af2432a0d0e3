/** Who asks: a name for people, and an identity that stays the same across sessions and restarts. */
export interface Actor {
  readonly name: string;
  readonly agent: string;
}

/** The author of what came from the file. */
export const DISK: Actor = { name: "disk", agent: "disk" };
