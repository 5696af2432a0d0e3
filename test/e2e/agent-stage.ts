import type { Client } from "../../src/client/index.ts";
import { type Running, startCli } from "./cli.ts";
import type { ServedFolder } from "./daemon.ts";
import { makeFolder } from "./folder.ts";
import { serveFolder } from "./served.ts";
import { until } from "./until.ts";

/** The longest wait for an answer, and the time between two looks; milliseconds. */
const ANSWER_MS = 15_000;
const LOOK_EVERY_MS = 50;

/** A daemon, and a person who hears of all threads. */
export interface Stage {
  readonly root: string;
  readonly daemon: ServedFolder;
  readonly person: Client;
  /** Returns what a file has now. */
  text(path?: string): string;
}

export async function makeStage(files: Readonly<Record<string, string>>): Promise<Stage> {
  const { root, read } = makeFolder(files);
  const daemon = await serveFolder(root);
  const person = await daemon.connect({ name: "ada", role: "person" });
  await person.subscribe({ threads: true });
  return { root, daemon, person, text: (path = "notes.md") => read(path) };
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

/** Ends an agent, so that the next one of the same daemon answers alone. */
export async function endAgent(agent: Running): Promise<void> {
  agent.child.kill("SIGKILL");
  await agent.ended;
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
  const answer = async () => {
    const { messages } = await person.thread.get({ thread });
    return messages.find(({ answers }) => answers === messageId);
  };
  // Each look asks the daemon.
  return until("the answer is there", answer, Boolean, ANSWER_MS, LOOK_EVERY_MS);
}
