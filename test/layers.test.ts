import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const SRC = resolve(import.meta.dirname, "../src");
/** Lowest first: a file imports its own layer or lower ones. The picture in SPEC.md shows the same order. */
const LAYERS = [
  "lazily.ts",
  "json-object.ts",
  "user-name.ts",
  "package.ts",
  "own-program.ts",
  "stack-traces.ts",
  "system",
  "paths",
  "state",
  "text",
  "text/diff",
  "text/merge",
  "text/patch",
  "text/find",
  "work",
  "structured",
  "doc",
  "mirror",
  "mirror/disk",
  "mirror/editors",
  "store",
  "store/format",
  "store/log",
  "store/lmdb",
  "workspace/ids.ts",
  "workspace/keyed-queue.ts",
  "workspace/once.ts",
  "workspace/versions",
  "workspace/seen",
  "workspace/outcome",
  "workspace/access",
  "workspace/planners",
  "workspace/workers",
  "workspace/claims",
  "workspace/search",
  "workspace/cover",
  "workspace/ports.ts",
  "workspace/events",
  "workspace/journal",
  "workspace/saves",
  "workspace/document",
  "workspace/conflicts",
  "workspace/folder",
  "workspace/edits",
  "workspace/history",
  "workspace/batches",
  "workspace/proposals",
  "workspace/sharing",
  "workspace/threads",
  "link/base",
  "link/members",
  "link/carrier",
  "link/state",
  "link/messages",
  "link/sending",
  "link/snapshots",
  "link/receiving",
  "link/catch-up",
  "link/talk",
  "link",
  "lanes/records",
  "lanes/disk",
  "lanes/file",
  "lanes",
  "protocol/schemas",
  "protocol/base",
  "protocol/params",
  "protocol/telemetry",
  "protocol/service",
  "protocol/reference",
  "protocol/handlers",
  "protocol/frames",
  "protocol/notices",
  "protocol/session",
  "protocol/loro",
  "transport",
  "client",
  "hooks",
  "web/state/base",
  "web/state/changes",
  "web/state/documents",
  "web/state/proposals",
  "web/state/threads",
  "web/state/health",
  "web/state",
  "web/parts/controls",
  "web/parts",
  "web/parts/changes",
  "web/parts/cards",
  "web/views",
  "web/shell",
  "web",
  "mcp",
  "daemon/tokens",
  "daemon/config",
  "daemon/log",
  "daemon/process",
  "daemon/reports",
  "daemon/machines",
  "daemon/parts",
  "daemon/doctor",
  "daemon",
  "agent",
  "cli/terminal",
  "cli/connection",
  "cli/completion",
  "cli/documents",
  "cli/history",
  "cli/proposals",
  "cli/service",
  "cli/sharing",
  "cli/agents",
  "cli",
  "index.ts",
];
const MOST_LINES = 300;
/** Packages that only one place may know. */
const OWNERS: [pkg: string, owner: string][] = [
  ["loro-crdt", "doc/"],
  ["loro-protocol", "protocol/loro/"],
  ["lmdb", "store/lmdb/"],
  ["chokidar", "mirror/disk/watcher.ts"],
  ["diff", "text/diff/unified.ts"],
  ["re2js", "text/find/regex.ts"],
  ["smol-toml", "structured/toml/"],
  ["jsonc-parser", "structured/json/"],
  ["yaml", "structured/yaml/"],
  ["pino", "daemon/log"],
  ["commander", "cli/"],
  ["koffi", "system/"],
  ["markdown-it", "web/views/threads/prose.ts"],
  ["@modelcontextprotocol/sdk", "mcp/"],
  ["@agentclientprotocol/sdk", "agent/acp/"],
  ["@nats-io/jetstream", "link/carrier/nats-"],
  ["@nats-io/obj", "link/carrier/nats-"],
  ["@nats-io/transport-node", "link/carrier/nats-"],
];

interface Import {
  readonly file: string;
  readonly target: string;
  readonly typeOnly: boolean;
  readonly line: string;
}

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) =>
  /(?<!\.d)\.tsx?$/.test(file),
);
const imports = files.flatMap((file) => importsOf(file));

