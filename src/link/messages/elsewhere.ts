import type { Actor } from "../../workspace/access/actor.ts";
import { FULL_RIGHTS } from "../../workspace/access/rights.ts";
import type { Facts } from "./message.ts";

/** Returns the author of another machine's change; their machine has checked the author's rights. */
export function actorOf({ author: name, agent, session, answers, certainty, candidates }: Facts): Actor {
  return {
    name,
    agent,
    rights: FULL_RIGHTS,
    ...(session !== undefined && { session }),
    ...(answers !== undefined && { answers }),
    ...(certainty !== undefined && { credit: { certainty, ...(candidates && { candidates }) } }),
  };
}

/** Returns an object without its undefined values. */
export function defined<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
