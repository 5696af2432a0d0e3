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
/** Long enough to read it, think, and find the button. */
const OFFERS_MS = 20_000;
const AGAIN_MS = 1_000;
let next = 0;

/** Says something; what went badly, or offers something to do, stays longer. */
export function say(tone: Said["tone"], text: string, more?: string, action?: SaidAction): void {
  const id = next++;
  said.value = [...said.value.slice(-4), { id, tone, text, more, action }];
  const end = () => (isLookedAt() ? setTimeout(end, AGAIN_MS) : unsay(id));
  setTimeout(end, action === undefined ? STAYS_MS[tone] : OFFERS_MS);
}

export function unsay(id: number): void {
  said.value = said.value.filter((each) => each.id !== id);
}

/** Nothing goes while somebody points at what is said, or has the focus in it. */
function isLookedAt(): boolean {
  return document.querySelector(".messages:is(:hover, :focus-within)") !== null;
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