function importsOf(file: string): Import[] {
  const source = readFileSync(join(SRC, file), "utf8");
  const found = source.matchAll(/(?:(import\s+type\s[^"]*)from|from|import)\s*\(?\s*"([^"]+)"/g);
  return [...found].map(([, type, from]) => ({
    file,
    target: from!.startsWith(".") ? relative(SRC, resolve(SRC, dirname(file), from!)) : from!,
    typeOnly: type !== undefined,
    line: `${file} imports ${from}`,
  }));
}

/** The place of a file's layer, the innermost folder of the list that it is in; -1 when it has none. */
function layerOf(path: string): number {
  const around = LAYERS.filter((layer) => path === layer || path.startsWith(`${layer}/`));
  return LAYERS.indexOf(around.toSorted((a, b) => b.length - a.length)[0] ?? "");
}

/** The files that import one another in a circle, directly or through others. */
function circles(): string[][] {
  const targets = new Map(files.map((file) => [file, imports.filter((one) => one.file === file)]));
  const reach = (from: string): Set<string> => {
    const seen = new Set<string>();
    const next = [from];
    for (let file = next.pop(); file !== undefined; file = next.pop())
      for (const { target } of targets.get(file) ?? [])
        if (!seen.has(target) && targets.has(target)) {
          seen.add(target);
          next.push(target);
        }
    return seen;
  };
  const reached = new Map(files.map((file) => [file, reach(file)]));
  const found = new Map<string, string[]>();
  for (const file of files) {
    const circle = files.filter((other) => reached.get(file)!.has(other) && reached.get(other)!.has(file));
    if (circle.length > 0) found.set(circle.join(), circle);
  }
  return [...found.values()];
}

describe("layers", () => {
  test("[LA1] every file of src is in a layer, and every layer has a file", () => {
    expect(files.filter((file) => layerOf(file) === -1)).toEqual([]);
    expect(LAYERS.filter((_, layer) => !files.some((file) => layerOf(file) === layer))).toEqual([]);
  });

  test("[LA1] a file imports its own layer or lower ones", () => {
    const upward = imports.filter(({ file, target }) => layerOf(target) > layerOf(file));
    expect(upward.map(({ line }) => line)).toEqual([]);
  });

  test("[LA9] no files import one another in a circle, types included", () => {
    const inside = imports.filter(({ target }) => files.includes(target));
    expect(inside.length).toBeGreaterThan(files.length);
    expect(inside.some(({ typeOnly }) => typeOnly)).toBe(true);
    expect(circles()).toEqual([]);
  });

  test("[LA13] no file is long", () => {
    const sources = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) =>
      /\.(ts|tsx|css|html|js)$/.test(file),
    );
    expect(sources.length).toBeGreaterThan(files.length);
    const linesOf = (file: string) => readFileSync(join(SRC, file), "utf8").trimEnd().split("\n").length;
    expect(sources.filter((file) => linesOf(file) > MOST_LINES)).toEqual([]);
  });

  test("[LA2] text imports nothing outside text, but the packages for diffs and for regexes", () => {
    const outside = imports.filter(
      ({ file, target }) => file.startsWith("text/") && !target.startsWith("text/"),
    );
    const allowed = ["diff", "re2js", "lazily.ts"];
    expect(outside.filter(({ target }) => !allowed.includes(target)).map(({ line }) => line)).toEqual([]);
  });

  test("[LA3] the client, MCP, the agent and the command line never reach into the workspace", () => {
    const inside = imports.filter(
      ({ file, target }) => /^(client|mcp|agent|cli)\//.test(file) && target.startsWith("workspace/"),
    );
    expect(inside.map(({ line }) => line)).toEqual([]);
  });

  test("[LA7] the page takes the client as browsers have it, and pure functions and types of what lies below", () => {
    const inside = imports.filter(
      ({ file, target, typeOnly }) =>
        file.startsWith("web/") &&
        target.includes(".ts") &&
        !/^(web\/|text\/|client\/browser\.ts)/.test(target) &&
        !typeOnly,
    );
    expect(inside.map(({ line }) => line)).toEqual([]);
  });

  test("[LA4] a package is known in one place", () => {
    const stray = OWNERS.flatMap(([pkg, owner]) =>
      imports.filter(
        ({ file, target }) => (target === pkg || target.startsWith(`${pkg}/`)) && !file.startsWith(owner),
      ),
    );
    expect(stray.map(({ line }) => line)).toEqual([]);
  });

  test("[LA5] only the sandbox and its helpers touch workspace files", () => {
    const allowed =
      /^(mirror\/(editors|disk)\/|state\/|store\/|lanes\/disk\/|daemon\/|client\/|cli\/|hooks\/files\.ts|package\.ts|own-program\.ts|stack-traces\.ts|system\/boot\.ts)/;
    const stray = imports.filter(({ file, target }) => /^node:fs/.test(target) && !allowed.test(file));
    expect(stray.map(({ line }) => line)).toEqual([]);
  });
});
