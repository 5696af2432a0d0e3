import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
  type Tool as WireTool,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { safeName } from "../protocol/names.ts";
import { Agent } from "./agent.ts";
import type { Caller } from "./caller.ts";
import { ResourceNotifier } from "./resource-notifier.ts";
import { Resources, TEMPLATE } from "./resources.ts";
import type { Tool } from "./tool.ts";
import { ToolCalls } from "./tool-calls.ts";
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
}

/** The server of one MCP client. */
export interface McpSession {
  readonly server: Server;
  /** Resolves when every call has its answer. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

const INSTRUCTIONS =
  "These documents are files that people and other agents edit at the same time as you. Read and edit them with " +
  "these tools, not through the file system. The daemon merges your edits with the changes of others, loses " +
  "none, and can undo each change with the tool undo.";

export function createMcpSession(options: McpSessionOptions): McpSession {
  const { version, open, agent: name, ready = () => true, deadlineMs } = options;
  const server = new Server(
    { name: "spliced", version },
    {
      capabilities: { tools: {}, resources: { subscribe: true, listChanged: true } },
      instructions: INSTRUCTIONS,
    },
  );
  const announcer = new ResourceNotifier({
    ready,
    updated: (uri) => server.sendResourceUpdated({ uri }),
    listChanged: () => server.sendResourceListChanged(),
  });
  let connected: { agent: Agent; resources: Resources } | undefined;
  // The client's name is known after its initialize request.
  const connect = () => {
    if (connected === undefined) {
      const agent = new Agent(open(safeName(name ?? server.getClientVersion()?.name ?? "", "mcp")));
      connected = { agent, resources: new Resources(agent.caller, announcer) };
    }
    return connected;
  };
  const calls = new ToolCalls(() => connect().agent, deadlineMs);
  server.oninitialized = () => void connect();

  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: mcpTools.map(describeTool) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) =>
    calls.call(params.name, params.arguments, signal),
  );
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }) =>
    connect().resources.list(params?.cursor),
  );
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [
      { uriTemplate: TEMPLATE, name: "document", description: "A text document by its path." },
    ],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => connect().resources.read(params.uri));
  server.setRequestHandler(SubscribeRequestSchema, async ({ params }) => ({
    ...(await connect().resources.subscribe(params.uri)),
  }));
  server.setRequestHandler(UnsubscribeRequestSchema, async ({ params }) => ({
    ...(await connect().resources.unsubscribe(params.uri)),
  }));

  return {
    server,
    idle: () => calls.idle(),
    async close() {
      announcer.close();
      connected?.agent.caller.close();
      await server.close();
    },
  };
}

/** Returns the description of a tool for clients. */
function describeTool({ name, description, reads, schema, example }: Tool): WireTool {
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(schema, { io: "input" });
  return {
    name,
    description: `${description}\nExample: ${JSON.stringify(example)}`,
    inputSchema: inputSchema as WireTool["inputSchema"],
    annotations: { readOnlyHint: reads, destructiveHint: false, openWorldHint: false },
  };
}
