import {
  type Diff,
  type ReadTextFileRequest,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type ToolCallUpdate,
  type ToolKind,
  type WriteTextFileRequest,
} from "@agentclientprotocol/sdk";
import { AnswerFailure } from "../failure.ts";
import type { Turn } from "../turn.ts";
import { AgentFiles, documentAt } from "./files.ts";
import { becameProposal, decide } from "./permission.ts";
import type { Saves } from "./saves.ts";

interface AcpTurnOptions {
  readonly turn: Turn;
  readonly root: string;
  readonly restricted: boolean;
  readonly saves: Saves;
}

/** A tool call as far as the agent has reported it; its updates name only new facts. */
interface Call {
  readonly title: string;
  readonly kind: ToolKind | undefined;
  readonly status: "pending" | "in_progress" | "completed" | "failed";
  readonly diffs: readonly Diff[];
  readonly named: readonly string[];
}

const NEW_CALL: Call = { title: "Runs a tool", kind: undefined, status: "pending", diffs: [], named: [] };
/** Tools that may save files. */
const SAVING: ReadonlySet<ToolKind | undefined> = new Set([
  "edit",
  "delete",
  "move",
  "execute",
  "other",
  undefined,
]);
/** The most tool calls of one answer. */
const MOST_CALLS = 1_000;

/** Owns one answer of an agent: collects its words and answers its requests. */
export class AcpTurn {
  readonly #options: AcpTurnOptions;
  readonly #files: AgentFiles;
  readonly #calls = new Map<string, Call>();
  /** The reasons of refusals, for the agent's next prompt: most agents learn only of the refusal itself. */
  readonly refusals: string[] = [];

  constructor(options: AcpTurnOptions) {
    this.#options = options;
    this.#files = new AgentFiles(options.turn);
  }

  update(update: SessionUpdate): void {
    const { turn } = this.#options;
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        if (update.content.type === "text") turn.say(update.content.text);
        return;
      case "agent_thought_chunk":
        if (update.content.type === "text") turn.think(update.content.text);
        return;
      case "plan":
        turn.plan(update.entries.map(({ content: text, status }) => ({ text, status })));
        return;
      case "tool_call":
      case "tool_call_update":
        this.#call(update);
        return;
      default:
        return; // commands, modes and counts are for an editor
    }
  }

  async permit({ toolCall, options }: RequestPermissionRequest): Promise<RequestPermissionResponse> {
    const { turn, root, restricted } = this.#options;
    if (turn.signal.aborted) return { outcome: { outcome: "cancelled" } };
    const call = this.#call(toolCall);
    const { response, why } = await decide({ ...call, options }, { turn, root, restricted });
    if (why !== undefined) {
      this.#call({ toolCallId: toolCall.toolCallId, status: "failed" });
      this.#refused(why);
    }
    return response;
  }

  async read({ path: named, line, limit }: ReadTextFileRequest): Promise<{ content: string }> {
    const path = this.#documentAt(named);
    const content = await this.#files.read(path, line ?? undefined, limit ?? undefined);
    if (content !== undefined) return { content };
    // Gemini CLI reads a file before it creates it, and gives up if that fails.
    const isCreated = [...this.#calls.values()].some(
      ({ kind, named: files }) =>
        kind === "edit" && files.some((one) => documentAt(this.#options.root, one) === path),
    );
    if (isCreated) return { content: "" };
    throw RequestError.resourceNotFound(named);
  }

  async write({ path: named, content }: WriteTextFileRequest): Promise<void> {
    const { turn } = this.#options;
    const path = this.#documentAt(named);
    if (turn.signal.aborted) throw RequestError.requestCancelled({ reason: "The answer has ended." });
    try {
      const { proposal } = await this.#files.write(path, content);
      if (proposal !== undefined) this.#refused(becameProposal("edit", path, proposal));
    } catch (error) {
      const why = `${path} was not written: ${(error as Error).message}.`;
      this.#refused(why);
      throw RequestError.invalidParams({ reason: why }, why);
    }
  }

  #documentAt(named: string): string {
    const path = documentAt(this.#options.root, named);
    if (path !== undefined) return path;
    const why = `${named} is outside the folder of the documents.`;
    this.#refused(why);
    throw RequestError.invalidParams({ reason: why }, why);
  }

  #refused(why: string): void {
    if (this.refusals.includes(why)) return;
    this.refusals.push(why);
    this.#options.turn.say(
      `\n\n> ${why.replace(/\bYour (?=edit|deletion|new file)/, "The ").replace(/^You may/, "The agent may")}\n\n`,
    );
  }

  /** Shows the newest state of a tool call, and claims the saves that it may make. */
  #call(update: ToolCallUpdate): Call {
    const { turn, saves, root } = this.#options;
    const { toolCallId: id, title, kind, status, content, locations } = update;
    const before = this.#calls.get(id) ?? NEW_CALL;
    if (!this.#calls.has(id) && this.#calls.size >= MOST_CALLS) {
      turn.end(new AnswerFailure(`The agent called more than ${MOST_CALLS} tools.`));
      return before;
    }
    const diffs = content ? content.filter((one) => one.type === "diff") : before.diffs;
    const named = locations ? locations.map(({ path }) => path) : before.named;
    const call: Call = {
      title: title ?? before.title,
      kind: kind ?? before.kind,
      status: status ?? before.status,
      diffs,
      named,
    };
    this.#calls.set(id, call);
    const files = [...named, ...diffs.map(({ path }) => path)].flatMap((one) => documentAt(root, one) ?? []);
    const paths = [...new Set(files)].slice(0, 100);
    const hasEnded = call.status === "completed" || call.status === "failed";
    if (call.status === "completed" && call.kind === "edit")
      for (const { path: named, oldText, newText } of diffs) {
        const path = documentAt(root, named);
        if (path !== undefined) saves.replaced({ path, oldText: oldText ?? "", newText });
      }
    if (hasEnded) saves.close(id);
    else if (SAVING.has(call.kind))
      for (const path of call.kind === "edit" && paths.length > 0 ? paths : [undefined]) saves.open(id, path);
    const sentence = call.title.replaceAll(`${root}/`, "").trim() || NEW_CALL.title;
    turn.tool({ id: id.slice(0, 200) || "call", title: sentence, status: call.status, paths });
    return call;
  }
}
