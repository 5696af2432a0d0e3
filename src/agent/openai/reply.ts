import { z } from "zod";
import { AnswerFailure } from "../failure.ts";

const count = z.int().min(0);
const chunkSchema = z.object({
  choices: z
    .array(
      z.object({
        delta: z
          .object({
            content: z.string().nullish(),
            reasoning_content: z.string().nullish(),
            tool_calls: z
              .array(
                z.object({
                  index: count.max(1000).nullish(),
                  id: z.string().nullish(),
                  function: z
                    .object({ name: z.string().nullish(), arguments: z.string().nullish() })
                    .nullish(),
                }),
              )
              .nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: z.object({ prompt_tokens: count, completion_tokens: count }).nullish(),
  error: z.union([z.string(), z.object({ message: z.string() })]).nullish(),
});

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** The arguments in JSON, as the model wrote them. */
  readonly args: string;
}

/** One whole reply of a model. */
export interface Reply {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** The tokens that the endpoint counted; undefined if it counts none. */
  readonly tokens: number | undefined;
}

interface Heard {
  readonly text: (text: string) => void;
  readonly thought: (text: string) => void;
}

/**
 * Puts a streamed reply together. It passes the text on as it comes, and the tool calls only once the reply is whole.
 */
export class ReplyReader {
  readonly #heard: Heard;
  readonly #calls: { id: string; name: string; args: string }[] = [];
  #text = "";
  #tokens: number | undefined;
  #finish: string | undefined;
  /** The characters that the model has written so far, tool calls included. */
  size = 0;

  constructor(heard: Heard) {
    this.#heard = heard;
  }

  /** Reads one event. @throws AnswerFailure */
  read(data: string): void {
    const { choices, usage, error } = chunkOf(data);
    if (error) {
      const reason = typeof error === "string" ? error : error.message;
      throw new AnswerFailure(`The endpoint ended its answer with an error: ${reason.slice(0, 300)}.`);
    }
    if (usage) this.#tokens = usage.prompt_tokens + usage.completion_tokens;
    const choice = choices?.[0];
    if (choice === undefined) return;
    const { delta, finish_reason } = choice;
    if (finish_reason) this.#finish = finish_reason;
    const { content, reasoning_content: thought, tool_calls: calls } = delta ?? {};
    if (thought) this.#heard.thought(thought);
    if (content) this.#heard.text(content);
    this.#text += content ?? "";
    this.size += (content?.length ?? 0) + (thought?.length ?? 0);
    for (const { index, id, function: called } of calls ?? []) {
      const isNew = this.#calls.length === 0 || (id && this.#calls.at(-1)!.id !== id);
      const at = index ?? (isNew ? this.#calls.length : this.#calls.length - 1);
      this.#calls[at] ??= { id: "", name: "", args: "" };
      const call = this.#calls[at];
      if (id) call.id = id;
      call.name += called?.name ?? "";
      call.args += called?.arguments ?? "";
      this.size += called?.arguments?.length ?? 0;
    }
  }

  /** Returns the reply once its stream has ended. @throws AnswerFailure for a reply that is not whole */
  end(): Reply {
    if (this.#finish === undefined) throw new AnswerFailure("The endpoint's answer was cut before its end.");
    if (this.#finish === "length")
      throw new AnswerFailure("The model's answer was cut, because it reached the model's longest answer.");
    if (this.#finish === "content_filter")
      throw new AnswerFailure("The endpoint's filter held the answer back.");
    const calls = this.#calls.filter((call) => call !== undefined);
    if (calls.some(({ name }) => name === ""))
      throw new AnswerFailure("The endpoint sent a tool call without a name.");
    const called = calls.map((call, i) => ({ ...call, id: call.id || `call_${i + 1}` }));
    return { text: this.#text, calls: called, tokens: this.#tokens };
  }
}

function chunkOf(data: string): z.infer<typeof chunkSchema> {
  try {
    return chunkSchema.parse(JSON.parse(data));
  } catch {
    throw new AnswerFailure("The endpoint sent something that is no chat completion.");
  }
}
