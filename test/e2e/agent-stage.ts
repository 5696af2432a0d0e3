import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "../../src/client/index.ts";
import { cli, type Running, startCli } from "./cli.ts";
import { type Daemon, startDaemon } from "./daemon.ts";
import { makeFolder } from "./folder.ts";
import { until } from "./until.ts";

/** A daemon, a person, and an agent named bot that answers threads. */
export interface Stage {
  readonly root: string;
  readonly daemon: Daemon;
  readonly person: Client;
  readonly agent: Running;
  /** Returns what the file notes.md has now. */
  text(): string;
}

interface StageOptions {
  readonly files: Readonly<Record<string, string>>;
  /** The arguments of `spliced agent`. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What the agent's token allows; without it, the agent has the owner's. */
  readonly allow?: string | undefined;
}

export async function stageWith({ files, args, env = {}, allow }: StageOptions): Promise<Stage> {
  const { root } = makeFolder(files);
  const daemon = await startDaemon(root);
  const person = await daemon.connect({ name: "ada", role: "person" });
  await person.subscribe({ threads: true });
  const agent = await startAgent(root, args, {
    ...env,
    ...(allow && { SPLICED_TOKEN: await token(root, allow) }),
  });
  return { root, daemon, person, agent, text: () => readFileSync(join(root, "notes.md"), "utf8") };
}

/** Starts `spliced agent` in a folder; resolves once it waits for threads. */
export async function startAgent(
  root: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  name = "bot",
): Promise<Running> {
  const agent = startCli(root, ["agent", "--agent", name, "--json", ...args], env);
  await until("the agent answers threads", () => agent.err().includes("answers the threads"));
  return agent;
}

async function token(root: string, allow: string): Promise<string> {
  const added = await cli(root, ["token", "add", "bot", "--allow", allow, "--json"]);
  return JSON.parse(added.out).token;
}

/** Asks in a thread, and returns the answer to that message. */
export async function ask(
  person: Client,
  text: string,
  to: { path: string } | { thread: string } = { path: "notes.md" },
) {
  const { thread, messageId } = await person.thread.append({ ...to, role: "user", text });
  return { thread, messageId, answer: await answerTo(person, thread, messageId) };
}

export async function answerTo(person: Client, thread: string, messageId: string) {
  return until("the answer is there", async () => {
    const { messages } = await person.thread.get({ thread });
    return messages.find(({ answers }) => answers === messageId);
  });
}
