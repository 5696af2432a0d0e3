import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { mcpReference } from "../../src/mcp/reference.ts";

test("[MC37] the reference matches the descriptions that clients get; npm run docs writes it", () => {
  expect(readFileSync(resolve(import.meta.dirname, "../../docs/mcp.md"), "utf8")).toBe(mcpReference());
});
