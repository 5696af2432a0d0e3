import { z } from "zod";
import { REJECTIONS } from "../../workspace/outcome/refusal.ts";
import { previewChanged } from "./batches.ts";
import { change, evidence } from "./change.ts";
import { author, conflicts, path, sha256, splice, version } from "./common.ts";
import { presenceChanged } from "./presence.ts";
import { proposalChanged } from "./proposals.ts";
import { threadNotifications } from "./threads.ts";

const file = {
  path,
  docId: z.string(),
  author,
  changeId: z
    .string()
    .optional()
    .describe("Change of the history that records the event; missing if none does."),
};

/** The notifications of a connection. */
export const notifications = {
  "doc.changed": change.extend({
    previous: version.describe("Version before the change; the splices are in positions of its text."),
    sha256: sha256.nullable(),
    splices: z.array(splice).describe("Changes of the text, in positions of the text before."),
  }),
  "doc.created": z.object(file),
  "doc.deleted": z.object({
    ...file,
    unsaved: z.int().describe("Number of edits that the file did not contain; doc.restore brings them back."),
  }),
  "doc.renamed": z.object({ ...file, to: path }),
  "doc.conflict": z.object({
    path,
    version,
    author,
    conflicts: conflicts.describe(
      "Places where `author` (`ours`) and others (`theirs`) changed the same words, or words beside each other; both texts remain. Positions are in the text that both edited.",
    ),
    superseded: z
      .object({ changeId: z.string(), base: version, authors: z.array(z.string()), evidence })
      .optional()
      .describe(
        "Changes that the save reverted: the ones of `authors` since `base`. Undoing `changeId` brings them back.",
      ),
  }),
  "doc.rescued": z.object({
    path,
    version,
    changeId: z.string().describe("Change that restored the edits; its undo leaves the save as it was."),
    base: version.describe("Version that the save was made from."),
    authors: z.array(z.string()).describe("Authors of the restored edits."),
    evidence,
    conflicts: conflicts.describe(
      "Places of the base where both sides changed the same words, or words beside each other; both texts remain.",
    ),
  }),
  "mirror.blocked": z.object({
    path,
    problem: z
      .object({ kind: z.string(), message: z.string() })
      .describe("Reason why the file cannot be read or written."),
  }),
  "mirror.recovered": z.object({ path }),
  "proposal.changed": proposalChanged,
  "preview.changed": previewChanged,
  "edit.rejected": z.object({
    path,
    author,
    agent: z.string(),
    method: z.string(),
    code: z.enum(REJECTIONS),
    reason: z
      .string()
      .describe("Reason in one word: for a patch of its hunk, else the code in small letters."),
    message: z
      .string()
      .describe("Message of the refusal, as the agent received it. The document did not change."),
    suggestion: z.string().optional(),
  }),
  ...threadNotifications,
  "presence.changed": presenceChanged,
  resync: z.object({
    paths: z.array(path).describe("Documents to read again: the daemon did not send some of their changes."),
    threads: z
      .array(z.string())
      .optional()
      .describe("Threads to get again: the daemon did not send some of their messages or parts."),
  }),
} as const;
