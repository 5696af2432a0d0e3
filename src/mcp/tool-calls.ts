import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { DisconnectedError, RefusedError } from "../client/errors.ts";
import type { Agent } from "./agent.ts";
import { refusalText } from "./answer-text.ts";
import type { Tool } from "./tool.ts";
import { ToolFailure } from "./tool-failure.ts";
import { mcpTools } from "./tools.ts";

/** Calls of one session that wait for their answers. */
const MOST_CALLS = 32;
const DEADLINE_MS = 60_000;

/**
 * Calls tools for one agent, one after the other in the order in which they were sent, each from what the one
 * before left. Every failure is an answer that the model can act on, and each comes in time.
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

  /** Calls a tool, unless `signal` takes that back before its turn has come. */
  call(name: string, given: unknown, signal: AbortSignal): Promise<CallToolResult> {
    if (this.#waiting >= MOST_CALLS)
      return Promise.resolve(
        failure(`OVERLOADED: ${MOST_CALLS} calls wait for their answers; send no more before`),
      );
    this.#waiting++;
    const turn = this.#last.then(async () => {
      const result = signal.aborted ? failure("cancelled; nothing was done") : await this.#run(name, given);
      this.#waiting--;
      return result;
    });
    this.#last = turn;
    return turn;
  }

  /** Resolves when everything that was asked is answered. */
  async idle(): Promise<void> {
    while (this.#waiting > 0) await this.#last;
  }

  #run(name: string, given: unknown): CallToolResult | Promise<CallToolResult> {
    const tool = mcpTools.find((one) => one.name === name);
    if (tool === undefined)
      return failure(`there is no tool ${JSON.stringify(name.slice(0, 80))}; there are ${toolNames()}`);
    const args = tool.schema.safeParse(given ?? {});
    if (!args.success) return failure(invalidArguments(tool, args.error.issues));
    return answerInTime(tool.run(this.#agent(), args.data), this.#deadlineMs);
  }
}

async function answerInTime(running: ReturnType<Tool["run"]>, deadlineMs: number): Promise<CallToolResult> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), deadlineMs);
  });
  try {
    const said = await Promise.race([running, late]);
    if (said === "late")
      return failure(
        `no answer from the daemon within ${deadlineMs / 1000} s; whether this was done is not known. ` +
          "Read the document before you try again; if it stays, ask the person to look at: spliced status",
      );
    const texts = typeof said === "string" ? [said] : said;
    return { content: texts.map((text) => ({ type: "text", text })) };
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
      `the connection to the daemon was lost (${reason}); whether this was done is not known. ` +
      "The next call connects again, and starts the daemon where none runs: read the document before you try again."
    );
  return `the daemon cannot be reached: ${reason}. Nothing was done; try again, or ask the person to look at: spliced status`;
}

function invalidArguments(
  { name, example }: Tool,
  issues: readonly { path: PropertyKey[]; message: string }[],
): string {
  const shown = issues.slice(0, 5).map(({ path, message }) => [path.map(String).join("."), message]);
  const said = shown.map(([at, message]) => (at === "" ? message : `${at}: ${message}`)).join("; ");
  return `INVALID_ARGUMENT: ${name}: ${said}\nAn example of its arguments: ${JSON.stringify(example)}`;
}

function toolNames(): string {
  return mcpTools.map(({ name }) => name).join(", ");
}

function failure(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
