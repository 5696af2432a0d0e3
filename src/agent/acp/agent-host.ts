import {
  type ClientConnection,
  client,
  type McpServer,
  methods,
  ndJsonStream,
  RequestError,
  type StopReason,
} from "@agentclientprotocol/sdk";
import { isJsonObject } from "../../json-object.ts";
import { AnswerFailure } from "../failure.ts";
import type { AcpTurn } from "./acp-turn.ts";
import { AgentProcess } from "./agent-process.ts";

/** The version of the protocol. Agents answer a higher number with drafts that differ from one another. */
const PROTOCOL = 1;
/** The longest time for an agent to begin, in milliseconds; the slowest known one takes 9 s. */
const BEGIN_MS = 60_000;
/** The time in which an agent answers a cancellation, in milliseconds. */
const CANCEL_MS = 5_000;
/** The time between the end of an agent's output and the end of its process, in milliseconds. */
const EXIT_MS = 1_000;
/** The longest message of an agent, in bytes. */
const MOST_BYTES = 64 << 20;
/** The code of the error by which an agent asks the person to sign in. */
const SIGN_IN = -32000;

interface HostOptions {
  readonly command: readonly [string, ...string[]];
  readonly root: string;
  readonly version: string;
  readonly mcpServers: McpServer[];
}

/** A running agent that speaks the Agent Client Protocol, with the one answer that it gives at a time. */
export class AgentHost {
  readonly #options: HostOptions;
  readonly #process: AgentProcess;
  readonly #connection: ClientConnection;
  #current: { readonly session: string; readonly turn: AcpTurn } | undefined;

  private constructor(options: HostOptions) {
    this.#options = options;
    this.#process = new AgentProcess(options.command, options.root);
    const { fs, session } = methods.client;
    // The package asks one handler after the other, and does not wait for a message before it takes the next. So the first
    // handler is that of updates: a request that comes right after an update finds it taken in.
    this.#connection = client({ name: "spliced" })
      .onNotification(session.update, ({ params }) => {
        if (this.#current?.session === params.sessionId) this.#current.turn.update(params.update);
      })
      .onRequest(session.requestPermission, ({ params }) => this.#turnOf(params.sessionId).permit(params))
      .onRequest(fs.readTextFile, ({ params }) => this.#turnOf(params.sessionId).read(params))
      .onRequest(fs.writeTextFile, ({ params }) => this.#turnOf(params.sessionId).write(params))
      .connect(ndJsonStream(this.#process.input, this.#process.output, { maxMessageBytes: MOST_BYTES }));
  }

  /** Starts an agent. @throws AnswerFailure, or the signal's reason */
  static async start(options: HostOptions, signal: AbortSignal): Promise<AgentHost> {
    const host = new AgentHost(options);
    try {
      const { agent } = host.#connection;
      const asked = agent.request(methods.agent.initialize, {
        protocolVersion: PROTOCOL,
        clientInfo: { name: "spliced", version: options.version },
        clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: false },
      });
      const { protocolVersion } = await host.#soon(asked, signal);
      if (protocolVersion === PROTOCOL) return host;
      const [program] = options.command;
      throw new AnswerFailure(
        `The agent ${program} answered version ${PROTOCOL} of the Agent Client Protocol with version ${protocolVersion}. spliced speaks version ${PROTOCOL} only; start a release of the agent that speaks it, too.`,
      );
    } catch (error) {
      await host.end();
      throw error;
    }
  }

  get lives(): boolean {
    return this.#process.why === undefined && !this.#connection.signal.aborted;
  }

  /** Begins a session, with our MCP server. @throws AnswerFailure, or the signal's reason */
  async begin(signal: AbortSignal): Promise<string> {
    const { root: cwd, mcpServers } = this.#options;
    const asked = this.#connection.agent.request(methods.agent.session.new, { cwd, mcpServers });
    return (await this.#soon(asked, signal)).sessionId;
  }

  /** Sends a prompt, and returns why its answer ended. If the signal aborts, the agent is cancelled. */
  async prompt(session: string, text: string, turn: AcpTurn, signal: AbortSignal): Promise<StopReason> {
    this.#current = { session, turn };
    const { agent } = this.#connection;
    const asked = agent.request(methods.agent.session.prompt, {
      sessionId: session,
      prompt: [{ type: "text", text }],
    });
    try {
      return (await this.#whileItLives(asked, signal)).stopReason;
    } catch (error) {
      if (signal.aborted && this.lives) await this.#cancel(session, asked);
      throw error;
    } finally {
      this.#current = undefined;
    }
  }

  async end(): Promise<void> {
    this.#connection.close();
    await this.#process.end();
  }

  /** Cancels a prompt. An agent that does not end it is ended itself. */
  async #cancel(sessionId: string, asked: Promise<unknown>): Promise<void> {
    await this.#connection.agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => undefined);
    const ended = asked.catch(() => undefined); // an error after a cancellation is one, too
    const limit = AbortSignal.timeout(CANCEL_MS);
    await untilAborted(ended, limit).catch(() => this.end());
  }

  /** Returns the answer to a request before the first prompt. @throws AnswerFailure, or the signal's reason */
  async #soon<T>(asked: Promise<T>, signal: AbortSignal): Promise<T> {
    const limit = AbortSignal.timeout(BEGIN_MS);
    try {
      return await this.#whileItLives(asked, AbortSignal.any([signal, limit]));
    } catch (error) {
      if (signal.aborted || !limit.aborted) throw error;
      const [program] = this.#options.command;
      throw new AnswerFailure(
        `The agent ${program} did not begin within ${BEGIN_MS / 1000} s. Its command has to start an agent that speaks the Agent Client Protocol.`,
      );
    }
  }

  /** Returns the agent's answer. @throws AnswerFailure if the agent ends or refuses, or the signal's reason */
  async #whileItLives<T>(asked: Promise<T>, signal: AbortSignal): Promise<T> {
    const died = new AbortController();
    void this.#process.ended.then(() => died.abort());
    try {
      return await untilAborted(asked, AbortSignal.any([signal, died.signal]));
    } catch (error) {
      signal.throwIfAborted();
      const [program] = this.#options.command;
      // This process learns of the end of the output before the end of the process.
      if (!this.lives)
        await untilAborted(this.#process.ended, AbortSignal.timeout(EXIT_MS)).catch(() => undefined);
      if (died.signal.aborted || !this.lives)
        throw new AnswerFailure(
          `The agent ${program} is gone: ${this.#process.why ?? "it closed its output"}.`,
        );
      if (error instanceof RequestError && error.code === SIGN_IN)
        throw new AnswerFailure(
          `The agent ${program} asks you to sign in. Run it once by itself, then ask again.`,
        );
      throw new AnswerFailure(`The agent ${program} failed: ${reasonOf(error as Error)}.`);
    }
  }

  #turnOf(session: string): AcpTurn {
    if (this.#current?.session === session) return this.#current.turn;
    throw RequestError.invalidParams({ reason: "this session has no prompt" }, "this session has no prompt");
  }
}

/** Returns an error's message, with the details that agents put into its data as text or as a field; at most 300 characters. */
function reasonOf(error: Error): string {
  const data = error instanceof RequestError ? error.data : undefined;
  const details = isJsonObject(data) ? (data["details"] ?? data["message"] ?? data["reason"]) : data;
  const reason =
    typeof details === "string" && details !== "" ? `${error.message}: ${details}` : error.message;
  return reason.slice(0, 300);
}

/** Returns the value of a promise, unless the signal aborts before. @throws the signal's reason */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
