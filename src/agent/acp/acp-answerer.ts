import type { McpServer, StopReason } from "@agentclientprotocol/sdk";
import type { Client } from "../../client/client.ts";
import type { Result } from "../../protocol/schemas/schemas.ts";
import { LeftAnswers } from "../../state/left-answers.ts";
import type { Answerer, Log } from "../answerer.ts";
import { decisionsOn } from "../decisions.ts";
import { AnswerFailure } from "../failure.ts";
import { anchorOf, MAY, saidBy } from "../prompt.ts";
import type { Turn } from "../turn.ts";
import { AcpTurn } from "./acp-turn.ts";
import { AgentHost } from "./agent-host.ts";
import { finish } from "./finish.ts";
import { Saves } from "./saves.ts";

interface AcpOptions {
  readonly command: readonly [string, ...string[]];
  readonly name: string;
  /** The folder in which the agent runs: the workspace's, or a lane's. */
  readonly root: string;
  /** The folder of the workspace. */
  readonly workspace: string;
  readonly version: string;
  /** True if the agent's token is not the owner's, and no lane upholds its rules. */
  readonly restricted: boolean;
  /** The identity under which a lane takes in the agent's writes. */
  readonly lane: string | undefined;
  /** Opens a connection with the owner's token. */
  readonly connectOwner: () => Promise<Client>;
  readonly mcpServers: McpServer[];
  readonly log: Log;
}

/** A session of the agent, which belongs to a thread. */
interface Session {
  readonly id: string;
  /** The refusals in its last answer. */
  refusals: readonly string[];
  /** The newest message that the session has received. */
  told: string | undefined;
}

/** The size of a prompt, in tokens. */
const BUDGET = { maxTokens: 100_000, reserveTokens: 0 };

/** Answers with an agent that speaks the Agent Client Protocol, one message at a time. */
export class AcpAnswerer implements Answerer {
  readonly atOnce = 1; // the daemon could not distinguish the claims of two answers
  readonly #options: AcpOptions;
  readonly #left: LeftAnswers;
  readonly #sessions = new Map<string, Session>();
  #host: AgentHost | undefined;
  #saves: Saves | undefined;
  #keeper: Client | undefined;

  constructor(options: AcpOptions) {
    this.#options = options;
    this.#left = new LeftAnswers(options.workspace);
  }

  async recover(client: Client): Promise<void> {
    const { name, log, connectOwner } = this.#options;
    for (const left of this.#left.of(name)) {
      this.#keeper ??= await connectOwner();
      if (await finish(left, { client, keeper: this.#keeper, log })) this.#left.remove(left);
    }
  }

  async answer(turn: Turn, log: Log): Promise<void> {
    const { root, restricted } = this.#options;
    const host = await this.#running(turn, log);
    const session = this.#sessions.get(turn.thread) ?? (await this.#newSession(host, turn));
    const text = await this.#prompt(turn, session);
    const saves = await this.#watching();
    const acp = new AcpTurn({ turn, root, restricted, saves });
    saves.begin(turn);
    try {
      const reason = await host.prompt(session.id, text, acp, turn.signal);
      session.told = turn.messageId;
      const failure = FAILURES[reason];
      if (failure !== undefined) throw new AnswerFailure(failure);
    } finally {
      session.refusals = acp.refusals;
      await saves.end();
    }
  }

  async close(): Promise<void> {
    this.#saves?.stop();
    await this.#host?.end();
    await this.#keeper?.close();
  }

  /** Returns the running agent. One that has ended is started again, with new sessions. */
  async #running({ signal }: Turn, log: Log): Promise<AgentHost> {
    if (this.#host?.lives) return this.#host;
    await this.#host?.end();
    this.#sessions.clear();
    this.#host = await AgentHost.start(this.#options, signal);
    log("agent.started", { program: this.#options.command[0] });
    return this.#host;
  }

  async #newSession(host: AgentHost, { thread, signal }: Turn): Promise<Session> {
    const session: Session = { id: await host.begin(signal), refusals: [], told: undefined };
    this.#sessions.set(thread, session);
    return session;
  }

  async #watching(): Promise<Saves> {
    if (this.#saves !== undefined) return this.#saves;
    const { name, restricted, lane, log, connectOwner } = this.#options;
    this.#keeper ??= await connectOwner();
    const left = this.#left;
    this.#saves = await Saves.watching({ keeper: this.#keeper, name, restricted, lane, left, log });
    return this.#saves;
  }

  /** Returns the agent's prompt: the messages that it has not received yet, and in a new session the thread so far. */
  async #prompt({ client, thread }: Turn, { told, refusals }: Session): Promise<string> {
    const opened = await client.thread.get({ thread });
    const context = await client.thread.context({ thread, budget: BUDGET });
    const said = context.messages.findIndex(({ messageId }) => told !== undefined && messageId === told);
    const { name } = this.#options;
    const fresh = context.messages
      .slice(said + 1)
      .filter(({ author }) => told === undefined || author !== name);
    return [
      told === undefined ? instructions(name, context) : "",
      refusals.length > 0
        ? `Refused in your last answer:\n${refusals.map((why) => `- ${why}`).join("\n")}`
        : "",
      await decisionsOn(client, opened.messages),
      anchorOf(context),
      ...fresh.map(({ author, content }) => saidBy(author, content, fresh.length > 1)),
    ]
      .filter((part) => part !== "")
      .join("\n\n");
  }
}

/** The reason why an answer is incomplete, for each end of a prompt that is no end of an answer. */
const FAILURES: Readonly<Record<StopReason, string | undefined>> = {
  end_turn: undefined,
  cancelled: "The agent cancelled the answer.",
  max_tokens: "The agent's answer was cut, because it reached the model's longest answer.",
  max_turn_requests: "The agent asked its model more often than it may for one answer.",
  refusal: "The agent refused to go on.",
};

function instructions(name: string, { documents }: Result<"thread.context">): string {
  const paths = documents.map(
    ({ path, deleted, permission }) => `- ${path}: ${deleted ? "It is deleted." : MAY[permission]}`,
  );
  return `You are ${name}. You answer people in a thread beside their documents, which are files of this folder. People and
other agents edit them at the same time; read a file again before you edit it. The tools of the MCP server "spliced"
read and edit the documents, and merge your edits with those of others. When you have done what was asked, answer in a
few sentences of Markdown: what you changed and what you left. The thread is about:
${paths.join("\n")}`;
}
