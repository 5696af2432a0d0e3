import { z } from "zod";
import { globProblem, MAX_GLOB } from "../../paths/glob.ts";
import type { Level } from "../../workspace/access/rights.ts";

/** What several methods have in common. */

/** One method: what it does, what the token must allow on the paths it names, what goes in and what comes out. */
export interface MethodSchema<P extends z.ZodType, R extends z.ZodType> {
  readonly summary: string;
  readonly level: Level;
  /** The documents that it takes the level on: those it names or tells of, or all there can be. */
  readonly on: "named" | "all";
  readonly params: P;
  readonly result: R;
}

export function method<P extends z.ZodType, R extends z.ZodType>(
  summary: string,
  level: Level,
  params: P,
  result: R,
  on: "named" | "all" = "named",
): MethodSchema<P, R> {
  return { summary, level, on, params, result };
}

/** A string that UTF-8 can carry. */
export const text = z.string().refine((s) => s.isWellFormed(), {
  error: "holds a lone surrogate, which is no text",
});
/** A path may have this many bytes, so no longer one is looked at. */
const MOST_PATH = 1024;
export const path = text.min(1).max(MOST_PATH).describe("Root-relative, with / between folders.");
/** Whatever the daemon named: a document, change, batch, preview or proposal. The store has no longer key. */
export const id = text.min(1).max(100);
export const version = z.string().min(1).max(64).describe("Names the text after one change; opaque.");
export const sha256 = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, { error: "must be 64 hex digits" })
  .describe("SHA-256 of the file's exact bytes, hex.");
export const position = z
  .int()
  .min(0)
  .describe("A position in the unit that hello agreed on; code points by default.");
export const line = z.int().min(1).describe("A line number, 1-based.");
export const name = text.min(1).max(100);
export const glob = text
  .min(1)
  .max(MAX_GLOB)
  .superRefine((s, context) => {
    const problem = globProblem(s);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  })
  .describe(
    "`*` and `?` stay within a folder, `**` does not; `[abc]`, `[!a-z]` and `{a,b}` list what may stand there, and `\\` ahead of a character takes it as it is.",
  );

/** What callers note of batches, files and changes. */
export const notes = {
  severity: name.optional(),
  category: name.optional(),
  tags: z.array(name).max(50).optional().describe("Noted, given back, and of no effect."),
};

export const unit = z.enum(["utf-32", "utf-16", "utf-8"]);
export const splice = z.strictObject({ from: position, to: position, insert: text });
export const range = z.tuple([z.int().min(0), z.int().min(0)]);
export const lineRange = z.tuple([line, line]);

export const view = z
  .enum(["text", "markdown"])
  .optional()
  .describe("`markdown` is the Markdown view of a .toml document. Default: text.");

export const conflicts = z.array(z.object({ ours: splice, theirs: splice }));
export const author = z.string().describe("The agent's name; `disk` for what came from the file.");
export const origin = z.enum(["agent", "disk", "undo", "proposal", "remote"]);
