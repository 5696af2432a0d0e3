import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import type { Health } from "../../src/daemon/reports/health.ts";
import { further } from "../helpers/further.ts";
import { packageOf, sourcesOf } from "./build.ts";
import { BIN, type Daemon, startDaemon } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { until } from "./until.ts";

const RECORDER = resolve(import.meta.dirname, "record-loaded.js");

/** Returns arguments with which Node records the files that it loads, and a reader of the record. */
function recorded(): { readonly args: string[]; lines(): string[]; loaded(): Set<string> } {
  const folder = makeFolder();
  const url = new URL(`file://${RECORDER}`);
  url.searchParams.set("to", folder.at("loaded"));
  const lines = () => folder.read("loaded").split("\n");
  return { args: ["--import", url.href], lines, loaded: () => new Set(lines().flatMap(partsOf)) };
}

/** Returns the packages, and the layers of `src`, that a loaded file contains: a file of the build has several. */
function partsOf(loaded: string): string[] {
  const file = loaded.startsWith("file:") ? fileURLToPath(loaded) : loaded;
  return [file, ...sourcesOf(file)].flatMap(
    (path) => packageOf(path) ?? /^src\/(\w+)\//.exec(path)?.[1] ?? [],
  );
}

const SELDOM = ["yaml", "smol-toml", "jsonc-parser", "re2js", "@modelcontextprotocol/server", "mcp", "jiti"];

/** The layers that only a daemon needs. The client also uses positions and splices. */
const DAEMON = ["daemon", "workspace", "mirror", "store", "doc", "transport", "loro-crdt", "lmdb", "zod"];

async function serving(work: (daemon: Daemon, folder: Folder) => Promise<unknown>): Promise<Set<string>> {
  const folder = makeFolder({ "a.yaml": "one: 1\n", "a.md": "one\n" });
  const { args, loaded } = recorded();
  const script = [...args, BIN, "run", folder.root, "--json", "--port", "0"];
  const daemon = await startDaemon(folder.root, { script });
  await work(daemon, folder);
  await daemon.stop();
  return loaded();
}

test.each([
  ["starts none for a few small files", 3, false],
  ["has one for many", 100, true],
])("[CV26] the surveyor's thread: a daemon %s", async (_, count, starts) => {
  const folder = makeFolder(
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}.md`, "one\n"])),
  );
  const { args, lines } = recorded();
  const daemon = await startDaemon(folder.root, {
    script: [...args, BIN, "run", folder.root, "--json", "--port", "0"],
  });
  const { url, token } = daemon.located;
  const headers = { authorization: `Bearer ${token}` };
  const health = async () => (await (await fetch(`${url}/health?role=person`, { headers })).json()) as Health;
  await until("the files are covered", health, ({ cover }) => cover.stage === "covered");
  expect((await health()).cover.files).toBe(count);
  await daemon.stop();
  expect(lines().some((file) => file.includes("surveyor-main"))).toBe(starts);
});

describe.concurrent("loaded modules", () => {
  further("[PK5] a daemon that starts loads no Loro", async () => {
    const loaded = await serving((daemon) => daemon.connect());
    expect(loaded).toContain("lmdb");
    expect(loaded).toContain("ws");
    expect([...loaded].filter((name) => name === "loro-crdt" || SELDOM.includes(name))).toEqual([]);
  });

  test("[PK5] a daemon that starts, reads and edits loads no structured parser, regex engine or MCP", async () => {
    const loaded = await serving(async (daemon) => {
      const client = await daemon.connect();
      await client.request("edit.append", { path: "a.md", text: "two\n" });
      await client.request("doc.read", { path: "a.yaml" });
    });
    expect(loaded).toContain("loro-crdt");
    expect(SELDOM.filter((name) => loaded.has(name))).toEqual([]);
  });

  test("[PK35] the daemon of a folder that is not shared loads nothing of the sharing", async () => {
    const loaded = await serving(async (daemon) => {
      const client = await daemon.connect();
      expect(await client.request("machine.list", {})).toMatchObject({ status: "alone" });
    });
    expect(loaded).toContain("protocol");
    expect(loaded).not.toContain("link");
  });

  further("[PK5] setting a field loads only the parser of its format", async () => {
    const loaded = await serving(async (daemon, folder) => {
      await (await daemon.connect()).request("edit.set", { path: "a.yaml", key: ["one"], value: 2 });
      expect(folder.read("a.yaml")).toBe("one: 2\n");
    });
    expect(SELDOM.filter((name) => loaded.has(name))).toEqual(["yaml"]);
  });

  test("[PK14] a command that reads a document loads nothing of the daemon and no WebSocket", async () => {
    const daemon = await startDaemon(makeFolder({ "a.md": "one\n" }).root);
    const { args, loaded } = recorded();
    const ran = await promisify(execFile)(process.execPath, [...args, BIN, "cat", "a.md"], {
      cwd: daemon.root,
    });
    expect(ran.stdout).toBe("one\n");
    expect(loaded()).toContain("cli");
    expect([...DAEMON, ...SELDOM, "ws"].filter((name) => loaded().has(name))).toEqual([]);
  });
});
