// `npm run docs`: writes the references from the schemas and the MCP tools.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { mcpReference } from "../src/mcp/reference.ts";
import { protocolReference } from "../src/protocol/reference/reference.ts";

writeFileSync(join(import.meta.dirname, "protocol.md"), protocolReference());
writeFileSync(join(import.meta.dirname, "mcp.md"), mcpReference());
