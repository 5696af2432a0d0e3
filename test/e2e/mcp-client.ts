import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Located } from "../../src/client/index.ts";
import { connectOverHttp, Host } from "../helpers/mcp-host.ts";
import { atEnd } from "./cleanup.ts";
import { BIN } from "./daemon.ts";

/** Through `spliced mcp`, run in a folder. */
export async function stdioHost(
  cwd: string,
  name = "claude-code",
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  bin = BIN,
): Promise<Host> {
  const client = new Client({ name, version: "1" });
  atEnd(() => client.close());
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [bin, "mcp", ...args],
      cwd,
      env: { ...getDefaultEnvironment(), XDG_STATE_HOME: process.env["XDG_STATE_HOME"]!, ...env },
      stderr: "ignore",
    }),
  );
  return new Host(client);
}

/** Through `/mcp` of a daemon's port. */
export async function httpHost({ url, token }: Located, name = "claude-code"): Promise<Host> {
  const client = await connectOverHttp(`${url}/mcp`, token, name);
  atEnd(() => client.close());
  return new Host(client);
}
