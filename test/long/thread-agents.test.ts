import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, type TestContext, test } from "vitest";
import { unable } from "../e2e/able.ts";
import { makeStage, startAgent } from "../e2e/agent-stage.ts";
import { install } from "../e2e/npm.ts";
import { tokenFor } from "../e2e/token.ts";
import { until } from "../e2e/until.ts";
import { homeFor } from "./agent-homes.ts";
import { shoutingSteps, type WritingAgent } from "./agent-steps.ts";
import { scriptedModel } from "./model-dialects.ts";

/** The time of a real agent for one answer, in milliseconds. */
const PATIENCE_MS = 120_000;

interface Agent {
  readonly name: string;
  readonly client: WritingAgent;
  readonly package: string;
  /** The program in the package, and its arguments. */
  readonly command: readonly [program: string, ...args: string[]];
}

const AGENTS: readonly Agent[] = [
  {
    name: "Qwen Code",
    client: "qwen",
    package: "@qwen-code/qwen-code@0.24",
    command: ["qwen", "--acp", "--auth-type", "openai"],
  },
  {
    name: "Gemini CLI",
    client: "gemini",
    package: "@google/gemini-cli@0.61.0",
    command: ["gemini", "--acp"],
  },
  {
    name: "Claude Code",
    client: "claude",
    package: "@agentclientprotocol/claude-agent-acp@0.49.0",
    command: ["claude-agent-acp"],
  },
  {
    name: "Codex",
    client: "codex",
    package: "@agentclientprotocol/codex-acp@2.6.0",
    command: ["codex-acp"],
  },
  {
    name: "opencode",
    client: "opencode",
    package: "opencode-ai@1.18.33",
    command: ["opencode", "acp"],
  },
];

async function answers(context: TestContext, agent: Agent, allow?: string) {
  const installed = await install([agent.package]);
  if (typeof installed === "string") {
    unable(agent.name, installed);
    return context.skip(installed);
  }
  let root = "";
  const model = await scriptedModel(() => {
    return [...shoutingSteps(agent.client, join(root, "notes.md")), { text: "Shouted." }];
  });
  const [program, ...options] = agent.command;
  const stage = await makeStage({ "notes.md": "one\ntwo\n" });
  ({ root } = stage);
  const token = allow && { SPLICED_TOKEN: await tokenFor(root, "bot", allow) };
  const args = ["--", join(installed.root, "node_modules/.bin", program), ...options];
  const running = await startAgent(root, args, { ...homeFor(agent.client, model.url), ...token });
  const { thread } = await stage.person.thread.append({ path: "notes.md", role: "user", text: "Shout." });
  const answer = await until(
    "the agent answers",
    async () => (await stage.person.thread.get({ thread })).messages[1],
    Boolean,
    PATIENCE_MS,
  ).catch((error: unknown) => {
    throw new Error(`${error}; unknown requests: ${model.problems.join(", ")}; ${running.err()}`);
  });
  return { ...stage, thread, answer: answer! };
}

describe.for(AGENTS)("$name, with a scripted model", (agent) => {
  test("[AH3] edits a document where its token may write", async (context) => {
    const { root, person, thread, answer, daemon } = await answers(context, agent);
    expect(answer).toMatchObject({ author: "bot", text: expect.stringContaining("Shouted.") });
    await until("the file has the edit", () => readFileSync(join(root, "notes.md"), "utf8") === "ONE\ntwo\n");
    const { messages } = await person.thread.get({ thread });
    expect(messages[0]!.changes).toHaveLength(1);
    await daemon.stop();
  });

  test("[AH7] proposes the edit where its token may only propose", async (context) => {
    const { root, person, answer, daemon } = await answers(context, agent, "**=propose");
    expect(answer.text).toContain("proposal");
    await until("the file is as before", () => readFileSync(join(root, "notes.md"), "utf8") === "one\ntwo\n");
    const { proposals } = await person.proposal.list({ path: "notes.md", status: "pending" });
    expect(proposals).toHaveLength(1);
    expect(proposals[0]!.diff).toContain("+ONE");
    await daemon.stop();
  });
});
