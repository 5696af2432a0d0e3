import { type CallToolResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { ZodError } from "zod";
import { DisconnectedError, RefusedError } from "../client/errors.ts";
import { parse } from "../protocol/params/left-out.ts";
import { inOwnNames } from "../protocol/params/parameter-names.ts";
import { inOneLine, problemsOf } from "../protocol/params/problems.ts";
import { quoteUnknown } from "../text/diff/nearest-name.ts";
import type { Agent } from "./agent.ts";
import type { Answer } from "./answer.ts";
import { refusalText } from "./answer-text.ts";
import { uriOf } from "./resources.ts";
import type { Tool } from "./tool.ts";
import { ToolFailure } from "./tool-failure.ts";
import { mcpTools } from "./tools.ts";

/** Most calls of one session without an answer. */
const MOST_CALLS = 32;
const DEADLINE_MS = 60_000;

/**
 * Calls tools for one agent, one at a time, in the order in which the client sent the calls. Every failure is an
 * answer that the model can act on, and every answer comes within the deadline.
 */
export class ToolCalls {
  readonly #deadlineMs: number;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(deadlineMs: number = DEADLINE_MS) {
    this.#deadlineMs = deadlineMs;
  }

  /** Calls a tool by its name of today or of an earlier build, unless `signal` aborts before the call has begun. */
  async call(name: string, given: unknown, signal: AbortSignal, agent: () => Agent): Promise<CallToolResult> {
    const named = mcpTools.find((one) => one.name === name || one.formerly === name);
    const hasFormerForm = named?.formerly === name && named.formerForm?.has(given);
    const tool = hasFormerForm ? named.formerForm?.tool : named;
    const names = mcpTools.map((one) => one.name);
    if (tool === undefined)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Unknown tool: ${quoteUnknown(name, names)}. The tools are ${names.join(", ")}.`,
      );
    if (this.#waiting >= MOST_CALLS)
      return failure(
        `OVERLOADED: ${MOST_CALLS} calls are waiting. Wait for an answer before you send another call.`,
      );
    this.#waiting++;
    const turn = this.#last.then(async () => {
      const result = signal.aborted
        ? failure("The call was cancelled before it began. It had no effect.")
        : await this.#run(tool, given, agent);
      this.#waiting--;
      return result;
    });
    this.#last = turn;
    return turn;
  }

  #run(tool: Tool, given: unknown, agent: () => Agent): CallToolResult | Promise<CallToolResult> {
    const named = inOwnNames(tool.otherNames ?? { names: {} }, tool.name, given ?? {});
    if ("contrary" in named) return failure(`INVALID_ARGUMENT: ${named.contrary}. Give one of them.`);
    const args = parse(tool.schema, named.own);
    if (!args.success) return failure(invalidArguments(tool, args.error));
    return answerInTime(answerOf(tool, agent(), args.data), this.#deadlineMs);
  }
}

/** Returns a tool's answer together with the news about the saves that the agent made by itself. */
async function answerOf(tool: Tool, agent: Agent, args: Parameters<Tool["run"]>[1]): Promise<Answer> {
  const answer = await tool.run(agent, args);
  const { text, data, created } = typeof answer === "string" ? { text: answer } : (answer as Answer);
  const news = await agent.news();
  return {
    text: [text, ...news].join("\n"),
    ...(data && { data: news.length === 0 ? data : { ...data, news } }),
    ...(created !== undefined && { created }),
  };
}

async function answerInTime(running: Promise<Answer>, deadlineMs: number): Promise<CallToolResult> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), deadlineMs);
  });
  try {
    const answer = await Promise.race([running, late]);
    if (answer === "late")
      return failure(
        `The daemon did not answer within ${deadlineMs / 1000} s; the call may or may not have had an effect. ` +
          "Read the document before you try again. If this repeats, ask the user to run: spliced status",
      );
    return resultOf(answer);
  } catch (error) {
    return failure(failureText(error));
  } finally {
    clearTimeout(timer);
  }
}

function resultOf({ text, data, created }: Answer): CallToolResult {
  const content: CallToolResult["content"] = [{ type: "text", text }];
  if (created !== undefined) content.push({ type: "resource_link", uri: uriOf(created), name: created });
  return { content, ...(data && { structuredContent: { ...data } }) };
}

function failureText(error: unknown): string {
  if (error instanceof RefusedError) return refusalText(error);
  if (error instanceof ToolFailure) return error.message;
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof DisconnectedError)
    return (
      `The connection to the daemon was lost (${reason}); the call may or may not have had an effect. ` +
      "The next call connects again and starts the daemon if necessary. Read the document before you try again."
    );
  return `The daemon cannot be reached: ${reason}. The call had no effect. Try again, or ask the user to run: spliced status`;
}

function invalidArguments({ name, schema, example }: Tool, error: ZodError): string {
  const reasons = inOneLine(problemsOf(schema, error));
  return `INVALID_ARGUMENT: ${name}: ${reasons}\nExample arguments: ${JSON.stringify(example)}`;
}

function failure(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
