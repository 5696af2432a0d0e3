/** A client of one machine in a document. */
export interface Present {
  readonly session: string;
  readonly name: string;
  readonly agent: string;
  readonly docId: string;
  /** The selection in code points of that machine's text; absent without one. */
  readonly selection?: { readonly from: number; readonly to: number } | undefined;
}

/** Who is answering a message of a thread on one machine. */
export interface Answering {
  readonly thread: string;
  readonly messageId: string;
  readonly author: string;
  readonly agent: string;
  readonly kind: "agent" | "person";
}

/** What passes on one machine, and is nowhere stored. */
export interface Passing {
  readonly present: readonly Present[];
  readonly answering: readonly Answering[];
}

export const NOTHING_PASSES: Passing = { present: [], answering: [] };

/** What passed on a machine before, and what passes now. */
export interface PassingChange {
  /** The name of the machine. */
  readonly machine: string;
  readonly before: Passing;
  readonly now: Passing;
}

/** Knows what passes on the machines that share a workspace: who is where, and who is answering. */
export class Elsewhere {
  readonly #sources = new Set<() => Partial<Passing>>();
  readonly #elsewhere = new Map<string, Passing>();
  readonly #listeners = new Set<(change: PassingChange) => void>();
  /** Called when something passes here; set by the link to other machines. */
  changed: () => void = () => {};

  /** Adds what passes on this machine. */
  add(source: () => Partial<Passing>): void {
    this.#sources.add(source);
  }

  /** Calls back when something passes on another machine. */
  listen(listener: (change: PassingChange) => void): void {
    this.#listeners.add(listener);
  }

  /** What passes on this machine. */
  get here(): Passing {
    const parts = [...this.#sources].map((source) => source());
    return {
      present: parts.flatMap(({ present = [] }) => present),
      answering: parts.flatMap(({ answering = [] }) => answering),
    };
  }

  /** Notes what passes on another machine; nothing does once it is away. */
  set(machine: string, now: Passing): void {
    const before = this.#elsewhere.get(machine) ?? NOTHING_PASSES;
    this.#elsewhere.set(machine, now);
    for (const listener of this.#listeners) listener({ machine, before, now });
  }

  /** Returns who is answering a thread on another machine. */
  answering(thread: string): (Answering & { readonly machine: string }) | undefined {
    for (const [machine, { answering }] of this.#elsewhere) {
      const found = answering.find((one) => one.thread === thread);
      if (found !== undefined) return { ...found, machine };
    }
    return undefined;
  }
}
