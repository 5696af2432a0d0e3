import { setTimeout as wait } from "node:timers/promises";
import type { Log } from "../answerer.ts";
import { AnswerFailure } from "../failure.ts";
import { eventsOf } from "./events.ts";
import { type Reply, ReplyReader } from "./reply.ts";

export interface EndpointOptions {
  /** The address, such as `https://api.openai.com/v1`; `/chat/completions` follows. */
  readonly baseUrl: string;
  /** The key; undefined for an endpoint without one. */
  readonly key: string | undefined;
  readonly model: string;
  /** The longest silence of the endpoint, in milliseconds. */
  readonly patienceMs: number;
}

export interface Asking {
  readonly messages: readonly object[];
  readonly tools: readonly object[];
  /** Most characters that the model may write. */
  readonly most: number;
  readonly text: (text: string) => void;
  readonly thought: (text: string) => void;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** The pauses before the attempts after the first one, in milliseconds. */
const PAUSES_MS = [1_000, 2_000, 4_000, 8_000];
/** The longest pause that an endpoint may ask for. */
const LONGEST_PAUSE_MS = 60_000;
/** Most characters of an endpoint's error that a person reads. */
const MOST_REASON = 300;

/** An answer that another attempt may get. */
class Passing extends AnswerFailure {
  readonly pauseMs: number | undefined;

  constructor(message: string, pauseMs?: number) {
    super(message);
    this.pauseMs = pauseMs;
  }
}

/**
 * Asks a model behind an OpenAI-compatible endpoint. After a pause it repeats a request that was refused for now (429,
 * 5xx) or lost its connection. It repeats no request whose reply was passed on in part.
 */
export class Endpoint {
  readonly #options: EndpointOptions;

  constructor(options: EndpointOptions) {
    this.#options = options;
  }

  /** Returns a whole reply. @throws AnswerFailure, or the reason of the signal */
  async ask(asking: Asking): Promise<Reply> {
    const { signal, log } = asking;
    for (let attempt = 0; ; attempt++) {
      let told = false;
      const tell = (hear: (text: string) => void) => (text: string) => {
        told = true;
        hear(text);
      };
      try {
        return await this.#askOnce({ ...asking, text: tell(asking.text), thought: tell(asking.thought) });
      } catch (error) {
        signal.throwIfAborted();
        const pause = PAUSES_MS[attempt];
        if (!(error instanceof Passing) || told || pause === undefined) throw error;
        const ms = Math.max(pause, error.pauseMs ?? 0);
        log("endpoint.again", { attempt: attempt + 1, ms, reason: error.message });
        await wait(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    }
  }

  async #askOnce({ messages, tools, most, text, thought, signal }: Asking): Promise<Reply> {
    const { patienceMs } = this.#options;
    const silence = new AbortController();
    const timer = setTimeout(
      () => silence.abort(new AnswerFailure(`The endpoint was silent for ${patienceMs / 1000} s.`)),
      patienceMs,
    );
    const until = AbortSignal.any([signal, silence.signal]);
    const reader = new ReplyReader({ text, thought });
    try {
      const response = await this.#post(messages, tools, until);
      for await (const data of eventsOf(bodyOf(response, () => timer.refresh()))) {
        if (data === "[DONE]") break;
        reader.read(data);
        if (reader.size > most)
          throw new AnswerFailure(
            "The model's answer was cut, because it is longer than the budget (--budget).",
          );
      }
    } catch (error) {
      if (until.aborted) throw until.reason;
      throw error;
    } finally {
      clearTimeout(timer);
      silence.abort(); // also ends a stream that goes on after the answer
    }
    return reader.end();
  }

  async #post(messages: readonly object[], tools: readonly object[], signal: AbortSignal): Promise<Response> {
    const { baseUrl, key, model } = this.#options;
    let response: Response;
    try {
      response = await fetch(`${baseUrl.replace(/\/+$/, "")}/chat/completions`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "text/event-stream",
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify({
          model,
          messages,
          tools,
          stream: true,
          stream_options: { include_usage: true },
        }),
        redirect: "manual", // the key is for this endpoint
        signal,
      });
    } catch (error) {
      throw new Passing(`The endpoint cannot be reached: ${causeOf(error)}.`);
    }
    if (!response.ok) throw await refusal(response, key);
    if (!/^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "")) {
      await response.body?.cancel();
      throw new AnswerFailure("The endpoint did not answer with a stream of events.");
    }
    return response;
  }
}

/** Yields the bytes of a response; a connection that breaks may be tried again. */
async function* bodyOf(response: Response, heard: () => void): AsyncGenerator<Uint8Array> {
  try {
    for await (const bytes of response.body ?? []) {
      heard();
      yield bytes;
    }
  } catch (error) {
    if (error instanceof AnswerFailure) throw error;
    throw new Passing(`The connection to the endpoint was cut: ${causeOf(error)}.`);
  }
}

const TOO_MANY_REQUESTS = 429;

async function refusal(response: Response, key: string | undefined): Promise<AnswerFailure> {
  const { status } = response;
  const said = await response.text().catch(() => "");
  const reason = `The endpoint refused the request (${status}): ${reasonIn(said, key)}.`;
  if (status !== TOO_MANY_REQUESTS && status < 500) return new AnswerFailure(reason);
  const seconds = Number(response.headers.get("retry-after") ?? 0);
  if (seconds * 1000 > LONGEST_PAUSE_MS)
    return new AnswerFailure(`${reason} It asks to wait for ${Math.ceil(seconds)} s.`);
  return new Passing(reason, seconds > 0 ? seconds * 1000 : undefined);
}

/** Returns the endpoint's own words, without the key, which some endpoints repeat. */
function reasonIn(said: string, key: string | undefined): string {
  let reason = said;
  try {
    const { error } = JSON.parse(said) as { error?: { message?: unknown } | string };
    const message = typeof error === "string" ? error : error?.message;
    if (typeof message === "string") reason = message;
  } catch {
    // an error page, or no JSON
  }
  const plain = key === undefined ? reason : reason.replaceAll(key, "…");
  const line = plain.replace(/\s+/g, " ").trim().slice(0, MOST_REASON).replace(/\.$/, "");
  return line || "it gave no reason";
}

function causeOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message;
}
