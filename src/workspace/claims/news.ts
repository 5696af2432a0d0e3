import { MOST_NEWS, MOST_NEWS_AGENTS } from "../../work/bounds.ts";

/** Owns the news for agents about their own saves. Each agent gets its news once. */
export class News {
  /** The sentences by the agents' identities; the agent whose newest sentence is oldest comes first. */
  readonly #byAgent = new Map<string, string[]>();

  /** Stores a sentence for an agent. */
  add(agent: string, sentence: string): void {
    const sentences = this.#byAgent.get(agent) ?? [];
    this.#byAgent.delete(agent);
    this.#byAgent.set(agent, [...sentences, sentence].slice(-MOST_NEWS));
    if (this.#byAgent.size > MOST_NEWS_AGENTS) this.#byAgent.delete(this.#byAgent.keys().next().value!);
  }

  /** Removes an agent's sentences and returns them, oldest first. */
  take(agent: string): readonly string[] {
    const sentences = this.#byAgent.get(agent) ?? [];
    this.#byAgent.delete(agent);
    return sentences;
  }
}
