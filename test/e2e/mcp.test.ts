import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, test } from "vitest";
import { CLIENTS } from "../../src/cli/agents/mcp-clients.ts";
import { type Client as Caller, locateDaemon } from "../../src/client/index.ts";
import { further } from "../helpers/further.ts";
import { Host } from "../helpers/mcp-host.ts";
import { beginShared } from "../helpers/shared.ts";
import { atEnd } from "./cleanup.ts";
import { cli, startCli } from "./cli.ts";
import { BIN, type ServedFolder, startDaemon } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { httpHost, stdioHost } from "./mcp-client.ts";
import { serveFolder } from "./served.ts";
import { tokenFor } from "./token.ts";
import { until, within } from "./until.ts";

const NOTES = "# Notes\n\nMonday at ten\nwith Ada\n";
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

/** Returns a folder; a daemon that is started for it ends with the test file. */
function servedFolder(files: Record<string, string>): Folder {
  const folder = makeFolder(files);
  atEnd(() => {
    const located = locateDaemon(folder.root);
    if (located?.root === folder.root) process.kill(located.pid, "SIGKILL");
  });
  return folder;
}

describe("MCP", () => {
  const files = {
    "stdio/notes.md": NOTES,
    "http/notes.md": NOTES,
    "notes.md": NOTES,
    "a.md": "1\n",
    "b.md": "1\n",
  };
  let folder: Folder;
  let daemon: ServedFolder;
  let bob: Caller;
  beginShared(async () => {
    folder = makeFolder(files);
    daemon = await serveFolder(folder.root);
    bob = await daemon.connect({ name: "bob" });
  });

  const transports: [name: string, open: () => Promise<Host>][] = [
    ["stdio", () => stdioHost(folder.root)],
    ["http", () => httpHost(daemon.located)],
  ];
  for (const [name, open] of transports) {
    const path = `${name}/notes.md`;
    const steps: [tool: string, args: Record<string, unknown>, said: RegExp][] = [
      ["list", { pattern: `${name}/*` }, /^\w+\/notes\.md {2}32$/],
      ["read", { path }, /^\w+\/notes\.md, version 0-\w+, lines 1-4 of 4\n# Notes\n\nMonday/],
      ["write", { path: `${name}/new/a.md`, text: "a\n" }, /^\w+\/new\/a\.md: created/],
      ["edit", { path, old: "Monday", new: "Tuesday" }, /-Monday at ten\n\+Tuesday at ten/],
      ["patch", { path, patch: "@@ -4 +4 @@\n-with Ada\n+with Bob\n" }, /\+with Bob/],
      ["diff", { path }, /-Monday at ten\n-with Ada\n\+Tuesday at ten\n\+with Bob/],
      ["history", { path }, /claude-code.*\n.*claude-code/],
      ["blame", { path }, /line 4, .* claude-code/],
      ["undo", {}, /-with Bob\n\+with Ada/],
      [
        "batch",
        { files: [{ path, replace: { old: "Ada", new: "Eve" } }] },
        /^Changed 1 document in one batch[\s\S]*\+with Eve/,
      ],
      ["undo", {}, /-with Eve\n\+with Ada/],
      ["propose", { path, append: "and tea\n" }, /proposed as \w+, pending\.[\s\S]*\+and tea/],
      ["changes_since", {}, /^No document/],
    ];

    test(`[MC1] over ${name} every tool does its work on the files`, async () => {
      const host = await open();
      for (const [tool, args, said] of steps) expect(await host.say(tool, args), tool).toMatch(said);
      expect(folder.read(path)).toBe(NOTES.replace("Monday", "Tuesday"));
      expect(folder.read(`${name}/new/a.md`)).toBe("a\n");
    });

    test(`[MC3, MC38] over ${name} an edit from an old read merges with a save and another agent, and names both`, async () => {
      const host = await open();
      await host.say("read", { path });
      await bob.request("edit.replace", { path, old: "with Ada", new: "with Bob" });
      folder.write(path, folder.read(path).replace("# Notes", "# Our notes"));
      const said = await host.say("edit", { path, old: "Tuesday", new: "Friday" });
      expect(said).toMatch(/Merged with the changes of bob and disk \(a save to the file\)/);
      expect(folder.read(path)).toBe("# Our notes\n\nFriday at ten\nwith Bob\n");
    });
  }

  test("[MC10] the daemon's port answers MCP to its token only", async () => {
    const { located } = daemon;
    const post = (headers: Record<string, string>) =>
      fetch(`${located.url}/mcp`, { method: "POST", headers, body: "{}" }).then(({ status }) => status);
    const authorization = `Bearer ${located.token}`;
    expect(await post({})).toBe(401);
    expect(await post({ authorization, origin: "https://evil.example" })).toBe(403);
    expect(await post({ authorization })).toBe(415);
    await expect(httpHost({ ...located, token: "wrong" })).rejects.toThrow();
  });

  test("[MC12] ends at once when it is told to", async () => {
    const { child, ended, out } = startCli(folder.root, ["mcp"]);
    child.stdin!.write(`${JSON.stringify(INITIALIZE)}\n`);
    await until("it answers", out);
    child.kill("SIGTERM");
    expect(await within("it ends", ended)).toBe(0);
  });

  further("[MC18] lets its agent do what the token in SPLICED_TOKEN allows", async () => {
    const token = await tokenFor(folder.root, "guest", "a.md=write");
    const host = await stdioHost(folder.root, "cursor", [], { SPLICED_TOKEN: token });
    expect(await host.say("list")).toBe("a.md  2");
    await host.say("edit", { path: "a.md", old: "1", new: "2" });
    await host.refused("edit", { path: "b.md", old: "1", new: "2" });
    expect([folder.read("a.md"), folder.read("b.md")]).toEqual(["2\n", "1\n"]);
    await cli(folder.root, ["token", "revoke", "guest"]);
    expect(await host.refused("list")).toMatch(/cannot be reached: the token in SPLICED_TOKEN is not/);
  });

  further("[MC8, MC15] prints what a client's configuration takes, and what it names works", async () => {
    mkdirSync(folder.at("node_modules/.bin"), { recursive: true });
    symlinkSync(BIN, folder.at("node_modules/.bin/spliced"));
    const { out } = await cli(folder.root, ["--agent", "ada", "mcp", "--print-config", "claude"]);
    const { command, args, env } = (JSON.parse(out) as Servers).mcpServers.spliced;
    expect(args).toEqual(["--no-install", "spliced", "mcp", "--agent", "ada"]);
    const client = new Client({ name: "claude-code", version: "1" });
    atEnd(() => client.close());
    await client.connect(
      new StdioClientTransport({ command, args, env, cwd: folder.root, stderr: "ignore" }),
    );
    const host = new Host(client);
    await host.say("edit", { path: "notes.md", old: "Monday", new: "Tuesday" });
    expect(await host.say("history")).toContain("  ada  ");
  });
});

describe("spliced mcp", () => {
  further(
    "[MC12] starts the daemon where none runs, from a subfolder too, and leaves it running",
    async () => {
      const folder = servedFolder({ "notes.md": NOTES, "sub/a.md": "", ".spliced/.gitignore": "*\n" });
      const hosts = await Promise.all([stdioHost(folder.root), stdioHost(folder.at("sub"))]);
      for (const host of hosts) expect(await host.say("list")).toContain("notes.md");
      await Promise.all(hosts.map(({ client }) => client.close()));
      expect((await cli(folder.root, ["status"])).out).toContain(folder.root);
    },
  );

  test("[MC30] says nothing but the protocol, answers what was asked before its input ended, and ends", async () => {
    const folder = servedFolder({ "notes.md": NOTES });
    const list = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "list", arguments: {} } };
    const ran = await cli(folder.root, ["mcp"], {
      input: `not json\n${JSON.stringify(INITIALIZE)}\n${JSON.stringify(list)}\n`,
    });
    expect(ran.code).toBe(0);
    const said = ran.out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: number; result: { content?: { text: string }[] } });
    expect(said.map(({ id }) => id)).toEqual([1, 2]);
    expect(said[1]!.result.content![0]!.text).toBe("notes.md  32");
    expect(ran.err).toMatch(/^spliced mcp: /);
  });

  further("[MC12] what keeps the daemon from starting is told to the model", async () => {
    const folder = makeFolder({ "daemon.config.ts": "export default { port: 'x' };\n" });
    const host = await stdioHost(folder.root);
    expect(await host.refused("list")).toMatch(
      /cannot be reached: .*daemon\.config\.ts cannot be used:\n.*port/,
    );
  });

  test("[MC31] does not serve a whole home folder unasked", async () => {
    const ran = await cli("/", ["mcp"]);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining("name the project's folder")]);
  });

  test("[MC13] goes on with another daemon when the first was killed, from what was read before", async () => {
    const folder = servedFolder({ "notes.md": NOTES });
    const first = await startDaemon(folder.root);
    const host = await stdioHost(folder.root);
    await host.say("read", { path: "notes.md" });
    await (await first.connect()).request("edit.replace", { path: "notes.md", old: "Ada", new: "Bob" });
    await first.kill();
    const said = await host.say("edit", { path: "notes.md", old: "Monday", new: "Tuesday" });
    expect(said).toContain("Merged with the changes of agent");
    expect(folder.read("notes.md")).toBe("# Notes\n\nTuesday at ten\nwith Bob\n");
    expect(locateDaemon(folder.root)?.pid).not.toBe(first.pid);
  });

  test("[MC32] makes an edit once that was under way when the daemon died", async () => {
    const folder = servedFolder({ "a.md": "0\n" });
    const host = await stdioHost(folder.root);
    await host.say("read", { path: "a.md" });
    for (const [n, alive] of [0, 3].entries()) {
      const { pid } = locateDaemon(folder.root)!;
      const edited = host.say("edit", { path: "a.md", old: `${n}\n`, new: `${n}\n${n + 1}\n` });
      const until = performance.now() + alive;
      while (performance.now() < until) await new Promise((resolve) => setImmediate(resolve));
      process.kill(pid, "SIGKILL");
      expect(await edited).toContain(`+${n + 1}`);
    }
    expect(await host.say("read", { path: "a.md" })).toMatch(/\n0\n1\n2\n$/);
  });
});

