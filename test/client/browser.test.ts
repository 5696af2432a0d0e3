import { readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { connect } from "../../src/client/browser.ts";
import { DisconnectedError } from "../../src/client/errors.ts";

const SRC = resolve(import.meta.dirname, "../../src");

/** Returns the modules that a module loads, directly or not: paths in src and names of packages. */
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
  test("[CN12] imports nothing of Node, no schemas and no package", () => {
    const graph = [...graphOf(resolve(SRC, "client/browser.ts"))];
    expect(graph).toContain("client/live-text.ts");
    expect(graph.filter((name) => !/^(client|text|paths)\//.test(name)).sort()).toEqual([
      "json-object.ts",
      "transport/page-secret.ts",
    ]);
    expect(graph).not.toContain("client/node.ts");
  });

  afterEach(() => {
    vi.unstubAllGlobals();
  });

  test("[CN11] a page whose connection fails asks whether it is signed in", async () => {
    /** A page's WebSocket, which gets no reason for its failure. */
    class Failing {
      onclose: ((event: object) => void) | null = null;
      constructor(url: string) {
        dialed.push(url);
        queueMicrotask(() => this.onclose?.({ code: 1006, reason: "" }));
      }
    }
    const dialed: string[] = [];
    const requests: string[] = [];
    let answer: () => Promise<object> = async () => ({ status: 401 });
    vi.stubGlobal("location", { protocol: "https:", host: "docs.local:7754" });
    vi.stubGlobal("WebSocket", Failing);
    vi.stubGlobal("fetch", (url: URL) => {
      requests.push(url.href);
      return answer();
    });
    await expect(connect({ name: "page" })).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    answer = async () => ({ status: 204 });
    await expect(connect({ name: "page" })).rejects.toThrow(DisconnectedError);
    answer = () => Promise.reject(new TypeError("failed to fetch"));
    await expect(connect({ name: "page" })).rejects.toThrow(DisconnectedError);
    expect(new Set(dialed)).toEqual(new Set(["wss://docs.local:7754/rpc"]));
    expect(new Set(requests)).toEqual(new Set(["https://docs.local:7754/session"]));
  });
});
