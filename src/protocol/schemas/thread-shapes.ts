import { z } from "zod";
import { time } from "./change.ts";
import { author, machine, path, position, text, version } from "./common.ts";

/** The shapes of threads, their messages and their answers, which methods and notifications share. */

export const role = z.enum(["user", "assistant"]);

export const planSteps = z
  .array(
    z.strictObject({
      text: text.max(1000),
      status: z.enum(["pending", "in_progress", "completed"]),
    }),
  )
  .max(200);
const toolCall = {
  id: text.min(1).max(200).describe("Id of the call; a later part with it replaces the call."),
  title: text.max(1000).describe("What the tool does, in a sentence."),
  status: z.enum(["pending", "in_progress", "completed", "failed"]),
  paths: z.array(path).max(100).optional(),
};
export const toolCalls = z.array(z.object(toolCall));
export const speaker = {
  author,
  agent: z.string().describe("Identity of the author; its token is the part before the first slash."),
  kind: z.enum(["agent", "person"]),
};

const message = z.object({
  id: z.string(),
  machine,
  role,
  text: z.string(),
  author,
  agent: speaker.agent.optional(),
  kind: speaker.kind.optional(),
  time,
  answers: z.string().optional().describe("Message that this one answers."),
  incomplete: z
    .enum(["stopped", "failed", "lost"])
    .optional()
    .describe("Why the answer is incomplete; `lost` when its author's lease ended before the answer did."),
  changes: z.array(z.string()).optional().describe("Ids of the changes that answer this message."),
  proposals: z.array(z.string()).optional().describe("Ids of the proposals that answer this message."),
});
export const threadMessage = message.extend({
  plan: planSteps.optional(),
  tools: toolCalls.optional(),
});

export const threadSummary = z.object({
  id: z.string(),
  status: z.enum(["open", "resolved", "cleared", "expired"]),
  title: z.string().describe("Beginning of the first message."),
  paths: z.array(path).describe("Present paths of the documents of the thread."),
  docIds: z.array(z.string()),
  deleted: z.boolean().describe("True while one of the documents is deleted."),
  bundle: z.string().optional(),
  proposal: z.string().optional().describe("Proposal that the thread is about."),
  private: z.boolean().describe("True if only the token that started the thread sees it."),
  waiting: z.boolean().describe("True if the last message is a user's and no client is answering it."),
  messages: z.int(),
  last: message.describe("Last message, with the beginning of its text."),
  lease: z
    .object({
      ...speaker,
      machine,
      messageId: z.string().describe("Message that is being answered."),
      until: time,
      stopping: z.boolean().describe("True once a client asked to stop the answer."),
    })
    .nullable()
    .describe("The client that is answering the thread."),
  created: time,
  active: time.describe("Time of the last message, ISO 8601."),
  expires: time,
});

export const anchors = z
  .array(
    z.object({
      messageId: z.string(),
      path,
      version: version.describe("Version of the text that the positions are in."),
      from: position,
      to: position,
      quote: z.string().describe("Text of the anchor when its message was sent."),
      deleted: z.boolean().describe("True when that text is deleted; the positions are its former place."),
    }),
  )
  .describe("Anchors of messages, in the newest texts of their documents.");

export const part = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.enum(["text", "thought"]),
    text,
    again: z.boolean().optional().describe("True if the text begins again and replaces the earlier parts."),
  }),
  z.strictObject({ kind: z.literal("plan"), steps: planSteps }),
  z.strictObject({ kind: z.literal("tool"), ...toolCall }),
]);
export const index = z.int().describe("Number of the answer's parts so far.");

export const leaseState = {
  until: time.describe("Time at which the lease ends without renewal, ISO 8601."),
  stopping: z.boolean().describe("True once a client asked you to stop."),
};
