import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { DisconnectedError, RefusedError } from "../client/errors.ts";
import type { Agent } from "./agent.ts";
import { refusalText } from "./answer-text.ts";
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
  readonly #agent: () => Agent;
  readonly #deadlineMs: number;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(agent: () => Agent, deadlineMs: number = DEADLINE_MS) {
    this.#agent = agent;
    this.#deadlineMs = deadlineMs;
  }

  /** Calls a tool, unless `signal` aborts before the call has begun. */
  call(name: string, given: unknown, signal: AbortSignal): Promise<CallToolResult> {
    if (this.#waiting >= MOST_CALLS)
      return Promise.resolve(
        failure(
          `OVERLOADED: ${MOST_CALLS} calls are waiting. Wait for an answer before you send another call.`,
        ),
      );
    this.#waiting++;
    const turn = this.#last.then(async () => {
      const result = signal.aborted
        ? failure("The call was cancelled before it began. Nothing changed.")
        : await this.#run(name, given);
      this.#waiting--;
      return result;
    });
    this.#last = turn;
    return turn;
  }

  /** Resolves when every call has its answer. */
  async idle(): Promise<void> {
    while (this.#waiting > 0) await this.#last;
  }

  #run(name: string, given: unknown): CallToolResult | Promise<CallToolResult> {
    const tool = mcpTools.find((one) => one.name === name);
    if (tool === undefined)
      return failure(`There is no tool ${JSON.stringify(name.slice(0, 80))}. The tools are ${toolNames()}.`);
    const args = tool.schema.safeParse(given ?? {});
    if (!args.success) return failure(invalidArguments(tool, args.error.issues));
    return answerInTime(answerOf(tool, this.#agent(), args.data), this.#deadlineMs);
  }
}

/** Returns a tool's answer, and with it what the agent should hear of the saves that it made by itself. */
async function answerOf(
  tool: Tool,
  agent: Agent,
  args: Parameters<Tool["run"]>[1],
): Promise<readonly string[]> {
  const answer = await tool.run(agent, args);
  const news = await agent.news();
  return [...(typeof answer === "string" ? [answer] : answer), ...news];
}

async function answerInTime(
  running: Promise<readonly string[]>,
  deadlineMs: number,
): Promise<CallToolResult> {
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
    return { content: answer.map((text) => ({ type: "text", text })) };
  } catch (error) {
    return failure(failureText(error));
  } finally {
    clearTimeout(timer);
  }
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
  return `The daemon cannot be reached: ${reason}. Nothing changed. Try again, or ask the user to run: spliced status`;
}

function invalidArguments(
  { name, example }: Tool,
  issues: readonly { path: PropertyKey[]; message: string }[],
): string {
  const shown = issues.slice(0, 5).map(({ path, message }) => [path.map(String).join("."), message]);
  const reasons = shown.map(([at, message]) => (at === "" ? message : `${at}: ${message}`)).join("; ");
  return `INVALID_ARGUMENT: ${name}: ${reasons}\nExample arguments: ${JSON.stringify(example)}`;
}

function toolNames(): string {
  return mcpTools.map(({ name }) => name).join(", ");
}

function failure(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
