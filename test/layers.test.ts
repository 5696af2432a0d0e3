import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const SRC = resolve(import.meta.dirname, "../src");
/** Lowest first: a file imports its own layer or lower ones. */
const LAYERS = [
  "paths",
  "state",
  "text",
  "work",
  "structured",
  "doc",
  "mirror",
  "store",
  "workspace",
  "protocol",
  "transport",
  "client",
  "web",
  "mcp",
  "daemon",
  "cli",
];
/** Packages that only one place may know. */
const OWNERS: [pkg: string, owner: string][] = [
  ["loro-crdt", "doc/"],
  ["loro-protocol", "protocol/loro/"],
  ["lmdb", "store/lmdb.ts"],
  ["chokidar", "mirror/watcher.ts"],
  ["re2js", "text/regex.ts"],
  ["smol-toml", "structured/toml/"],
  ["jsonc-parser", "structured/json/"],
  ["yaml", "structured/yaml/"],
  ["pino", "daemon/log"],
  ["commander", "cli/"],
  ["koffi", "mirror/system.ts"],
  ["@modelcontextprotocol/sdk", "mcp/"],
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

function layerOf(path: string): number {
  return LAYERS.indexOf(path.split("/")[0]!);
}

describe("layers", () => {
  test("[LA1] every folder of src is a layer", () => {
    const folders = new Set(files.filter((file) => file.includes("/")).map((file) => file.split("/")[0]!));
    expect([...folders].filter((folder) => !LAYERS.includes(folder))).toEqual([]);
  });

  test("[LA1] a file imports its own layer or lower ones", () => {
    const upward = imports.filter(
      ({ file, target }) => layerOf(file) >= 0 && layerOf(target) > layerOf(file),
    );
    expect(upward.map(({ line }) => line)).toEqual([]);
  });

  test("[LA2] text imports nothing outside text, but the packages for diffs and for regexes", () => {
    const outside = imports.filter(
      ({ file, target }) => file.startsWith("text/") && !target.startsWith("text/"),
    );
    const allowed = ["diff", "re2js", "lazily.ts"];
    expect(outside.filter(({ target }) => !allowed.includes(target)).map(({ line }) => line)).toEqual([]);
  });

  test("[LA3] the client, MCP and the command line never reach into the workspace", () => {
    const inside = imports.filter(
      ({ file, target }) => /^(client|mcp|cli)\//.test(file) && target.startsWith("workspace/"),
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
      /^(mirror\/(sandbox|beneath|staging|replace|reading|io|stat|walk|resolve|watcher)\.ts|state\/|store\/|daemon\/|client\/|cli\/|package\.ts)/;
    const stray = imports.filter(({ file, target }) => /^node:fs/.test(target) && !allowed.test(file));
    expect(stray.map(({ line }) => line)).toEqual([]);
  });
});
