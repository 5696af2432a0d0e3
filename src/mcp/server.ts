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
  /** Reaches the workspace under an agent's name. */
  readonly open: (name: string) => Caller;
  /** The agent's name, where it is not to be what the MCP client calls itself. */
  readonly agent?: string | undefined;
  /** False while the client does not take what was sent to it. */
  readonly ready?: () => boolean;
  /** How long a tool may take. */
  readonly deadlineMs?: number;
}

/** One MCP client's server. */
export interface McpSession {
  readonly server: Server;
  /** Resolves when everything that was asked is answered. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

const INSTRUCTIONS =
  "These documents are files that people and other agents edit at the same time as you. Read and edit them with " +
  "these tools, not through the file system: your edits are merged with what others do, nobody's are lost, and " +
  "every change can be taken back with undo.";

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
  let begun: { agent: Agent; resources: Resources } | undefined;
  // The client's name is known once it has initialized.
  const begin = () => {
    if (begun === undefined) {
      const agent = new Agent(open(safeName(name ?? server.getClientVersion()?.name ?? "", "mcp")));
      begun = { agent, resources: new Resources(agent.caller, announcer) };
    }
    return begun;
  };
  const calls = new ToolCalls(() => begin().agent, deadlineMs);
  server.oninitialized = () => void begin();

  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: mcpTools.map(describeTool) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) =>
    calls.call(params.name, params.arguments, signal),
  );
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }) =>
    begin().resources.list(params?.cursor),
  );
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: TEMPLATE, name: "document", description: "A document, by its path." }],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => begin().resources.read(params.uri));
  server.setRequestHandler(SubscribeRequestSchema, async ({ params }) => ({
    ...(await begin().resources.subscribe(params.uri)),
  }));
  server.setRequestHandler(UnsubscribeRequestSchema, async ({ params }) => ({
    ...(await begin().resources.unsubscribe(params.uri)),
  }));

  return {
    server,
    idle: () => calls.idle(),
    async close() {
      announcer.close();
      begun?.agent.caller.close();
      await server.close();
    },
  };
}

/** A tool as clients are told of it. */
export function describeTool({ name, description, reads, schema, example }: Tool): WireTool {
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(schema, { io: "input" });
  return {
    name,
    description: `${description}\nExample: ${JSON.stringify(example)}`,
    inputSchema: inputSchema as WireTool["inputSchema"],
    annotations: { readOnlyHint: reads, destructiveHint: false, openWorldHint: false },
  };
}
