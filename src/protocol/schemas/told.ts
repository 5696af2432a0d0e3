import { z } from "zod";
import { author, origin, path, version } from "./common.ts";

export const time = z.string().describe("ISO 8601.");

/** A change as it is told of when it is made. */
export const change = z.object({
  changeId: z.string(),
  path,
  docId: z.string(),
  version,
  author,
  agent: z.string(),
  origin,
  time,
  message: z.string().optional(),
  added: z.int().describe("Code points put in."),
  removed: z.int().describe("Code points taken out."),
  undoes: z.string().optional().describe("The change that this one takes back."),
  batchId: z.string().optional().describe("The batch that it is part of; undo takes that back as one."),
  lacked: z
    .object({ base: version, authors: z.array(z.string()) })
    .optional()
    .describe(
      "Of a save that took out what these wrote since `base`, or of the change that gave back what such a save lacked.",
    ),
});

/** A change as the history tells it. */
export const told = change.extend({
  previous: version.nullable().describe("The version before; null for how the document began."),
  undone: z.boolean(),
});
