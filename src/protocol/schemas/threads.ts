import { z } from "zod";
import { MESSAGE_PAGE, MOST_THREAD_DOCUMENTS } from "../../work/bounds.ts";
import { CONFLICT_POLICIES, LEVELS } from "../../workspace/access/rights.ts";
import { author, id, method, name, path, position, sha256, text, threadId, version } from "./common.ts";
import {
  anchors,
  index,
  leaseState,
  part,
  planSteps,
  role,
  speaker,
  threadMessage,
  threadSummary,
  toolCalls,
} from "./thread-shapes.ts";

const thread = threadId.describe("Id of the thread.");
const leaseId = id.describe("Id of your lease.");
const maxTokens = z.int().min(1).max(4_000_000);
const incomplete = z.enum(["stopped", "failed"]);

/** The notifications about threads. */
export const threadNotifications = {
  "thread.message": z.object({
    thread: threadSummary,
    message: threadMessage.describe("New message, or one that a change or proposal was noted on."),
  }),
  "thread.changed": z.object({ thread: threadSummary }),
  "thread.part": z.object({
    thread: z.string(),
    messageId: z.string().describe("Message that is being answered."),
    index,
    parts: z.array(part),
  }),
  "thread.stop": z.object({
    thread: z.string(),
    leaseId: z.string(),
    by: author.describe("Name of the client that asked."),
  }),
};

