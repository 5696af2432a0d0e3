import { z } from "zod";
import { author, method, name, path, text } from "./common.ts";
import { time } from "./told.ts";

const about = {
  path: path.optional().describe("The document that it is about."),
  bundle: name.optional().describe("Or a name for several."),
};
const one = <T extends { path?: string | undefined; bundle?: string | undefined }>({ path, bundle }: T) =>
  (path === undefined) !== (bundle === undefined);
const either = { error: "give either path or bundle" };

const role = z.enum(["user", "assistant"]);
export const threadMessage = z.object({ id: z.string(), role, text: z.string(), author, time });

/** Methods about conversations; the daemon keeps them and calls no model. */
export const threads = {
  "thread.append": method(
    "Adds a message to your thread about a document or a bundle; an answer ends the request under way.",
    "read",
    z.strictObject({ ...about, role, text: text.min(1).describe("At most 1 MB.") }).refine(one, either),
    threadMessage,
  ),
  "thread.get": method(
    "The messages of your thread, oldest first: the newest 1,000, and of those 16 MB. It is kept for 30 days after the last.",
    "read",
    z.strictObject(about).refine(one, either),
    z.object({ messages: z.array(threadMessage) }),
  ),
  "thread.clear": method(
    "Forgets your thread.",
    "read",
    z.strictObject(about).refine(one, either),
    z.object({}),
  ),
  "thread.context": method(
    "Adds your newest message and answers what a model is to be given: the whole system prompt, and the newest messages that fit.",
    "read",
    z
      .strictObject({
        ...about,
        system: text.describe("Never cut."),
        message: text.min(1).describe("At most 1 MB."),
        maxTokens: z.int().min(1).describe("What the model takes; three bytes are counted as a token."),
        reserveTokens: z.int().min(0).describe("Of those, kept for the reply."),
      })
      .refine(one, either),
    z.object({
      messages: z.array(z.object({ role: z.enum(["system", "user", "assistant"]), content: z.string() })),
      dropped: z.int().describe("Older messages that did not fit."),
    }),
  ),
};
