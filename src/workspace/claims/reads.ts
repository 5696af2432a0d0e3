import type { Clock } from "../../mirror/clock.ts";
import type { DocPath } from "../../mirror/path.ts";
import { MOST_READS } from "../../work/bounds.ts";
import { type Actor, tokenNameOf } from "../access/actor.ts";

/** An agent's reading of a file with its own tools. */
export interface NotedRead {
  readonly path: DocPath;
  /** The hash of the bytes that it read, in hex; undefined if only the time is known. */
  readonly sha256: string | undefined;
  /** The time of the reading, in milliseconds since the epoch. */
  readonly at: number;
  readonly session: string | undefined;
}

/** Remembers each agent's last reading of each file, so that a save made from it has its exact base. */
export class Reads {
  readonly #clock: Clock;
  /** The reads of each token, oldest first; the keys name agent, session and path. */
  readonly #byToken = new Map<string, Map<string, NotedRead>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes that an agent has read, or has itself saved, a whole file now, or `at` a time. */
  note({ agent, session }: Actor, path: DocPath, sha256: string | undefined, at = this.#clock.now()): void {
    const token = tokenNameOf(agent);
    const reads = this.#byToken.get(token) ?? new Map<string, NotedRead>();
    this.#byToken.set(token, reads);
    const key = JSON.stringify([agent, session, path]);
    reads.delete(key);
    reads.set(key, { path, sha256: sha256?.toLowerCase(), at, session });
    if (reads.size > MOST_READS) reads.delete(reads.keys().next().value!);
  }

  /** Returns an agent's last reading of a file, in its session if it names one; undefined without a reading. */
  last({ agent, session }: Actor, path: DocPath): NotedRead | undefined {
    const reads = this.#byToken.get(tokenNameOf(agent));
    if (reads === undefined) return undefined;
    if (session !== undefined) return reads.get(JSON.stringify([agent, session, path]));
    const own = [...reads].filter(([key, read]) => {
      return read.path === path && (JSON.parse(key) as [string])[0] === agent;
    });
    return own.at(-1)?.[1];
  }
}
