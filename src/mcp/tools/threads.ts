import { z } from "zod";
import { RefusedError } from "../../client/errors.ts";
import { threadId, text as wireText } from "../../protocol/schemas/common.ts";
import type { Result } from "../../protocol/schemas/schemas.ts";
import type { Agent } from "../agent.ts";
import { onMachine } from "../answer-text.ts";
import { defineTool } from "../tool.ts";
import { pathArgument } from "./arguments.ts";

/** The size of a thread's context for a model, in tokens of three bytes. */
const BUDGET = { maxTokens: 16_000, reserveTokens: 0 };

type Context = Result<"thread.context">;
type Thread = Result<"thread.list">["threads"][number];

export const threadsTool = defineTool({
  name: "list_threads",
  formerly: "threads",
  title: "List or take threads",
  description:
    "Lists messages of people that wait for an answer. With `thread`, takes that thread and shows it; your edits then " +
    "count as part of the answer, until you call answer_thread.",
  reads: false,
  schema: z.strictObject({
    thread: threadId.optional().describe("The thread to take."),
    path: pathArgument.optional(),
  }),
  example: { thread: "thr_1" },
  async run(agent, { thread, path }) {
    if (thread !== undefined) return take(agent, thread);
    const request = { status: "waiting" as const, ...(path !== undefined && { path }) };
    const { threads } = await agent.caller.request("thread.list", request);
    return threads.length === 0 ? "No thread waits for an answer." : threads.map(lineOf).join("\n");
  },
});

export const answerTool = defineTool({
  name: "answer_thread",
  formerly: "answer",
  title: "Answer a thread",
  description:
    "Answers the last message of a thread. Your changes since you took it are shown with the answer; describe them.",
  reads: false,
  schema: z.strictObject({
    thread: threadId,
    text: wireText.min(1).describe("Markdown."),
  }),
  example: { thread: "thr_1", text: "I moved the meeting to Tuesday." },
  async run(agent, { thread, text }) {
    const { answering, caller } = agent;
    const leaseId = answering?.thread === thread ? answering.leaseId : undefined;
    const message = { thread, role: "assistant" as const, text };
    if (leaseId === undefined) await caller.request("thread.append", message);
    else
      await caller.request("thread.append", { ...message, leaseId }).catch((error: unknown) => {
        if (!isOver(error)) throw error;
        return caller.request("thread.append", message);
      });
    if (leaseId !== undefined) agent.answering = undefined;
    return `Answered ${thread}.`;
  },
});

/** Acquires the lease of a thread, and shows the context for an answer. */
async function take(agent: Agent, thread: string): Promise<string> {
  const { leaseId, messageId } = await leaseOf(agent, thread);
  agent.answering = { thread, messageId, leaseId };
  const context = await agent.caller.request("thread.context", { thread, budget: BUDGET });
  const shown = context.documents.flatMap(({ path, version, text }) =>
    text === null ? [] : [`${path}, version ${version}`, text],
  );
  return [
    `${conversation(context)}\n${advice(context)}\nEnd with answer_thread, thread ${thread}.`,
    ...shown,
  ].join("\n");
}

/** Acquires the lease of a thread, or renews it if the session has it: a model may look at its thread again. */
async function leaseOf({ caller, answering }: Agent, thread: string): Promise<Result<"thread.lease">> {
  if (answering?.thread === thread)
    try {
      return await caller.request("thread.lease", { thread, leaseId: answering.leaseId });
    } catch (error) {
      if (!isOver(error)) throw error;
    }
  return caller.request("thread.lease", { thread });
}

/** Returns true if a lease has ended, as while the model worked. */
function isOver(error: unknown): boolean {
  return error instanceof RefusedError && error.code === "NOT_FOUND";
}

function conversation({ messages, dropped, anchors }: Context): string {
  const lines = dropped > 0 ? [`(${dropped} older messages are not shown)`] : [];
  for (const { author, role, content, messageId } of messages) {
    const anchor = anchors.find((one) => one.messageId === messageId);
    const about = anchor === undefined ? "" : ` about ${JSON.stringify(anchor.quote)} in ${anchor.path}`;
    lines.push(`${author} (${role})${about}: ${content}`);
  }
  return lines.join("\n");
}

/** Returns a line on each document: the agent's rights, and whether it has to read the document. */
function advice({ documents }: Context): string {
  return documents
    .map(({ path, deleted, text, permission }) => {
      if (deleted) return `${path} is deleted.`;
      return `${path}: your permission is ${permission}.${text === null ? " It is long; use read_document." : ""}`;
    })
    .join("\n");
}

function lineOf({ id, paths, bundle, last }: Thread): string {
  return `${id}  ${paths.join(", ") || bundle}  ${last.author}${onMachine(last.machine)}: ${last.text}`;
}
