import { MOST_NEWS, MOST_NEWS_AGENTS } from "../../work/bounds.ts";

/** What agents are to hear of their own saves: each agent takes its news once. */
export class News {
  /** By the agents' identities, the one told longest ago first. */
  readonly #byAgent = new Map<string, string[]>();

  /** Keeps a sentence for an agent. */
  add(agent: string, sentence: string): void {
    const sentences = this.#byAgent.get(agent) ?? [];
    this.#byAgent.delete(agent);
    this.#byAgent.set(agent, [...sentences, sentence].slice(-MOST_NEWS));
    if (this.#byAgent.size > MOST_NEWS_AGENTS) this.#byAgent.delete(this.#byAgent.keys().next().value!);
  }

  /** Returns what an agent has not heard yet, oldest first. */
  take(agent: string): readonly string[] {
    const sentences = this.#byAgent.get(agent) ?? [];
    this.#byAgent.delete(agent);
    return sentences;
  }
}
