import type { McpEndpoint } from "../mcp/http.ts";
import type { Service } from "../protocol/service.ts";
import type { AccessKeys } from "../transport/access.ts";
import type { ServerOptions } from "../transport/server.ts";

/** The door for MCP clients; the SDK behind it is loaded when the first one comes. */
export function mcpDoor(
  service: Service,
  keys: AccessKeys,
): { handle: ServerOptions["mcp"]; close(): Promise<void> } {
  let door: Promise<McpEndpoint> | undefined;
  return {
    async handle(request, response, holder) {
      door ??= import("../mcp/http.ts").then(({ McpEndpoint }) => new McpEndpoint(service, keys));
      await (await door).handle(request, response, holder);
    },
    close: async () => (await door)?.close(),
  };
}
