import { type Signal, signal } from "@preact/signals";
import { showError } from "../base/messages.ts";

/** A message that the person has not sent yet. */
export interface MessageDraft {
  readonly text: string;
  /** The text of the document that the message is about. */
  readonly anchor?: DraftAnchor | undefined;
  /** The further documents that a new thread is about. */
  readonly others?: readonly string[] | undefined;
}

/** A range of a document's text at a version. */
export interface DraftAnchor {
  readonly from: number;
  readonly to: number;
  readonly version: string;
  readonly quote: string;
}

interface StoredDraft extends MessageDraft {
  readonly time: number;
}

const PREFIX = "spliced.message.";
/** Most stored drafts; the oldest one makes place for a new one (I15). */
const MOST_DRAFTS = 50;
const EMPTY: MessageDraft = { text: "" };

const drafts = new Map<string, Signal<MessageDraft>>();

/** Returns the key of the draft for a new thread about a document. */
export function newThreadKey(path: string): string {
  return `new ${path}`;
}

/** Returns the draft with a key: a thread's id, or the key of a new thread. */
export function messageDraft(key: string): MessageDraft {
  return signalOf(key).value;
}

/** Keeps a draft in this browser, through reloads and restarts of the daemon. */
export function keepDraft(key: string, draft: MessageDraft): void {
  signalOf(key).value = draft;
  try {
    const { text, anchor, others = [] } = draft;
    if (text === "" && anchor === undefined && others.length === 0) localStorage.removeItem(PREFIX + key);
    else {
      makePlace(key);
      localStorage.setItem(
        PREFIX + key,
        JSON.stringify({ ...draft, time: Date.now() } satisfies StoredDraft),
      );
    }
  } catch (error) {
    showError("This browser cannot keep your message. Send it before you leave the page", error);
  }
}

export function dropDraft(key: string): void {
  keepDraft(key, EMPTY);
}

function signalOf(key: string): Signal<MessageDraft> {
  let draft = drafts.get(key);
  if (draft === undefined) {
    draft = signal(stored(PREFIX + key) ?? EMPTY);
    drafts.set(key, draft);
  }
  return draft;
}

function makePlace(key: string): void {
  const keys = Object.keys(localStorage).filter((each) => each.startsWith(PREFIX));
  if (keys.length < MOST_DRAFTS || keys.includes(PREFIX + key)) return;
  const oldest = keys.toSorted((a, b) => (stored(a)?.time ?? 0) - (stored(b)?.time ?? 0));
  localStorage.removeItem(oldest[0]!);
}

function stored(name: string): StoredDraft | undefined {
  try {
    const draft = JSON.parse(localStorage.getItem(name) ?? "null") as StoredDraft | null;
    return typeof draft?.text === "string" ? draft : undefined;
  } catch {
    return undefined; // stored by another version of the page
  }
}
