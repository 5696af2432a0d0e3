import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { onTestFinished } from "vitest";
import type { Caller } from "../../src/mcp/caller.ts";
import { inProcessCaller } from "../../src/mcp/in-process.ts";
import { McpSession, type McpSessionOptions } from "../../src/mcp/session.ts";
import { type Holder, type Service, serve } from "../../src/protocol/service/service.ts";
import { Settings } from "../../src/protocol/service/settings.ts";
import { type AccessRule, AgentBounds, FULL_RIGHTS, Rights } from "../../src/workspace/access/rights.ts";
import type { Limits } from "../../src/workspace/ports.ts";
import { alone } from "../helpers/alone.ts";
import { LANE_PORTS } from "../helpers/lane-ports.ts";
import { Host } from "../helpers/mcp-host.ts";
import { Bench } from "../workspace/harness.ts";

export const OWNER: Holder = { name: "owner", rights: FULL_RIGHTS };

export function serviceOf(bench: Bench, agents = new AgentBounds()): Service {
  return serve(bench.workspace, {
    machines: alone(bench.workspace),
    serverVersion: "0.0.0",
    maxMessageBytes: 100_000,
    settings: new Settings({ patchMode: true, legacyOps: false }),
    promptsInHistory: false,
    lanes: LANE_PORTS,
    expireDays: 30,
    agents,
    log() {},
  });
}

/** A workspace with one MCP client in it. */
export class McpWorkspace extends Host {
  readonly bench: Bench;
  readonly service: Service;

  private constructor(client: Client, bench: Bench, service: Service) {
    super(client);
    this.bench = bench;
    this.service = service;
  }

  static async in(
    files: Record<string, string>,
    options: Partial<McpSessionOptions> = {},
    limits: Partial<Limits> = {},
    agents?: AgentBounds,
  ): Promise<McpWorkspace> {
    const bench = new Bench(files, limits);
    const service = serviceOf(bench, agents);
    return new McpWorkspace(await join(service, "claude-code", options), bench, service);
  }

  /** An MCP client with another token. */
  async holding(rules: readonly AccessRule[]): Promise<Host> {
    const holder = { name: "guest", rights: new Rights(rules) };
    return new Host(
      await join(this.service, "cursor", { open: (agent) => inProcessCaller(this.service, holder, agent) }),
    );
  }

  /** Another MCP client in the same workspace. */
  async another(name: string, options: Partial<McpSessionOptions> = {}): Promise<Host> {
    return new Host(await join(this.service, name, options));
  }

  /** Another agent, which uses the protocol. */
  colleague(name: string): Caller {
    const caller = inProcessCaller(this.service, OWNER, name);
    onTestFinished(() => caller.close());
    return caller;
  }
}

async function join(service: Service, name: string, options: Partial<McpSessionOptions>): Promise<Client> {
  const session = new McpSession({
    version: "0.0.0",
    open: (agent) => inProcessCaller(service, OWNER, agent),
    ...options,
  });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name, version: "1" });
  await Promise.all([session.server("legacy").connect(ours), client.connect(theirs)]);
  onTestFinished(() => session.close());
  return client;
}
