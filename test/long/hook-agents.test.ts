import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, expect, type TestContext, test } from "vitest";
import type { Health } from "../../src/daemon/reports/health.ts";
import { unable } from "../e2e/able.ts";
import { cli } from "../e2e/cli.ts";
import { startDaemon } from "../e2e/daemon.ts";
import { makeFolder } from "../e2e/folder.ts";
import { install } from "../e2e/npm.ts";
import { until } from "../e2e/until.ts";
import { homeFor } from "./agent-homes.ts";
import { shoutingSteps, type WritingAgent } from "./agent-steps.ts";
import { type Step, scriptedModel } from "./model-dialects.ts";

/** The time of a real agent for one prompt, in milliseconds. */
const PATIENCE_MS = 120_000;

interface Agent {
  readonly name: string;
  readonly client: WritingAgent;
  readonly package: string;
  /** The program in the package, and the arguments for one prompt without a terminal. */
  readonly command: readonly [program: string, ...args: string[]];
  /** Adds a line to list.md in a shell. */
  readonly shell: Step;
}

const SHELL = "echo three >> list.md";

const AGENTS: readonly Agent[] = [
  {
    name: "Claude Code",
    client: "claude",
    package: "@anthropic-ai/claude-code@2.1",
    command: ["claude", "-p", "Shout.", "--permission-mode", "acceptEdits", "--allowedTools", "Bash"],
    shell: { tool: "Bash", args: { command: SHELL, description: "Adds a line" } },
  },
  {
    name: "Codex",
    client: "codex",
    package: "@openai/codex@0.171.0",
    command: [
      ...(["codex", "exec", "--trust", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"] as const),
      ...["--dangerously-bypass-approvals-and-sandbox", "Shout."],
    ],
    shell: { tool: "exec_command", args: { cmd: SHELL } },
  },
  {
    name: "Gemini CLI",
    client: "gemini",
    package: "@google/gemini-cli@0.61.0",
    command: ["gemini", "-p", "Shout.", "--approval-mode", "yolo"],
    shell: { tool: "run_shell_command", args: { command: SHELL, description: "Adds a line" } },
  },
  {
    name: "opencode",
    client: "opencode",
    package: "opencode-ai@1.18.33",
    command: ["opencode", "run", "Shout."],
    shell: { tool: "bash", args: { command: SHELL, description: "Adds a line" } },
  },
];

function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  return new Promise((resolve) => {
    const options = { cwd, env: { ...process.env, ...env }, timeout: PATIENCE_MS };
    const child = execFile(command, args, options, (error, out, err) =>
      resolve(`${error?.message ?? "ended well"}\n${out}\n${err}`),
    );
    child.stdin?.end();
  });
}

async function shouts(context: TestContext, agent: Agent) {
  const installed = await install([agent.package]);
  if (typeof installed === "string") {
    unable(agent.name, installed);
    return context.skip(installed);
  }
  const folder = makeFolder({ "notes.md": "one\ntwo\n", "list.md": "two\n" });
  const daemon = await startDaemon(folder.root);
  const person = await daemon.connect({ name: "person", role: "person" });
  const health = async () => (await (await fetch(`${daemon.located.url}/health`)).json()) as Health;
  await until("the files are covered", health, ({ cover }) => cover.stage === "covered");
  expect(await cli(folder.root, ["hook", "--install", agent.client, "--yes"])).toMatchObject({ code: 0 });
  const model = await scriptedModel(() => [
    ...shoutingSteps(agent.client, folder.at("notes.md")),
    agent.shell,
    { text: "Shouted." },
  ]);
  const [program, ...args] = agent.command;
  const bin = join(installed.root, "node_modules/.bin", program);
  const env = { ...homeFor(agent.client, model.url), PWD: folder.root };
  const said = await run(bin, args, folder.root, env);
  return { folder, daemon, person, said: `${said}\nunknown requests: ${model.problems.join(", ")}` };
}

describe.for(AGENTS)("$name with its hooks, and a scripted model", (agent) => {
  test("[KR1, KR2, HK5] its edits are its own in the history, and are undone together", async (context) => {
    const { folder, daemon, person, said } = await shouts(context, agent);
    expect(folder.read("notes.md"), said).toBe("ONE\ntwo\n");
    expect(folder.read("list.md"), said).toBe("two\nthree\n");
    const changeOf = (path: string) =>
      until("the save is in the history", async () => {
        const { changes } = await person.request("history.list", { path, limit: 10 });
        return changes.find(
          ({ kind, origin }: { kind?: string; origin?: string }) => kind !== "created" && origin !== "import",
        );
      });
    expect(await changeOf("notes.md"), said).toMatchObject({ author: agent.client });
    expect(await changeOf("list.md"), said).toMatchObject({ author: agent.client, certainty: "likely" });
    expect(await cli(folder.root, ["undo", "--agent", agent.client, "--since", "1h"])).toMatchObject({
      code: 0,
    });
    await until(
      "the edits are gone",
      () => folder.read("notes.md") === "one\ntwo\n" && folder.read("list.md") === "two\n",
    );
    await daemon.stop();
  });
});
