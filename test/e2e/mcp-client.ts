import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Located } from "../../src/client/index.ts";
import { Host } from "../helpers/mcp-host.ts";
import { atEnd } from "./cleanup.ts";
import { BIN } from "./daemon.ts";

/** Through `spliced mcp`, run in a folder. */
export async function stdioHost(
  cwd: string,
  name = "claude-code",
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Host> {
  return connected(
    name,
    new StdioClientTransport({
      command: process.execPath,
      args: [BIN, "mcp", ...args],
      cwd,
      env: { ...getDefaultEnvironment(), XDG_STATE_HOME: process.env["XDG_STATE_HOME"]!, ...env },
      stderr: "ignore",
    }),
  );
}

/** Through `/mcp` of a daemon's port. */
export async function httpHost({ url, token }: Located, name = "claude-code"): Promise<Host> {
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  // The SDK's own types leave out that a transport's session id may be undefined.
  return connected(
    name,
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }) as Transport,
  );
}

async function connected(name: string, transport: Transport): Promise<Host> {
  const client = new Client({ name, version: "1" });
  await client.connect(transport);
  atEnd(() => client.close());
  return new Host(client);
}
