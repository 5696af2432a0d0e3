import { Server } from "@modelcontextprotocol/server";
import { safeName } from "../protocol/base/names.ts";
import { Agent } from "./agent.ts";
import type { Caller } from "./caller.ts";
import { describeTool } from "./describe-tool.ts";
import { clientIn, type ListenFilter } from "./envelope.ts";
import { ResourceNotifier } from "./resource-notifier.ts";
import { Resources, TEMPLATE } from "./resources.ts";
import type { Tool } from "./tool.ts";
import { ToolCalls } from "./tool-calls.ts";
import { patchTool } from "./tools/edits.ts";
import { mcpTools } from "./tools.ts";

export interface McpSessionOptions {
  readonly version: string;
  /** Opens access to the workspace under an agent's name. */
  readonly open: (name: string) => Caller;
  /** The agent's name; the MCP client's own name if undefined. */
  readonly agent?: string | undefined;
  /** False while the client does not read. */
  readonly ready?: () => boolean;
  /** Milliseconds within which each call of a tool is answered. */
  readonly deadlineMs?: number;
  /** True if several clients may share this state, so that a whole text has to name the version of its read. */
  readonly namesVersions?: boolean;
}

/** The form of MCP that a server speaks: with `initialize`, or that of 2026-07-28. */
export type Era = "legacy" | "modern";

const INSTRUCTIONS =
  "These documents are files that people and other agents edit at the same time as you. Read and edit them with " +
  "these tools, not through the file system. The daemon merges your edits with the changes of others, loses " +
  "none, and can undo each change with undo_change.";

/** Owns the state of one MCP client: its access to the workspace, the order of its calls, and its subscriptions. */
export class McpSession {
  readonly #options: McpSessionOptions;
  readonly #notifier: ResourceNotifier;
  readonly #calls: ToolCalls;
  #connected: { readonly agent: Agent; readonly resources: Resources } | undefined;
  #newest: Server | undefined;

  constructor(options: McpSessionOptions) {
    this.#options = options;
    this.#notifier = new ResourceNotifier({
      ready: options.ready ?? (() => true),
      updated: async (uri) => this.#newest?.sendResourceUpdated({ uri }),
      listChanged: async () => this.#newest?.sendResourceListChanged(),
    });
    this.#calls = new ToolCalls(options.deadlineMs);
  }

  /** Makes a server of this session. The newest one sends the notifications. */
  server(era: Era): Server {
    const server = new Server(
      { name: "spliced", title: "Spliced", version: this.#options.version },
      {
        capabilities: { tools: {}, resources: { subscribe: true, listChanged: true } },
        instructions: INSTRUCTIONS,
      },
    );
    this.#newest = server;
    // The name of an older client is known after its initialize request; a newer one sends it with each request.
    const connect = ({ mcpReq: { envelope } }: Asked = { mcpReq: {} }) =>
      this.#connect(clientIn({ params: { _meta: envelope } }) || server.getClientVersion()?.name);
    if (era === "legacy") server.oninitialized = () => void connect();

    server.setRequestHandler("tools/list", async (_request, asked) => {
      const { caller } = connect(asked).agent;
      // A daemon that does not answer now reports that at the first call of a tool.
      const settings = await caller.request("settings.get", {}).catch(() => undefined);
      const isOffered = ({ name }: Tool) => name !== patchTool.name || (settings?.patchMode ?? true);
      return { tools: mcpTools.filter(isOffered).map(describeTool) };
    });
    server.setRequestHandler("tools/call", ({ params }, asked) =>
      this.#calls.call(params.name, params.arguments, asked.mcpReq.signal, () => connect(asked).agent),
    );
    server.setRequestHandler("resources/list", async ({ params }, asked) => {
      const { resources } = connect(asked);
      // A newer client asks for notifications with subscriptions/listen.
      if (era === "legacy") await resources.listen({ resourcesListChanged: true });
      return resources.list(params?.cursor);
    });
    server.setRequestHandler("resources/templates/list", () => ({
      resourceTemplates: [
        { uriTemplate: TEMPLATE, name: "document", description: "A text document by its path." },
      ],
    }));
    server.setRequestHandler("resources/read", ({ params }, asked) =>
      connect(asked).resources.read(params.uri),
    );
    server.setRequestHandler("resources/subscribe", async ({ params }, asked) => {
      await connect(asked).resources.subscribe(params.uri);
      return {};
    });
    server.setRequestHandler("resources/unsubscribe", async ({ params }, asked) => {
      await connect(asked).resources.unsubscribe(params.uri);
      return {};
    });
    return server;
  }

  /** Sends notifications of the subjects that a client requests; the transport leaves out the others. */
  async listen(filter: ListenFilter, client: string | undefined): Promise<void> {
    await this.#connect(client).resources.listen(filter);
  }

  async close(): Promise<void> {
    this.#notifier.close();
    this.#connected?.agent.caller.close();
    await this.#newest?.close();
  }

  #connect(client = ""): { readonly agent: Agent; readonly resources: Resources } {
    if (this.#connected === undefined) {
      const { agent: given, open, namesVersions } = this.#options;
      const name = safeName(given ?? client, "mcp");
      const agent = new Agent(open(name), name, namesVersions);
      this.#connected = { agent, resources: new Resources(agent.caller, this.#notifier) };
    }
    return this.#connected;
  }
}

/** The part of a request's context that names its client. */
interface Asked {
  readonly mcpReq: { readonly envelope?: object };
}
