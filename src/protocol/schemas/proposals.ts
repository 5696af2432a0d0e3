import { z } from "zod";
import { MESSAGE_UNITS } from "../../workspace/outcome/message.ts";
import { CONFIDENCES, OPERATIONS, STATUSES } from "../../workspace/proposals/proposal.ts";
import { id as anyId, lineRange, method, path, text, version } from "./common.ts";
import { common, editResult } from "./edits.ts";

const id = anyId.describe("As proposal.create answered it.");

const proposal = z.object({
  id: z.string(),
  path: path.describe("The document's, where it is by now."),
  docId: z.string(),
  field: z.string().nullable(),
  operation: z.enum(OPERATIONS),
  current_value: z
    .string()
    .describe("What would be replaced: the snippet, the whole text (full_replace), or empty."),
  proposed_value: z.string().describe("What takes its place; of a patch, the patch."),
  reasoning: z.string(),
  confidence: z.enum(CONFIDENCES),
  source_query: z.string().nullable(),
  status: z.enum(STATUSES),
  created_at: z.string().describe("ISO 8601, as all times here."),
  reviewed_at: z
    .string()
    .nullable()
    .describe("When it was last reviewed, or seen to be superseded or expired."),
  applied_change: z
    .string()
    .nullable()
    .describe("The changeId of its last approval; a pending one with it was approved in part."),
  approvals: z
    .array(
      z.object({ change: z.string(), user_id: z.string(), reviewer: z.string(), reviewed_at: z.string() }),
    )
    .describe("All of them, oldest first: several where it was approved in parts."),
  agent_id: z.string().describe("The identity of who proposed it."),
  author: z.string().describe("The name of who proposed it."),
  user_id: z.string().nullable().describe("The identity of who last reviewed it."),
  reviewer: z.string().nullable().describe("The name of who last reviewed it."),
  reason: z.string().nullable().describe("Why it was rejected."),
  base: version.describe("What it was made against."),
  version: version.nullable().describe("What the diff is against; null unless it is pending."),
  stale: z.boolean().describe("The document has changed since the base; the diff is against what it is now."),
  diff: z
    .string()
    .describe("What approving it would do to the text as it is now; once reviewed, what was approved last."),
  hunks: z
    .array(z.object({ number: z.int(), diff: z.string() }))
    .describe("The diff's hunks, by the numbers that proposal.approve takes."),
  conflicts: z
    .array(z.object({ lines: lineRange, was: z.string(), now: z.string(), proposed: z.string() }))
    .describe(
      "Where later edits changed the same characters, as whole lines; it cannot be approved as it is.",
    ),
  problem: z
    .string()
    .nullable()
    .describe("Why it cannot be approved at present, as when its document is deleted."),
});

/** Methods about edits that wait for approval. */
export const proposals = {
  "proposal.create": method(
    "Proposes an edit, which changes nothing until it is approved; it follows the document until then.",
    "propose",
    z.strictObject({
      path,
      operation: z
        .enum(OPERATIONS)
        .describe("append adds whole lines at the end; replace takes the first occurrence of old_content."),
      old_content: text.optional().describe("Of replace: the text to replace, exactly."),
      proposed_value: text.optional().describe("The text to append, or what takes the other's place."),
      patch: text.min(1).optional().describe("Of patch: a unified diff of this one document."),
      reasoning: text
        .max(10_000)
        .optional()
        .describe(`Why; its first ${MESSAGE_UNITS} characters become the change's message.`),
      confidence: z.enum(CONFIDENCES).optional().describe("Default: medium."),
      source_query: text.max(10_000).optional().describe("What was asked that led to it."),
      field: text.max(200).optional().describe("The field that it is about, in the proposer's own words."),
      version: common.version,
      sha256: common.sha256,
      opId: common.opId,
    }),
    proposal,
  ),
  "proposal.list": method(
    "Proposals, newest first; of all documents and in any status, unless told.",
    "read",
    z.strictObject({
      path: path.optional(),
      status: z.enum(STATUSES).optional(),
      limit: z.int().min(1).max(1000).optional().describe("Default: 200."),
      before: id.optional().describe("Only proposals older than this one."),
    }),
    z.object({
      proposals: z.array(proposal).describe("As many as fit in 8 MB, and one in any case."),
      more: z.boolean().describe("There may be older ones: ask again with before."),
    }),
  ),
  "proposal.get": method(
    "One proposal, with what it would do to the text as it is now.",
    "read",
    z.strictObject({ id }),
    proposal,
  ),
  "proposal.approve": method(
    "Makes the proposed edit, as its author's. Of some hunks only, the rest stays pending under the same id.",
    "write",
    z.strictObject({
      id,
      hunks: z
        .array(z.int().min(1))
        .min(1)
        .optional()
        .describe("Which, by their numbers as shown; all of them without it."),
      version: version
        .optional()
        .describe("At which it was looked at: CONFLICT (409) when the document is at another one by now."),
      ack: common.ack,
    }),
    proposal.extend({ edit: editResult }),
  ),
  "proposal.reject": method(
    "Closes a proposal without the edit.",
    "write",
    z.strictObject({ id, reason: text.max(10_000).optional() }),
    proposal,
  ),
};

/** What connections are told of a proposal. */
export const proposalChanged = proposal.pick({
  path: true,
  id: true,
  status: true,
  author: true,
  agent_id: true,
  reviewer: true,
  reason: true,
  applied_change: true,
});
