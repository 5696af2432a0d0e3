import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { onTestFinished } from "vitest";
import type { Caller } from "../../src/mcp/caller.ts";
import { inProcess } from "../../src/mcp/in-process.ts";
import { type McpOptions, mcpSession } from "../../src/mcp/server.ts";
import { type Holder, type Service, serve } from "../../src/protocol/service.ts";
import { EVERYTHING, Rights, type Rule } from "../../src/workspace/access/rights.ts";
import type { Limits } from "../../src/workspace/ports.ts";
import { Host } from "../helpers/mcp-host.ts";
import { Bench } from "../workspace/harness.ts";

export const OWNER: Holder = { name: "owner", rights: EVERYTHING };

export function serviceOf(bench: Bench): Service {
  return serve(bench.workspace, {
    serverVersion: "0.0.0",
    maxMessageBytes: 100_000,
    ignore: () => false,
    legacyOps: false,
    expireDays: 30,
    log() {},
  });
}

/** A workspace with one MCP client in it. */
export class Guest extends Host {
  readonly bench: Bench;
  readonly service: Service;

  private constructor(client: Client, bench: Bench, service: Service) {
    super(client);
    this.bench = bench;
    this.service = service;
  }

  static async in(
    files: Record<string, string>,
    options: Partial<McpOptions> = {},
    limits: Partial<Limits> = {},
  ): Promise<Guest> {
    const bench = new Bench(files, limits);
    const service = serviceOf(bench);
    return new Guest(await join(service, "claude-code", options), bench, service);
  }

  /** An MCP client with another token. */
  async holding(rules: readonly Rule[]): Promise<Host> {
    const holder = { name: "guest", rights: new Rights(rules) };
    return new Host(
      await join(this.service, "cursor", { open: (agent) => inProcess(this.service, holder, agent) }),
    );
  }

  /** Another MCP client in the same workspace. */
  async another(name: string, options: Partial<McpOptions> = {}): Promise<Host> {
    return new Host(await join(this.service, name, options));
  }

  /** Another agent, which uses the protocol. */
  colleague(name: string): Caller {
    const caller = inProcess(this.service, OWNER, name);
    onTestFinished(() => caller.close());
    return caller;
  }
}

async function join(service: Service, name: string, options: Partial<McpOptions>): Promise<Client> {
  const session = mcpSession({
    version: "0.0.0",
    open: (agent) => inProcess(service, OWNER, agent),
    ...options,
  });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name, version: "1" });
  await Promise.all([session.server.connect(ours), client.connect(theirs)]);
  onTestFinished(() => session.close());
  return client;
}