/** Methods about threads: conversations that the daemon stores. The daemon calls no model. */
export const threads = {
  "thread.list": method(
    "Returns the threads that you may see, the last active first.",
    "read",
    () =>
      z.strictObject({
        path: path.optional().describe("Only threads of this document, with their anchors."),
        bundle: name.optional().describe("Only threads of the bundle of this name."),
        proposal: id.optional().describe("Only the thread about this proposal."),
        status: z
          .enum(["open", "resolved", "waiting"])
          .optional()
          .describe("Only these; `waiting` threads are open, end with a user's message, and have no lease."),
        limit: z.int().min(1).max(1000).optional().describe("Most threads in the answer. Default: 100."),
      }),
    () =>
      z.object({
        threads: z.array(threadSummary.extend({ anchors: anchors.optional() })),
        more: z.boolean().describe("True if there are more threads."),
      }),
  ),
  "thread.append": method(
    "Adds a message to a thread, or starts a thread with it. Each token that may read all documents of a thread sees the thread and may answer it. With `leaseId` the message is the lease's answer, and ends the lease.",
    "read",
    () =>
      z
        .strictObject({
          thread: thread.optional(),
          path: path.optional().describe("Document of a new thread, or of the named one."),
          paths: z
            .array(path)
            .min(1)
            .max(MOST_THREAD_DOCUMENTS)
            .optional()
            .describe("Documents of a new thread about several."),
          bundle: name
            .optional()
            .describe(
              "Name for the documents of a new thread. Without documents, only your token sees the thread.",
            ),
          proposal: id
            .optional()
            .describe("Proposal that the message comments on. All comments on it are one thread."),
          anchor: z
            .strictObject({
              path: path.optional().describe("Document of the text, if the thread has several."),
              from: position,
              to: position,
              version: version.optional().describe("Version that the positions are in. Default: the newest."),
            })
            .optional()
            .describe("Text that the message is about. It moves with its document."),
          role: role.describe("Role of the message's author."),
          text: text
            .min(1)
            .optional()
            .describe(
              "Text of the message, at most 1 MiB. Default, with a lease: the text parts of the answer.",
            ),
          leaseId: leaseId.optional(),
          incomplete: incomplete.optional().describe("Why the answer is incomplete."),
          changeIds: z
            .array(id)
            .max(1000)
            .optional()
            .describe("Changes that were made for the answer and do not name its message."),
        })
        .refine(
          ({ thread, path, paths, bundle, proposal }) =>
            proposal === undefined
              ? isOne(thread, path, paths, bundle)
              : [thread, path, paths, bundle].every((given) => given === undefined),
          {
            error:
              "give one of thread, path, paths, bundle and proposal; a bundle may have path or paths, a thread the path of its document",
          },
        ),
    () => z.object({ thread: z.string(), messageId: z.string() }),
  ),
  "thread.get": method(
    "Returns a thread: its newest messages, oldest first, its anchors, and the answer under way.",
    "read",
    () =>
      z.strictObject({
        thread,
        before: id.optional().describe("Returns the messages before this one."),
        limit: z
          .int()
          .min(1)
          .max(MESSAGE_PAGE.count)
          .optional()
          .describe("Most messages in the answer. Default: 200. An answer has at most 4 MiB of them."),
      }),
    () =>
      z.object({
        thread: threadSummary,
        messages: z.array(threadMessage),
        more: z.boolean().describe("True if the thread has older messages."),
        anchors,
        draft: z
          .object({
            ...speaker,
            messageId: z.string().describe("Message that is being answered."),
            text: z.string(),
            thought: z.string(),
            plan: planSteps,
            tools: toolCalls,
            index,
          })
          .nullable()
          .describe("Answer under way. `thread.part` continues it from its index."),
      }),
  ),
  "thread.context": method(
    "Returns the context for an answer to a thread, and adds nothing: the whole system prompt, the newest messages that fit, and the documents.",
    "read",
    () =>
      z.strictObject({
        thread,
        system: text.optional().describe("System prompt, never shortened."),
        budget: z
          .union([
            maxTokens,
            z.strictObject({
              maxTokens,
              reserveTokens: z.int().min(0).describe("Part of these tokens that stays free for the reply."),
            }),
          ])
          .describe(
            "Size of the model's context in tokens, or this size and the part of it that stays free; three bytes count as one token.",
          ),
      }),
    () =>
      z.object({
        messageId: z.string().nullable().describe("Message to answer: the last one of a user."),
        messages: z
          .array(
            z.object({
              role: z.enum(["system", "user", "assistant"]),
              content: z.string(),
              author: author.optional(),
              messageId: z.string().optional(),
            }),
          )
          .describe("Input for the model."),
        dropped: z.int().describe("Number of older messages that did not fit."),
        documents: z.array(
          z.object({
            path,
            docId: z.string(),
            version,
            sha256,
            deleted: z.boolean(),
            bytes: z.int(),
            text: z.string().nullable().describe("Null for a document that is deleted or does not fit."),
            permission: z.enum(LEVELS),
            conflict: z.enum(CONFLICT_POLICIES),
          }),
        ),
        anchors,
        rules: z.array(z.string()).describe("Sentences for the author of the answer."),
      }),
  ),
  "thread.lease": method(
    "Gives you the right to answer a thread, or renews it. One client at a time has it: for 60 seconds after the last renewal or part, and until its connection ends.",
    "read",
    () => z.strictObject({ thread, leaseId: leaseId.optional().describe("Your lease, to renew it.") }),
    () =>
      z.object({
        leaseId: z.string(),
        messageId: z.string().describe("Message to answer. Name it with `thread` in each edit."),
        ...leaseState,
      }),
  ),
  "thread.part": method(
    "Sends parts of the answer to the followers of the thread, and renews the lease. The daemon stores parts before it shows them, at most every 150 ms.",
    "read",
    () => z.strictObject({ leaseId, parts: z.array(part).min(1).max(1000) }),
    () => z.object({ index, ...leaseState }),
  ),
  "thread.release": method(
    "Gives a lease back without an answer. The parts that you sent become an incomplete answer.",
    "read",
    () => z.strictObject({ leaseId, incomplete: incomplete.optional().describe("Default: stopped.") }),
    () => z.object({}),
  ),
  "thread.stop": method(
    "Asks the client that answers a thread to stop.",
    "read",
    () => z.strictObject({ thread }),
    () => z.object({ asked: z.boolean().describe("False if no client is answering the thread.") }),
  ),
  "thread.resolve": method(
    "Marks a thread as done, or as open again. A new message opens it, too.",
    "read",
    () => z.strictObject({ thread, resolved: z.boolean().optional().describe("Default: true.") }),
    () => z.object({ thread: threadSummary }),
  ),
  "thread.clear": method(
    "Deletes a thread that your token started; with `admin` on its documents, any thread.",
    "read",
    () => z.strictObject({ thread }),
    () => z.object({}),
  ),
};

/** Returns true if a message names one thread: by its id, or by the documents of a new one. */
function isOne(thread: unknown, path: unknown, paths: unknown, bundle: unknown): boolean {
  const isNew = path !== undefined || paths !== undefined || bundle !== undefined;
  if (thread !== undefined) return paths === undefined && bundle === undefined;
  return isNew && (path === undefined || paths === undefined);
}
