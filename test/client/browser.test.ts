import { readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const SRC = resolve(import.meta.dirname, "../../src");

/** What a module imports once it runs, and what that does, by path in src or package name. */
function graphOf(file: string, seen = new Set<string>()): Set<string> {
  seen.add(relative(SRC, file));
  const source = readFileSync(file, "utf8");
  for (const [, names, target] of source.matchAll(
    /^(?:import|export) (?:(?!type )([^";]+) from )?"([^"]+)";/gm,
  )) {
    if (names?.replaceAll(/[{}]/g, "").split(",").every(isType)) continue;
    if (!target!.startsWith(".")) seen.add(target!);
    else if (!seen.has(relative(SRC, resolve(dirname(file), target!))))
      graphOf(resolve(dirname(file), target!), seen);
  }
  return seen;
}

function isType(name: string): boolean {
  return /^\s*(type |$)/.test(name);
}

describe("the client in a browser", () => {
  test("[CN12] takes in nothing of Node, no schemas, and of packages only the one for globs", () => {
    const graph = [...graphOf(resolve(SRC, "client/browser.ts"))];
    expect(graph).toContain("client/live-text.ts");
    expect(graph.filter((name) => !/^(client|text|paths)\//.test(name))).toEqual(["picomatch"]);
    expect(graph).not.toContain("client/node.ts");
  });
});
