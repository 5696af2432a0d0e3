import type { Level } from "../../../src/workspace/access/rights.ts";
import type { Daemon } from "../daemon.ts";
import type { Attacker, Verdict } from "./attacker.ts";

/** How large an attack is, and where its documents are. */
export interface Ground {
  /** Makes a number of the attack's full size; at least 1. */
  scaled(full: number): number;
  /** The path of one of its documents: they lie in a folder of its own. */
  at(name: string): string;
}

/** Where an attack takes place. */
export interface Scene extends Ground {
  readonly daemon: Daemon;
  /** A token that allows this level on everything. */
  token(level: Level): Promise<string>;
  /** A connection with such a token. */
  attacker(level: Level): Promise<Attacker>;
}

/** One way of keeping everybody waiting. */
export interface Attack {
  readonly name: string;
  /** The weakest level that may send it: frames over 4 MiB are for tokens that may write. */
  readonly level: Level;
  /** Its documents: texts by their names. */
  readonly files?: (ground: Ground) => Record<string, string>;
  /** What has to be there before the others are watched; answers the deed itself. */
  readonly prepare: (scene: Scene) => Promise<() => Promise<Verdict>>;
}

/** An attack that is one request. */
export function request(
  name: string,
  level: Level,
  method: string,
  params: (ground: Ground) => object,
  files?: Attack["files"],
): Attack {
  return {
    name,
    level,
    ...(files !== undefined && { files }),
    async prepare(scene) {
      const one = await scene.attacker(level);
      const json = JSON.stringify(params(scene));
      return () => one.verdict(method, json);
    },
  };
}

export const MB = 1_000_000;
