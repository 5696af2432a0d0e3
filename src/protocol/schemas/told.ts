import { z } from "zod";
import { author, origin, path, version } from "./common.ts";

export const time = z.string().describe("ISO 8601.");

/** A change as the history tells it. */
export const told = z.object({
  changeId: z.string(),
  path,
  docId: z.string(),
  version,
  previous: version.nullable().describe("The version before; null for how the document began."),
  author,
  agent: z.string(),
  origin,
  time,
  message: z.string().optional(),
  added: z.int().describe("Code points put in."),
  removed: z.int().describe("Code points taken out."),
  undone: z.boolean(),
  undoes: z.string().optional().describe("The change that this one takes back."),
});
