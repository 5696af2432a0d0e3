/** A client of one machine in a document. */
export interface Present {
  readonly session: string;
  readonly name: string;
  readonly agent: string;
  readonly docId: string;
  /** The selection in code points of that machine's text; absent without one. */
  readonly selection?: { readonly from: number; readonly to: number } | undefined;
}

/** An answer under way to a message of a thread, on one machine. */
export interface Answering {
  readonly thread: string;
  readonly messageId: string;
  readonly author: string;
  readonly agent: string;
  readonly kind: "agent" | "person";
}

/** The clients in documents and the answers under way on one machine, which no machine stores. */
export interface Passing {
  readonly present: readonly Present[];
  readonly answering: readonly Answering[];
}

export const NOTHING_PASSES: Passing = { present: [], answering: [] };

/** The clients and answers of a machine before a change and after it. */
export interface PassingChange {
  /** The name of the machine. */
  readonly machine: string;
  readonly before: Passing;
  readonly now: Passing;
}

/** Owns the clients in documents and the answers under way on the machines that share a workspace. */
export class Elsewhere {
  readonly #sources = new Set<() => Partial<Passing>>();
  readonly #elsewhere = new Map<string, Passing>();
  readonly #listeners = new Set<(change: PassingChange) => void>();
  /** Called when a client or an answer of this machine changes; set by the link to other machines. */
  changed: () => void = () => {};

  /** Adds a source of this machine's clients or answers. */
  add(source: () => Partial<Passing>): void {
    this.#sources.add(source);
  }

  /** Calls back when a client or an answer of another machine changes. */
  listen(listener: (change: PassingChange) => void): void {
    this.#listeners.add(listener);
  }

  /** The clients and answers of this machine. */
  get here(): Passing {
    const parts = [...this.#sources].map((source) => source());
    return {
      present: parts.flatMap(({ present = [] }) => present),
      answering: parts.flatMap(({ answering = [] }) => answering),
    };
  }

  /** Notes the clients and answers of another machine; none once it is away. */
  set(machine: string, now: Passing): void {
    const before = this.#elsewhere.get(machine) ?? NOTHING_PASSES;
    this.#elsewhere.set(machine, now);
    for (const listener of this.#listeners) listener({ machine, before, now });
  }

  /** Returns the answer to a thread that is under way on another machine. */
  answering(thread: string): (Answering & { readonly machine: string }) | undefined {
    for (const [machine, { answering }] of this.#elsewhere) {
      const found = answering.find((one) => one.thread === thread);
      if (found !== undefined) return { ...found, machine };
    }
    return undefined;
  }
}
