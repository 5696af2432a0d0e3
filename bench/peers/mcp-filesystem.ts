import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { MarkedFile } from "../marked.ts";
import type { Scope } from "../scope.ts";

/** Returns a marked file that the MCP filesystem server's `edit_file` edits, over the official SDK. */
export async function mcpMarkedFile(scope: Scope, bytes: number): Promise<MarkedFile> {
  const folder = scope.folder();
  const client = new Client({ name: "bench", version: "1" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [serverFile(), folder],
    stderr: "ignore",
  });
  scope.defer(() => client.close());
  await client.connect(transport);
  return new MarkedFile(folder, bytes, async (oldText, newText) => {
    const path = join(folder, "marked.ts");
    const result = await client.callTool({
      name: "edit_file",
      arguments: { path, edits: [{ oldText, newText }] },
    });
    if (result.isError) throw new Error(`edit_file: ${JSON.stringify(result.content)}`);
  });
}

function serverFile(): string {
  const manifest = createRequire(import.meta.url).resolve(
    "@modelcontextprotocol/server-filesystem/package.json",
  );
  const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { bin: Record<string, string> };
  return join(dirname(manifest), Object.values(bin)[0]!);
}
