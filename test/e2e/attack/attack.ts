import type { Level } from "../../../src/workspace/rights.ts";
import type { Daemon } from "../daemon.ts";
import type { Folder } from "../folder.ts";
import type { Attacker, Verdict } from "./attacker.ts";

/** Where an attack takes place. */
export interface Scene {
  readonly folder: Folder;
  readonly daemon: Daemon;
  /** Makes a number of the attack's full size; at least 1. */
  scaled(full: number): number;
  /** A token that allows this level on everything. */
  token(level: Level): Promise<string>;
  /** A connection with such a token. */
  attacker(level: Level): Promise<Attacker>;
}

/** One way of keeping everybody waiting. */
export interface Attack {
  readonly name: string;
  /** The weakest level that may send it. */
  readonly level: Level;
  /** What the folder holds besides. */
  readonly files?: (scaled: Scene["scaled"]) => Record<string, string>;
  /** What has to be there before the others are watched; answers the deed itself. */
  readonly prepare: (scene: Scene) => Promise<() => Promise<Verdict>>;
}

/** An attack that is one request. */
export function request(
  name: string,
  level: Level,
  method: string,
  params: (scaled: Scene["scaled"]) => string | object,
  files?: Attack["files"],
): Attack {
  return {
    name,
    level,
    ...(files !== undefined && { files }),
    async prepare({ attacker, scaled }) {
      const one = await attacker(level);
      const json = params(scaled);
      return () => one.verdict(method, json);
    },
  };
}

export const MB = 1_000_000;