test("[MC45] --install shows the change, asks, makes folders, and keeps what is there", async () => {
  const folder = makeFolder({ ".vscode/mcp.json": '{\n  // mine\n  "servers": {}\n}\n' });
  const install = (...args: string[]) => cli(folder.root, ["mcp", "--install", ...args]);
  const asked = await install("cursor");
  expect(asked).toMatchObject({ code: 1, err: expect.stringContaining("--yes") });
  expect(asked.out).toContain('+    "spliced": {');
  expect(existsSync(folder.at(".cursor"))).toBe(false);
  for (const client of CLIENTS)
    expect(await install(client, "--yes"), client).toMatchObject({ code: 0, err: "" });
  const { args } = JSON.parse(folder.read(".mcp.json")).mcpServers.spliced;
  expect(args).toEqual(["--no-install", "spliced", "mcp"]);
  expect(folder.read(".vscode/mcp.json")).toMatch(/\/\/ mine[\s\S]*"spliced"/);
  expect((await install("codex", "--yes")).out).toContain("nothing was changed");
  folder.write(".qwen/settings.json", "{");
  expect(await install("qwen", "--yes")).toMatchObject({
    code: 1,
    err: expect.stringContaining("spliced mcp --print-config qwen"),
  });
});

test("[MC74] --uninstall shows the change, asks, and takes the server out", async () => {
  const before = '{\n  // mine\n  "servers": { "other": { "command": "x" } }\n}\n';
  const folder = makeFolder({ ".vscode/mcp.json": before });
  const mcp = (...args: string[]) => cli(folder.root, ["mcp", ...args]);
  for (const client of ["vscode", "claude"]) await mcp("--install", client, "--yes");
  const asked = await mcp("--uninstall", "vscode");
  expect(asked).toMatchObject({ code: 1, err: expect.stringContaining("--yes") });
  expect(asked.out).toContain('"spliced"');
  for (const client of ["vscode", "claude"])
    expect(await mcp("--uninstall", client, "--yes"), client).toMatchObject({ code: 0, err: "" });
  expect(folder.read(".vscode/mcp.json")).toBe(before);
  expect(existsSync(folder.at(".mcp.json"))).toBe(false);
  expect((await mcp("--uninstall", "vscode", "--yes")).out).toContain("nothing was changed");
  expect(await mcp("--uninstall", "claude", "--yes")).toMatchObject({
    code: 1,
    err: expect.stringContaining("there is no"),
  });
});

interface Servers {
  readonly mcpServers: {
    readonly spliced: {
      readonly command: string;
      readonly args: string[];
      readonly env: Record<string, string>;
    };
  };
}
