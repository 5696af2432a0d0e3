import { signal } from "@preact/signals";
import { RefusedError } from "../../client/browser.ts";

/** Something said at the edge of the page for a while. */
export interface PageMessage {
  readonly id: number;
  readonly tone: "info" | "good" | "bad";
  readonly text: string;
  readonly more: string | undefined;
  readonly action: MessageAction | undefined;
}

export interface MessageAction {
  readonly label: string;
  readonly run: () => void;
}

export const messages = signal<readonly PageMessage[]>([]);

const SHOWN_MS = { info: 5_000, good: 5_000, bad: 12_000 } as const;
/** Long enough to read it, think, and find the button. */
const ACTION_SHOWN_MS = 20_000;
const RETRY_MS = 1_000;
let next = 0;

/** Says something; what went badly, or offers something to do, stays longer. */
export function showMessage(
  tone: PageMessage["tone"],
  text: string,
  more?: string,
  action?: MessageAction,
): void {
  const id = next++;
  messages.value = [...messages.value.slice(-4), { id, tone, text, more, action }];
  const end = () => (isPointedAt() ? setTimeout(end, RETRY_MS) : dismissMessage(id));
  setTimeout(end, action === undefined ? SHOWN_MS[tone] : ACTION_SHOWN_MS);
}

export function dismissMessage(id: number): void {
  messages.value = messages.value.filter((each) => each.id !== id);
}

/** Nothing goes while somebody points at what is said, or has the focus in it. */
function isPointedAt(): boolean {
  return document.querySelector(".messages:is(:hover, :focus-within)") !== null;
}

/** Says why something could not be done, as the daemon told it. */
export function showError(what: string, error: unknown): void {
  if (error instanceof RefusedError) showMessage("bad", `${what}: ${error.message}`, error.suggestion);
  else showMessage("bad", `${what}: ${error instanceof Error ? error.message : String(error)}`);
}

/** Does something that a person asked for; a failure is said, and answered as undefined. */
export async function attempt<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    showError(what, error);
    return undefined;
  }
}
