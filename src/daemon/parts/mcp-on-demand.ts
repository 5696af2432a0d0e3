import type { McpEndpoint } from "../../mcp/http.ts";
import type { Service } from "../../protocol/service/service.ts";
import type { AccessKeys } from "../../transport/access.ts";
import type { ServerOptions } from "../../transport/server.ts";

/** Returns the MCP endpoint of a daemon, which loads the MCP SDK at the first request. */
export function mcpOnDemand(
  service: Service,
  keys: AccessKeys,
): { handle: ServerOptions["mcp"]; close(): Promise<void> } {
  let endpoint: Promise<McpEndpoint> | undefined;
  return {
    async handle(request, response, holder) {
      endpoint ??= import("../../mcp/http.ts").then(({ McpEndpoint }) => new McpEndpoint(service, keys));
      await (await endpoint).handle(request, response, holder);
    },
    close: async () => (await endpoint)?.close(),
  };
}
