import { z } from "zod";
import { author, machine, origin, path, placement, version } from "./common.ts";

/** A diff under the header of the requirements (S2.4). */
export const headedDiff = z
  .string()
  .describe(
    "Lines with the file, its status, its time and its version, a line `---`, and the unified diff. When the texts are equal, nothing follows that line.",
  );
export const time = z.string().describe("Time, ISO 8601.");

/** A message of a thread, by its thread and its id. */
export const answered = z.object({ thread: z.string(), messageId: z.string() });

/** The evidence of a stale save. */
export const evidence = z
  .enum(["editor", "claim", "unread", "text"])
  .optional()
  .describe(
    "What shows that the save was made from `base`: an editor's own files, or the claim of an agent. `unread`: no process had read a newer version. `text`: the texts alone.",
  );

/** A change, as a notification reports it. */
export const change = z.object({
  changeId: z.string(),
  path,
  docId: z.string(),
  version,
  author,
  agent: z.string(),
  machine,
  origin,
  time,
  message: z.string().optional(),
  session: z.string().optional().describe("Session of the agent, as the agent names it."),
  answers: answered.optional().describe("Message of a thread that the change answers."),
  certainty: z
    .enum(["sure", "likely"])
    .optional()
    .describe(
      "For a save that a claim credits to an agent. `sure`: the claim named the file. `likely`: a claim of any file, or of other bytes.",
    ),
  candidates: z
    .array(z.string())
    .optional()
    .describe("Ids of the agents, if claims of several agents match a save."),
  kind: z
    .enum(["edit", "create", "delete", "rename"])
    .describe("An edit, or an event of the document's file, which leaves its text as it is."),
  from: path.optional().describe("Path before a rename."),
  to: path.optional().describe("Path after a rename."),
  added: z.int().describe("Number of inserted code points."),
  removed: z.int().describe("Number of deleted code points."),
  undoes: z.string().optional().describe("Change that this one reverts."),
  batchId: z.string().optional().describe("Batch that contains the change; undo reverts it as one."),
  patch: placement.optional().describe("For a change that a patch made: the placement of its hunks."),
  lacked: z
    .object({
      base: version,
      authors: z.array(z.string()),
      evidence,
    })
    .optional()
    .describe(
      "Edits of `authors` since `base` that the save lacked: reverted by this save, or restored by this change.",
    ),
});

/** A change in the history. */
export const historyChange = change.extend({
  previous: version
    .nullable()
    .describe("Version before the change; null when the change created the document."),
  undone: z.boolean().describe("True while the change is undone."),
  began: time
    .optional()
    .describe(
      "For several edits that were folded into one change: the time of the first; `time` is the last one's.",
    ),
  edits: z.int().optional().describe("For a change that was folded of several edits: their number."),
});
