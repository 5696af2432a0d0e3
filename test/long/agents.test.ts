import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unable } from "../e2e/able.ts";
import { cli } from "../e2e/cli.ts";
import { BIN, type Daemon, startDaemon } from "../e2e/daemon.ts";
import { type Folder, makeFolder } from "../e2e/folder.ts";
import { install } from "../e2e/npm.ts";
import { homeFor } from "./agent-homes.ts";
import { ScriptedModel, type Turn } from "./scripted-model.ts";

const NOTES = "# Notes\n\nMonday at ten\nwith Ada\n";
const PATH = "notes.md";

/** Lists, reads, edits after a person saved, proposes and undoes. */
function story(folder: Folder, seen: string[]): Turn[] {
  return [
    { tool: "list_documents", args: {} },
    { tool: "read_document", args: { path: PATH } },
    {
      tool: "edit_document",
      args: { path: PATH, old: "Monday", new: "Tuesday" },
      before: () => folder.write(PATH, folder.read(PATH).replace("with Ada", "with Bob")),
    },
    {
      tool: "propose_edit",
      args: { path: PATH, append: "and tea\n" },
      before: () => void seen.push(folder.read(PATH)),
    },
    { tool: "undo_change", args: {} },
  ];
}

interface Agent {
  readonly name: string;
  readonly packages: readonly string[];
  /** Runs the agent in a folder, with our tools and a model behind an address. */
  readonly run: (installed: string, folder: Folder, daemon: Daemon, model: string) => Promise<string>;
}

const stdioServer = () => ({
  command: process.execPath,
  args: [BIN, "mcp"],
  env: { XDG_STATE_HOME: process.env["XDG_STATE_HOME"]! },
});
const httpServer = ({ located: { url, token } }: Daemon) => ({
  url: `${url}/mcp`,
  headers: { Authorization: `Bearer ${token}` },
});

function started(command: string, args: readonly string[], cwd: string, env: object): Promise<string> {
  return new Promise((resolve) =>
    execFile(command, args, { cwd, env: { ...process.env, ...env }, timeout: 180_000 }, (error, out, err) =>
      resolve(`${error ?? ""}\n${out}\n${err}`),
    ).stdin?.end(),
  );
}

const OPENAI_AGENTS = `
import { Agent, MCPServerStdio, MCPServerStreamableHttp, OpenAIProvider, Runner, setTracingDisabled } from "@openai/agents";
const { server, model } = JSON.parse(process.argv[2]);
setTracingDisabled(true);
const mcp = server.url === undefined
  ? new MCPServerStdio({ name: "spliced", ...server })
  : new MCPServerStreamableHttp({ name: "spliced", url: server.url, requestInit: { headers: server.headers } });
await mcp.connect();
const modelProvider = new OpenAIProvider({ baseURL: model, apiKey: "none", useResponses: false });
const agent = new Agent({ name: "writer", instructions: "Edit.", model: "scripted", mcpServers: [mcp] });
console.log((await new Runner({ modelProvider }).run(agent, "Move the meeting.")).finalOutput);
await mcp.close();
`;

const openaiAgents = (over: string, server: (daemon: Daemon, folder: Folder) => object): Agent => ({
  name: `the OpenAI Agents SDK over ${over}`,
  packages: ["@openai/agents@0.20"],
  async run(installed, folder, daemon, model) {
    const script = join(installed, "agent.mjs");
    writeFileSync(script, OPENAI_AGENTS);
    return started(
      process.execPath,
      [script, JSON.stringify({ server: server(daemon, folder), model })],
      folder.root,
      {},
    );
  },
});

const qwen = (over: string, server: (daemon: Daemon) => object): Agent => ({
  name: `Qwen Code over ${over}`,
  packages: ["@qwen-code/qwen-code@0.24"],
  async run(installed, folder, daemon, model) {
    const settings = {
      mcpServers: { spliced: { ...server(daemon), trust: true } },
      // Otherwise the model sees the names of our tools only after a search for them.
      tools: { toolSearch: { enabled: false } },
    };
    const home = makeFolder({ ".qwen/settings.json": JSON.stringify(settings) });
    const args = ["-p", "Move the meeting.", "--approval-mode", "yolo", "--auth-type", "openai"];
    return started(join(installed, "node_modules/.bin/qwen"), args, folder.root, {
      HOME: home.root,
      OPENAI_BASE_URL: model,
      OPENAI_API_KEY: "none",
      OPENAI_MODEL: "scripted",
    });
  },
});

/** An agent that reads the configuration which `spliced mcp --install` puts into the project. */
const configured = (
  { name, package: wanted, client }: { name: string; package: string; client: "copilot" | "kilo" },
  [program, ...args]: readonly [program: string, ...args: string[]],
): Agent => ({
  name: `${name} with its configuration of spliced mcp --install`,
  packages: [wanted],
  async run(installed, folder, _daemon, model) {
    expect(await cli(folder.root, ["mcp", "--install", client, "--yes"])).toMatchObject({ code: 0 });
    // npx finds this program as that of the project.
    mkdirSync(folder.at("node_modules/.bin"), { recursive: true });
    symlinkSync(BIN, folder.at("node_modules/.bin/spliced"));
    const env = { ...homeFor(client, new URL(model).origin), PWD: folder.root };
    return started(join(installed, "node_modules/.bin", program), args, folder.root, env);
  },
});

const AGENTS: readonly Agent[] = [
  openaiAgents("stdio", (_daemon, folder) => ({ ...stdioServer(), cwd: folder.root })),
  openaiAgents("http", httpServer),
  qwen("stdio", stdioServer),
  qwen("http", (daemon) => ({ httpUrl: httpServer(daemon).url, headers: httpServer(daemon).headers })),
  configured({ name: "Copilot CLI", package: "@github/copilot@1.0.102", client: "copilot" }, [
    ...(["copilot", "-p", "Move the meeting.", "--allow-all-tools", "--trust-folder"] as const),
  ]),
  configured({ name: "Kilo Code", package: "@kilocode/cli@7.7.7", client: "kilo" }, [
    ...(["kilo", "run", "--auto", "Move the meeting."] as const),
  ]),
];

for (const { name, packages, run } of AGENTS)
  test(`[MC3, MC16, MC36] ${name} lists, reads, edits from its read after a person's save, proposes, and undoes`, async (context) => {
    const installed = await install(packages);
    if (typeof installed === "string") {
      unable(name, installed);
      return context.skip(installed);
    }
    const folder = makeFolder({ [PATH]: NOTES });
    const daemon = await startDaemon(folder.root);
    const seen: string[] = [];
    const model = await ScriptedModel.playing(story(folder, seen));
    const said = await run(installed.root, folder, daemon, model.url);
    expect(model.problems, said).toEqual([]);
    expect(model.results, said).toHaveLength(5);
    expect(model.results[1]).toContain("Monday at ten");
    expect(model.results[2]).toContain("Merged with the changes of disk");
    expect(seen).toEqual(["# Notes\n\nTuesday at ten\nwith Bob\n"]);
    expect(folder.read(PATH)).toBe("# Notes\n\nMonday at ten\nwith Bob\n");
    const reader = await daemon.connect({ name: "reader" });
    const { proposals } = await reader.request("proposal.list", {});
    expect(proposals.map(({ status }) => status)).toEqual(["pending"]);
    const { changes } = await reader.request("history.list", { path: PATH, limit: 10 });
    expect(new Set(changes.map(({ author }) => author)).size).toBeGreaterThan(1);
  });
