import { isJsonObject } from "../../json-object.ts";
import { Agent } from "../../mcp/agent.ts";
import { shortSchema } from "../../mcp/describe-tool.ts";
import { ToolCalls } from "../../mcp/tool-calls.ts";
import { mcpTools } from "../../mcp/tools.ts";
import { sentenceOf } from "../sentences.ts";
import type { Turn } from "../turn.ts";
import type { ToolCall } from "./reply.ts";

/** The tools that a model does not get, because the host itself leases and answers the thread. */
const NOT_FOR_MODELS = new Set(["list_threads", "answer_thread"]);
/** Most characters of a tool's answer. */
const MOST_ANSWER = 60_000;

const offered = mcpTools.filter(({ name }) => !NOT_FOR_MODELS.has(name));

/** The tools, as a chat completion's request has them. */
export const TOOLS = offered.map((tool) => ({
  type: "function",
  function: {
    name: tool.name,
    description: tool.description,
    parameters: shortSchema(tool.schema),
  },
}));

/** Runs the tool calls of one answer, through the daemon; its edits name the message that they answer. */
export class ModelTools {
  readonly #turn: Turn;
  readonly #agent: Agent;
  readonly #calls = new ToolCalls();
  #count = 0;

  constructor(turn: Turn) {
    this.#turn = turn;
    this.#agent = new Agent(turn.client, turn.client.hello.agent.name);
    this.#agent.answering = { ...turn.answers, leaseId: turn.leaseId };
  }

  /** Runs one call and returns its answer for the model. */
  async run({ name, args }: ToolCall): Promise<string> {
    const tool = offered.find((one) => one.name === name);
    const given = argumentsOf(args);
    const shown = { id: `call_${++this.#count}`, ...sentenceOf(name, given) };
    this.#turn.tool({ ...shown, status: "in_progress" });
    const { text, failed } = await this.#answer(tool?.name, name, given);
    if (!failed && tool !== undefined && !tool.reads) this.#turn.made++;
    this.#turn.tool({ ...shown, status: failed ? "failed" : "completed" });
    if (text.length <= MOST_ANSWER) return text;
    return `${text.slice(0, MOST_ANSWER).toWellFormed()}\n… cut after ${MOST_ANSWER} characters. Ask for a part, for example a range of lines.`;
  }

  async #answer(
    known: string | undefined,
    asked: string,
    given: unknown,
  ): Promise<{ readonly text: string; readonly failed: boolean }> {
    if (known === undefined)
      return {
        text: `There is no tool ${JSON.stringify(asked.slice(0, 80))}. The tools are ${offered.map(({ name }) => name).join(", ")}.`,
        failed: true,
      };
    if (given === undefined)
      return {
        text: "The arguments are not valid JSON. The call had no effect. Send it again.",
        failed: true,
      };
    const { content, isError = false } = await this.#calls.call(
      known,
      given,
      this.#turn.signal,
      () => this.#agent,
    );
    const texts = content.flatMap((one) => (one.type === "text" ? [one.text] : []));
    return { text: texts.join("\n"), failed: isError };
  }
}

/** Returns the arguments of a call; undefined for any text that is no JSON object. */
function argumentsOf(json: string): object | undefined {
  if (json.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(json);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
