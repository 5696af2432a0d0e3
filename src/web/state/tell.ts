import { signal } from "@preact/signals";
import { RefusedError } from "../../client/browser.ts";

/** Something said at the edge of the page for a while. */
export interface Said {
  readonly id: number;
  readonly tone: "info" | "good" | "bad";
  readonly text: string;
  readonly more: string | undefined;
  readonly action: SaidAction | undefined;
}

export interface SaidAction {
  readonly label: string;
  readonly run: () => void;
}

export const said = signal<readonly Said[]>([]);

const STAYS_MS = { info: 5_000, good: 5_000, bad: 12_000 } as const;
let next = 0;

/** Says something; what went badly stays longer. */
export function say(tone: Said["tone"], text: string, more?: string, action?: SaidAction): void {
  const id = next++;
  said.value = [...said.value.slice(-4), { id, tone, text, more, action }];
  setTimeout(() => unsay(id), STAYS_MS[tone]);
}

export function unsay(id: number): void {
  said.value = said.value.filter((each) => each.id !== id);
}

/** Says why something could not be done, as the daemon told it. */
export function complain(what: string, error: unknown): void {
  if (error instanceof RefusedError) say("bad", `${what}: ${error.message}`, error.suggestion);
  else say("bad", `${what}: ${error instanceof Error ? error.message : String(error)}`);
}

/** Does something that a person asked for; a failure is said, and answered as undefined. */
export async function attempt<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    complain(what, error);
    return undefined;
  }
}
