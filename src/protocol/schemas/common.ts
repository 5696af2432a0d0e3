import { z } from "zod";
import { MAX_GLOB, queryGlobProblem } from "../../paths/glob.ts";
import type { Level } from "../../workspace/access/rights.ts";
import { MESSAGE_UNITS } from "../../workspace/outcome/message.ts";

/** Schemas that several methods share. */

/** One method: its summary, the level that it requires, its parameters and its result. */
export interface MethodSchema<P extends z.ZodType, R extends z.ZodType> {
  readonly summary: string;
  readonly level: Level;
  /** The documents on which the method requires its level: the ones that it names, or all documents. */
  readonly on: "named" | "all";
  readonly params: P;
  readonly result: R;
}

/** Describes a method. Its schemas are made when they are first needed, because all of them delay a start. */
export function method<P extends z.ZodType, R extends z.ZodType>(
  summary: string,
  level: Level,
  makeParams: () => P,
  makeResult: () => R,
  on: "named" | "all" = "named",
): MethodSchema<P, R> {
  let params: P | undefined;
  let result: R | undefined;
  return {
    summary,
    level,
    on,
    get params() {
      params ??= makeParams();
      return params;
    },
    get result() {
      result ??= makeResult();
      return result;
    },
  };
}

/** A string that UTF-8 can represent. */
export const text = z.string().refine((s) => s.isWellFormed(), {
  error: "contains a lone surrogate, which is no text",
});
/** Longest path, in UTF-16 units; a document's path has at most as many bytes. */
const MOST_PATH = 1024;
export const path = text
  .min(1)
  .max(MOST_PATH)
  .describe("Path relative to the workspace, with / between folders.");
/** An id from the daemon: of a document, change, batch, preview or proposal. The store has no longer key. */
export const id = text.min(1).max(100);
/** The id of a thread. Threads that an earlier version stored have longer ids. */
export const threadId = text.min(1).max(500);
/** The author's reason for a change. */
export const message = text
  .max(MESSAGE_UNITS)
  .optional()
  .describe(`Reason for the change, at most ${MESSAGE_UNITS} characters, shown in the history.`);
/** The message of a thread that a request answers. */
export const answering = {
  thread: threadId
    .optional()
    .describe("Thread of the message that the request answers; give `messageId`, too."),
  messageId: id.optional().describe("Message of a thread that the request answers."),
};
export const version = z
  .string()
  .min(1)
  .max(64)
  .describe("Opaque name of the document's text after one change.");
/** The version of a document, or "" for a file that is still to be created. */
export const versionOrNone = z.string().max(64);
/** The base of an edit. */
export const baseVersion = z
  .string()
  .min(1)
  .max(64)
  .describe(
    "Base of the edit: the version that you read, or `latest` for the newest one. Default: the version that this session has seen.",
  );
/**
 * The place where a patch landed: the number of its hunks, the most lines that they moved, the most context lines
 * ignored.
 */
export const placement = z.object({ hunks: z.int(), offset: z.int(), fuzz: z.int() });
export const sha256 = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, { error: "must be 64 hex digits" })
  .describe("SHA-256 of the file's exact bytes, in hex.");
export const position = z.int().min(0).describe("Position in the unit of `hello`; code points by default.");
export const line = z.int().min(1).describe("Line number, from 1.");
export const name = text.min(1).max(100);
export const glob = text
  .min(1)
  .max(MAX_GLOB)
  .superRefine((s, context) => {
    const problem = queryGlobProblem(s);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  })
  .describe(
    "Glob. `*` and `?` match within a folder, `**` across folders; `[abc]`, `[!a-z]` and `{a,b}` match alternatives; `\\` escapes a character.",
  );

/** A caller's remarks on a batch, a file or a change; the daemon returns them unused. */
export const notes = {
  severity: name.optional().describe("Remark of the caller, returned unused."),
  category: name.optional().describe("Remark of the caller, returned unused."),
  tags: z.array(name).max(50).optional().describe("Remarks of the caller, returned unused."),
};

export const unit = z.enum(["utf-32", "utf-16", "utf-8"]);
export const splice = z.strictObject({ from: position, to: position, insert: text });
export const range = z.tuple([z.int().min(0), z.int().min(0)]);
export const lineRange = z.tuple([line, line]);

export const view = z
  .enum(["text", "markdown"])
  .optional()
  .describe("`markdown` for the Markdown view of a .toml document. Default: text.");

export const conflicts = z.array(z.object({ ours: splice, theirs: splice }));
export const author = z.string().describe("Name of the author; `disk` for changes of the file.");
export const machine = z
  .string()
  .optional()
  .describe("Name of the machine where it was made; absent for the machine that answers.");
export const origin = z.enum(["agent", "disk", "undo", "proposal", "remote"]);
