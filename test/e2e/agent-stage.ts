import type { Client } from "../../src/client/index.ts";
import { type Running, startCli } from "./cli.ts";
import type { ServedFolder } from "./daemon.ts";
import { makeFolder } from "./folder.ts";
import { serveFolder } from "./served.ts";
import { until } from "./until.ts";

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

/** Returns the answer to a message; `person` hears of all threads. */
export async function answerTo(person: Client, thread: string, messageId: string) {
  // A look asks the daemon for all of the thread, so that one follows each new message only.
  let isNew = true;
  const end = person.on("thread.message", () => {
    isNew = true;
  });
  const answer = async () => {
    if (!isNew) return undefined;
    isNew = false;
    const { messages } = await person.thread.get({ thread });
    return messages.find(({ answers }) => answers === messageId);
  };
  try {
    return await until("the answer is there", answer);
  } finally {
    end();
  }
}
