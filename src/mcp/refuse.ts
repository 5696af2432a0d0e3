import type { ServerResponse } from "node:http";

/** Answers with an error in the form that MCP clients expect of a transport. */
export function refuse(
  response: ServerResponse,
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", connection: "close", ...headers });
  response.end(JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: null }));
}
