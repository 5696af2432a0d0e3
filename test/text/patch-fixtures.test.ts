import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { placePatch } from "../../src/text/locate.ts";
import { isPatchFailure, type PatchFailure, parsePatch } from "../../src/text/patch.ts";
import { Text } from "../../src/text/text.ts";

const folder = new URL("../../fixtures/patches/", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, folder), "utf8");

/** The text that a patch makes of a document, or why it is refused. */
function outcome(base: string, source: string): string | PatchFailure {
  const patch = parsePatch(source);
  const placement = isPatchFailure(patch) ? patch : placePatch(Text.of(base), patch);
  return isPatchFailure(placement) ? placement : Text.of(base).splice(placement.splices).toString();
}

describe("fixtures/patches", () => {
  for (const name of readdirSync(folder))
    test(`[PL15] ${name}`, () => {
      const result = outcome(read(`${name}/base`), read(`${name}/patch`));
      if (existsSync(new URL(`${name}/expected`, folder))) expect(result).toBe(read(`${name}/expected`));
      else expect(result).toMatchObject(JSON.parse(read(`${name}/rejected.json`)));
    });
});
