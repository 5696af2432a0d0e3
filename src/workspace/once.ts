import { KeyedQueue } from "./keyed-queue.ts";

/**
 * Returns true if an opId's earlier request, with the digest `first`, was another one than the present request. A
 * missing digest says nothing.
 */
export function isOtherRequest(first: number | undefined, asked: number | undefined): boolean {
  return first !== undefined && asked !== undefined && first !== asked;
}

/** Does an agent's request once per `opId`: a repeated request gets the answer of the first. */
export class OncePerOpId {
  readonly #queue = new KeyedQueue<string>();

  /**
   * Does the work, unless `earlier` finds an earlier answer. Requests of one agent with one `opId` wait for each other;
   * without an `opId` there is nothing to look for.
   */
  run<T>(
    agent: string,
    opId: string | undefined,
    earlier: (opId: string) => Promise<T | undefined>,
    work: () => Promise<T>,
  ): Promise<T> {
    if (opId === undefined) return work();
    return this.#queue.run([JSON.stringify([agent, opId])], async () => (await earlier(opId)) ?? work());
  }
}
