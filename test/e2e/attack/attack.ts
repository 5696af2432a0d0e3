import type { Level } from "../../../src/workspace/access/rights.ts";
import type { Daemon } from "../daemon.ts";
import type { Attacker, Verdict } from "./attacker.ts";

/** The size of an attack, and the folder of its documents. */
export interface Ground {
  /** Scales a number of the attack's full size; at least 1. */
  scaled(full: number): number;
  /** Returns the path of one of its documents, in the attack's own folder. */
  at(name: string): string;
}

/** The target of an attack. */
export interface Scene extends Ground {
  readonly daemon: Daemon;
  /** A token that allows this level on everything. */
  token(level: Level): Promise<string>;
  /** A connection with such a token. */
  attacker(level: Level): Promise<Attacker>;
}

/** One way to make other clients wait. */
export interface Attack {
  readonly name: string;
  /** The weakest level that may send it: frames over 4 MiB are for tokens that may write. */
  readonly level: Level;
  /** Its documents: texts by their names. */
  readonly files?: (ground: Ground) => Record<string, string>;
  /** Prepares the attack before the measurement of other clients; returns the attack itself. */
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
