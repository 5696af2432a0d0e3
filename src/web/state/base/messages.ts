import { signal } from "@preact/signals";
import { RefusedError } from "../../../client/browser.ts";

/** A message that the page shows at its edge for a while. */
export interface PageMessage {
  readonly id: number;
  readonly tone: "info" | "good" | "bad";
  readonly text: string;
  readonly more: string | undefined;
  readonly action: MessageAction | undefined;
}

interface MessageAction {
  readonly label: string;
  readonly run: () => void;
}

export const messages = signal<readonly PageMessage[]>([]);

/** Milliseconds that a message stays, by its tone. */
const SHOWN_MS = { info: 5_000, good: 5_000, bad: 12_000 } as const;
/** Milliseconds that a message with a button stays. */
const ACTION_SHOWN_MS = 20_000;
/** Milliseconds until a message under the pointer is checked again. */
const RETRY_MS = 1_000;
let next = 0;

/** Shows a message. Errors and messages with a button stay longer. */
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

/** Returns whether the pointer or the focus is in a message; none disappears then. */
function isPointedAt(): boolean {
  return document.querySelector(".message:is(:hover, :focus-within)") !== null;
}

/** Shows that an action failed, with the daemon's reason and suggestion. */
export function showError(what: string, error: unknown): void {
  if (error instanceof RefusedError)
    showMessage("bad", `${what}: ${error.message}`, suggestionForPeople(error.suggestion));
  else showMessage("bad", `${what}: ${error instanceof Error ? error.message : String(error)}`);
}

/** Returns a suggestion of the daemon unless it names a method of the protocol, as only agents can call methods. */
export function suggestionForPeople(suggestion: string | undefined): string | undefined {
  return suggestion !== undefined && METHOD.test(suggestion) ? undefined : suggestion;
}

const METHOD =
  /\b(batch|change|checkpoint|diff|doc|edit|history|mirror|preview|proposal)\.(?!(?:md|txt|json|ya?ml|toml)\b)[a-z]+\b/i;

/** Runs an action of the person. A failure is shown, and the result is undefined. */
export async function attempt<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    showError(what, error);
    return undefined;
  }
}
