import { z } from "zod";
import { REJECTIONS } from "../../workspace/outcome/refusal.ts";
import { previewChanged } from "./batches.ts";
import { author, conflicts, path, sha256, splice, version } from "./common.ts";
import { presenceChanged } from "./presence.ts";
import { proposalChanged } from "./proposals.ts";
import { threadMessage } from "./threads.ts";
import { change } from "./told.ts";

/** What a connection is told without asking. */
export const notifications = {
  "doc.changed": change.extend({
    previous: version.describe("The version before: the text that the splices are in the positions of."),
    sha256: sha256.nullable(),
    splices: z.array(splice),
  }),
  "doc.created": z.object({ path, docId: z.string(), author }),
  "doc.deleted": z.object({
    path,
    docId: z.string(),
    author,
    unsaved: z.int().describe("Edits that the file did not hold yet; doc.restore brings them back, too."),
  }),
  "doc.renamed": z.object({ path, to: path, docId: z.string(), author }),
  "doc.conflict": z.object({
    path,
    version,
    author,
    conflicts: conflicts.describe(
      "Where the save (`ours`) and edits that the file did not hold yet (`theirs`) replaced the same characters of what the file held; both texts stayed.",
    ),
    superseded: z
      .object({ changeId: z.string(), base: version, authors: z.array(z.string()) })
      .optional()
      .describe(
        "The save took out what these wrote since `base`, perhaps without meaning to. It stands; undoing `changeId` brings them back.",
      ),
  }),
  "doc.rescued": z.object({
    path,
    version,
    changeId: z.string().describe("The change that gave the edits back; undo it to let the save stand."),
    base: version.describe("What the save was made from."),
    authors: z.array(z.string()).describe("Whose edits the save lacked."),
    conflicts: conflicts.describe("Where both changed the same characters of the base; both texts stayed."),
  }),
  "mirror.blocked": z.object({
    path,
    problem: z.object({ kind: z.string(), message: z.string() }),
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
    reason: z.string().describe("Of a patch: why a hunk does not fit; of others the code, in small letters."),
    message: z
      .string()
      .describe("What was expected and what is there, as the agent was told. Nothing changed."),
    suggestion: z.string().optional(),
  }),
  "thread.message": z.object({
    docId: z.string().optional(),
    bundle: z.string().optional(),
    message: threadMessage,
  }),
  "presence.changed": presenceChanged,
  resync: z.object({
    paths: z.array(path).describe("Read these again: changes to them were not sent."),
  }),
} as const;
