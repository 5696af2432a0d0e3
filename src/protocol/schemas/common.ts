import { z } from "zod";

/** What several methods have in common. */

/**
 * What a token may do, each level including those before it. `propose`: its edits become proposals. `append`:
 * it adds at the end, and proposes the rest.
 */
export const LEVELS = ["none", "read", "propose", "append", "write", "admin"] as const;
export type Level = (typeof LEVELS)[number];

/** One method: what it does, what the token must allow on the paths it names, what goes in and what comes out. */
export interface MethodSchema<P extends z.ZodType, R extends z.ZodType> {
  readonly summary: string;
  readonly level: Level;
  readonly params: P;
  readonly result: R;
}

export function method<P extends z.ZodType, R extends z.ZodType>(
  summary: string,
  level: Level,
  params: P,
  result: R,
): MethodSchema<P, R> {
  return { summary, level, params, result };
}

/** A string that UTF-8 can carry. */
export const text = z.string().refine((s) => s.isWellFormed(), {
  error: "holds a lone surrogate, which is no text",
});
export const path = text.min(1).describe("Root-relative, with / between folders.");
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
  .max(1000)
  .refine((s) => !/[@!+*?]\(/.test(s) && s.split("/").every((part) => part.split("*").length <= 4), {
    error: "at most three * in one part of the path, and no (…) groups, so that it is matched quickly",
  })
  .describe("`*` stays within a folder, `**` does not.");

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

export const conflicts = z.array(z.object({ ours: splice, theirs: splice }));
export const author = z.string().describe("The agent's name; `disk` for what came from the file.");
export const origin = z.enum(["agent", "disk", "undo", "proposal", "remote"]);
