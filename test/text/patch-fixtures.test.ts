import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Placement, placePatch } from "../../src/text/patch/locate.ts";
import { isPatchFailure, type Match, type PatchFailure, parsePatch } from "../../src/text/patch/patch.ts";
import { Text } from "../../src/text/text.ts";

const folder = new URL("../../fixtures/patches/", import.meta.url);
const has = (path: string) => existsSync(new URL(path, folder));
const read = (path: string) => readFileSync(new URL(path, folder), "utf8");

interface Options {
  readonly match?: Match;
}

/** Returns the place of a patch, or the reason of its refusal. */
function placed(base: string, source: string, { match }: Options): Placement | PatchFailure {
  const patch = parsePatch(source, match);
  return isPatchFailure(patch) ? patch : placePatch(Text.of(base), patch, match);
}

describe("fixtures/patches", () => {
  for (const name of readdirSync(folder))
    test(`[PL15] ${name}`, () => {
      const base = read(`${name}/base`);
      const options = has(`${name}/options.json`) ? JSON.parse(read(`${name}/options.json`)) : {};
      const result = placed(base, read(`${name}/patch`), options);
      if (!has(`${name}/expected`)) {
        expect(result).toMatchObject(JSON.parse(read(`${name}/rejected.json`)));
        return;
      }
      if (isPatchFailure(result)) throw new Error(`${result.reason}: ${result.message}`);
      expect(Text.of(base).splice(result.splices).toString()).toBe(read(`${name}/expected`));
      if (has(`${name}/placed.json`)) expect(result).toMatchObject(JSON.parse(read(`${name}/placed.json`)));
    });
});
