import type { Options } from "./simulate.ts";

/** A run, or the part of one, that once broke a promise. It says the same while the harness draws alike. */
export interface Pinned extends Pick<Options, "turns" | "interrupted" | "coarse" | "links" | "power"> {
  readonly seed: number;
  /** What it found. */
  readonly found: string;
}

export const PINNED: readonly Pinned[] = [];
