import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { MARKED, MarkedFile } from "../marked.ts";
import type { Scope } from "../scope.ts";

/** Starts the MCP filesystem server for a folder, over the official SDK. Its `edit_file` edits a file. */
export async function startMcpFilesystem(scope: Scope, folder: string) {
  const client = new Client({ name: "bench", version: "1" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [serverFile(), folder],
    stderr: "ignore",
  });
  scope.defer(() => client.close());
  await client.connect(transport);
  return {
    pid: transport.pid!,
    async edit(path: string, oldText: string, newText: string): Promise<void> {
      const result = await client.callTool({
        name: "edit_file",
        arguments: { path: join(folder, path), edits: [{ oldText, newText }] },
      });
      if (result.isError) throw new Error(`edit_file: ${JSON.stringify(result.content)}`);
    },
  };
}

/** Returns a marked file that the MCP filesystem server edits. */
export async function mcpMarkedFile(scope: Scope, bytes: number): Promise<MarkedFile> {
  const folder = scope.folder();
  const { pid, edit } = await startMcpFilesystem(scope, folder);
  return new MarkedFile(folder, bytes, pid, (old, updated) => edit(MARKED, old, updated));
}

function serverFile(): string {
  const manifest = createRequire(import.meta.url).resolve(
    "@modelcontextprotocol/server-filesystem/package.json",
  );
  const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { bin: Record<string, string> };
  return join(dirname(manifest), Object.values(bin)[0]!);
}
