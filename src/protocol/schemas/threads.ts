import { z } from "zod";
import { time } from "./change.ts";
import { author, method, name, path, text } from "./common.ts";

const about = {
  path: path.optional().describe("Document of the thread."),
  bundle: name.optional().describe("Name of a group of documents, instead of `path`."),
};
const one = <T extends { path?: string | undefined; bundle?: string | undefined }>({ path, bundle }: T) =>
  (path === undefined) !== (bundle === undefined);
const either = { error: "give either path or bundle" };

const role = z.enum(["user", "assistant"]);
export const threadMessage = z.object({ id: z.string(), role, text: z.string(), author, time });

/** Methods about threads: conversations that the daemon stores. The daemon calls no model. */
export const threads = {
  "thread.append": method(
    "Adds a message to your thread about a document or a bundle. An assistant's message ends the request under way.",
    "read",
    z
      .strictObject({
        ...about,
        role: role.describe("Role of the message's author."),
        text: text.min(1).describe("Text of the message, at most 1 MB."),
      })
      .refine(one, either),
    threadMessage,
  ),
  "thread.get": method(
    "Returns the messages of your thread, oldest first: the newest 1,000, and of these 16 MB. A thread expires 30 days after its last message.",
    "read",
    z.strictObject(about).refine(one, either),
    z.object({ messages: z.array(threadMessage).describe("Messages, oldest first.") }),
  ),
  "thread.clear": method(
    "Deletes your thread.",
    "read",
    z.strictObject(about).refine(one, either),
    z.object({}),
  ),
  "thread.context": method(
    "Adds your newest message and returns the input for a model: the whole system prompt and the newest messages that fit.",
    "read",
    z
      .strictObject({
        ...about,
        system: text.describe("System prompt, never shortened."),
        message: text.min(1).describe("Your newest message, at most 1 MB."),
        maxTokens: z
          .int()
          .min(1)
          .describe("Size of the model's context in tokens; three bytes count as one token."),
        reserveTokens: z.int().min(0).describe("Part of these tokens that stays free for the reply."),
      })
      .refine(one, either),
    z.object({
      messages: z
        .array(z.object({ role: z.enum(["system", "user", "assistant"]), content: z.string() }))
        .describe("Input for the model."),
      dropped: z.int().describe("Number of older messages that did not fit."),
    }),
  ),
};
