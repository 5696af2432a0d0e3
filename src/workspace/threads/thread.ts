import type { Role } from "../access/rights.ts";
import type { Version } from "../versions/version.ts";

export type MessageRole = "user" | "assistant";

/** The reason why an answer is incomplete: a person stopped it, it failed, or its author or the daemon ended. */
export type Incomplete = "stopped" | "failed" | "lost";

/** One step of an agent's plan. */
export interface PlanStep {
  readonly text: string;
  readonly status: "pending" | "in_progress" | "completed";
}

/** One call of a tool, as a sentence about it. */
export interface ToolCall {
  readonly id: string;
  readonly title: string;
  readonly status: "pending" | "in_progress" | "completed" | "failed";
  /** The paths of the documents that the call is about. */
  readonly paths?: readonly string[] | undefined;
}

/** The author of a message or of an answer under way. */
export interface ThreadAuthor {
  readonly author: string;
  /** The identity behind the name; its token is the part before the first slash. */
  readonly agent: string;
  readonly kind: Role;
}

/** One message of a thread, as it is stored. Messages of earlier versions have an author's name only. */
export interface ThreadMessage extends Pick<ThreadAuthor, "author">, Partial<Omit<ThreadAuthor, "author">> {
  readonly id: string;
  /** The name of the message's machine; absent for this machine. */
  readonly machine?: string;
  readonly role: MessageRole;
  readonly text: string;
  /** ISO 8601. */
  readonly time: string;
  /** The message that this one answers. */
  readonly answers?: string;
  readonly incomplete?: Incomplete;
  readonly plan?: readonly PlanStep[];
  readonly tools?: readonly ToolCall[];
  /** The ids of the changes and the proposals that were made to answer this message. */
  readonly changes?: readonly string[];
  readonly proposals?: readonly string[];
}

/** A range of a document's text, in code points of the text at a version. */
export interface StoredAnchor {
  readonly docId: string;
  /** The version; for another machine's anchor without a place in the text here, the id of a change. */
  readonly base: Version;
  readonly from: number;
  readonly to: number;
  /** The text of the range at that version. */
  readonly quote: string;
}

/** The state of a thread: open, marked as done, removed by a client, or removed because of its age. */
export type ThreadStatus = "open" | "resolved" | "cleared" | "expired";

/** A stored thread without its messages; each message has its own record under its number. */
export interface ThreadHead {
  readonly id: string;
  /** The name of the token that started the thread, and of the machine; absent for this machine. */
  readonly user: string;
  readonly machine?: string;
  /** True for a thread of an earlier version, which only its token sees. */
  readonly isPrivate?: true;
  readonly docIds: readonly string[];
  /** The proposal that the thread is about, and the paths of files that it would make. */
  readonly proposal?: string;
  readonly places?: readonly string[];
  /** The name of the bundle; without documents it is one of the token's own. */
  readonly bundle?: string;
  readonly status: "open" | "resolved";
  /** The beginning of the first message, and of the last. */
  readonly title: string;
  readonly last: Omit<ThreadMessage, "plan" | "tools">;
  /** The anchors, by the ids of their messages. */
  readonly anchors: Readonly<Record<string, StoredAnchor>>;
  /** The number of the oldest stored message. */
  readonly first: number;
  /** The number of the next message. */
  readonly next: number;
  /** The bytes of the messages of each token. */
  readonly shares: Readonly<Record<string, number>>;
  /** The times of the first and of the last message, in milliseconds since the epoch. */
  readonly created: number;
  readonly active: number;
}

/** A part of an answer under way. A text continues the one before it, unless it begins it again. */
export type AnswerPart =
  | { readonly kind: "text" | "thought"; readonly text: string; readonly again?: boolean | undefined }
  | { readonly kind: "plan"; readonly steps: readonly PlanStep[] }
  | ({ readonly kind: "tool" } & ToolCall);

/** An answer under way, as far as it has come. */
export interface Draft {
  readonly text: string;
  readonly thought: string;
  readonly plan: readonly PlanStep[];
  readonly tools: readonly ToolCall[];
  /** The number of parts that it consists of. */
  readonly index: number;
}

/** The right to answer a thread, as other clients see it. */
export interface LeaseView extends ThreadAuthor {
  /** The name of the machine where the answer is given; absent for this machine. */
  readonly machine?: string;
  /** The message that is being answered. */
  readonly messageId: string;
  /** ISO 8601. */
  readonly until: string;
  /** True once a client asked the holder to stop. */
  readonly stopping: boolean;
}

/** A thread without its messages, as clients see it. */
export interface ThreadSummary {
  readonly id: string;
  readonly status: ThreadStatus;
  readonly title: string;
  /** The present paths of its documents. */
  readonly paths: readonly string[];
  readonly docIds: readonly string[];
  /** True while a document of the thread is deleted. */
  readonly deleted: boolean;
  readonly bundle?: string;
  /** The proposal that the thread is about. */
  readonly proposal?: string;
  /** True for a thread that only the token that started it sees. */
  readonly private: boolean;
  /** True if the last message is a user's and no client is answering it. */
  readonly waiting: boolean;
  readonly messages: number;
  readonly last: ThreadHead["last"];
  readonly lease: LeaseView | null;
  /** ISO 8601. */
  readonly created: string;
  readonly active: string;
  readonly expires: string;
}

/** An event of a thread. */
export type ThreadEvent =
  | { readonly type: "message"; readonly thread: ThreadSummary; readonly message: ThreadMessage }
  | { readonly type: "changed"; readonly thread: ThreadSummary }
  | {
      readonly type: "part";
      readonly threadId: string;
      readonly messageId: string;
      /** The number of parts up to and with these. */
      readonly index: number;
      readonly parts: readonly AnswerPart[];
    }
  | {
      /** A client asked the holder of a lease to stop; `connection` is the holder's. */
      readonly type: "stop";
      readonly threadId: string;
      readonly leaseId: string;
      readonly by: string;
      readonly connection: string | undefined;
    };

/** Returns true for a connection that may see the thread of an event. */
export type Audience = (reader: Reader) => boolean;

/** The facts about a connection that decide whether it may see a thread. */
export interface Reader {
  readonly agent: string;
  readonly rights: { allows(path: string, level: "read"): boolean };
}

/** The code points of a title, and of the last message in a summary. */
const EXCERPT = 200;

/** Returns the beginning of a text, on one line and without the marks of Markdown. */
export function excerpt(text: string): string {
  const line = MARKS.reduce((read, [mark, words]) => read.replace(mark, words), text.slice(0, 4 * EXCERPT))
    .replace(/\s+/g, " ")
    .trim();
  const chars = [...line];
  return chars.length <= EXCERPT ? line : `${chars.slice(0, EXCERPT - 1).join("")}…`;
}

/** The marks of Markdown, with what a reader sees in their place. */
const MARKS: readonly (readonly [mark: RegExp, words: string])[] = [
  [/^[ \t]*(?:#{1,6}|>|[-*+]|\d{1,9}[.)])[ \t]+/gm, ""],
  [/^[ \t]*(?:```|~~~).*$/gm, ""],
  [/!?\[([^\]\n]*)\]\([^)\n]*\)/g, "$1"],
  [/(\*\*|__|~~)(?=\S)([^\n]*?\S)\1/g, "$2"],
  [/(?<![\w*])([*_])(?=[^\s*_])([^\n*_]*[^\s*_])\1(?![\w*])/g, "$2"],
  [/`([^`\n]+)`/g, "$1"],
];
