import type { Actor } from "../access/actor.ts";
import type { ConflictPolicy, Level } from "../access/rights.ts";
import type { Document } from "../document/document.ts";
import { type Outcome, Refusal } from "../outcome/refusal.ts";
import { digest } from "../versions/digest.ts";
import type { Version } from "../versions/version.ts";
import type { MessageRole, ThreadMessage } from "./thread.ts";

/** The context window of a model, in tokens. */
export interface TokenBudget {
  readonly maxTokens: number;
  /** The part reserved for the reply. */
  readonly reserveTokens: number;
}

/** The input for a model: the system prompt, the newest messages that fit, and the documents that fit. */
export interface ContextWindow {
  readonly messages: readonly {
    readonly role: "system" | MessageRole;
    readonly content: string;
    readonly author?: string;
    readonly messageId?: string;
  }[];
  /** The number of older messages that did not fit. */
  readonly dropped: number;
}

/** A document of a thread, for the author of the answer. */
export interface ContextDocument {
  readonly path: string;
  readonly docId: string;
  readonly version: Version;
  readonly sha256: string;
  readonly deleted: boolean;
  readonly bytes: number;
  /** The text; null for a deleted document, and for a document that does not fit. */
  readonly text: string | null;
  readonly permission: Level;
  readonly conflict: ConflictPolicy;
}

/** The bytes of a token; for most models and scripts this overestimates the number of tokens. */
const TOKEN_BYTES = 3;
/** The part of the window, beside the newest message, that the texts of documents may fill. */
const DOCUMENTS_SHARE = 0.5;

/** Returns the estimated number of a text's tokens; the estimate is high rather than low. */
function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / TOKEN_BYTES);
}

/** Measures a model's window: the system prompt and the newest message fit whole, or the request is refused. */
export class ContextRoom {
  #left: number;

  private constructor(left: number) {
    this.#left = left;
  }

  static of(system: string, newest: string, budget: TokenBudget): Outcome<ContextRoom> {
    const left = budget.maxTokens - budget.reserveTokens - tokensOf(system) - tokensOf(newest);
    if (left >= 0) return new ContextRoom(left);
    return new Refusal(
      "TOO_LARGE",
      `the newest message, the system prompt and the reply need ${budget.maxTokens - left} tokens; the limit is ${budget.maxTokens}`,
      {
        suggestion: "Ask with a larger budget, or write a shorter message.",
        details: { message: tokensOf(newest), system: tokensOf(system), ...budget },
      },
    );
  }

  /** Returns the documents with their texts as far as they fit; the session has seen the texts that it gets. */
  async documents(documents: readonly Document[], { rights, seen }: Actor): Promise<ContextDocument[]> {
    let share = Math.floor(this.#left * DOCUMENTS_SHARE);
    const shown: ContextDocument[] = [];
    for (const document of documents) {
      const { path, id: docId, version, content, deleted } = document;
      const { bytes } = content.text;
      const tokens = Math.ceil(bytes / TOKEN_BYTES);
      const text = deleted || tokens > share ? null : content.text.toString();
      if (text !== null) {
        share -= tokens;
        this.#left -= tokens;
        seen?.sawText(docId, version);
      }
      const sha256 = await digest(content);
      const { level: permission } = rights.permissionAt(path);
      const conflict = rights.conflict(path);
      shown.push({ path, docId, version, sha256, deleted, bytes, text, permission, conflict });
    }
    return shown;
  }

  /** Returns the messages for the model. `newestFirst` begins with the newest message, which has its room already. */
  window(system: string, newestFirst: Iterable<ThreadMessage>, count: number): ContextWindow {
    const messages: ContextWindow["messages"][number][] = [];
    for (const { id: messageId, role, text: content, author } of newestFirst) {
      const tokens = messages.length === 0 ? 0 : tokensOf(content);
      if (tokens > this.#left) break;
      this.#left -= tokens;
      messages.push({ role, content, author, messageId });
    }
    const dropped = count - messages.length;
    if (system !== "") messages.push({ role: "system", content: system });
    return { messages: messages.reverse(), dropped };
  }
}

/** Returns the facts about edits for the author of an answer, one sentence each. */
export function answerRules(
  thread: string,
  messageId: string,
  documents: readonly ContextDocument[],
): readonly string[] {
  return [
    `Name thread ${JSON.stringify(thread)} and messageId ${JSON.stringify(messageId)} in each edit, batch and proposal that answers this message.`,
    "Name the version of the text that you edit. Others may change the documents meanwhile; the daemon merges.",
    ...documents.map(({ path, deleted, permission }) =>
      deleted ? `${path} is deleted; doc.restore brings it back.` : `${path}: ${MAY[permission]}`,
    ),
    "End the answer with thread.append, role assistant and your leaseId.",
  ];
}

/** The sentence about the rights of each level on a document. */
const MAY: Readonly<Record<Level, string>> = {
  none: "you cannot see it.",
  read: "you may only read it. Describe the change in your answer.",
  propose: "your edits become proposals, which a person approves.",
  append: "you may add text at its end; other edits become proposals.",
  write: "your edits are made at once.",
  admin: "your edits are made at once.",
};
