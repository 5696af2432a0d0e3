import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { protocolReference } from "../../src/protocol/reference/reference.ts";

test("[PR1] the reference equals the schemas' text; npm run docs writes it", () => {
  expect(readFileSync(resolve(import.meta.dirname, "../../docs/protocol.md"), "utf8")).toBe(
    protocolReference(),
  );
});
