import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { further } from "../helpers/further.ts";
import { ask, endAgent, makeStage, type Stage, startAgent } from "./agent-stage.ts";
import { startDaemon } from "./daemon.ts";
import { makeFolder } from "./folder.ts";
import { tokenFor } from "./token.ts";
import { until } from "./until.ts";

const SCRIPTED = resolve(import.meta.dirname, "scripted-acp-agent.js");
const COMMAND = ["--", process.execPath, SCRIPTED];
const NAMES = ["notes.md", "gone.md", "moved.md", "own/a.md", "own/b.md"];
const FILES = Object.fromEntries(NAMES.map((name) => [name, "one\ntwo\n"]));
const DEEDS = "create fresh.md append fresh.md append notes.md delete gone.md move moved.md elsewhere.md";

/** Returns the parts of a proposal, as their operations and paths. */
async function partsOf(person: Client, id: string): Promise<string[]> {
  const { files = [] } = await person.proposal.get({ id });
  return files.map(({ operation, path }) => `${operation} ${path}`).sort();
}

const ALL = ["create fresh.md", "delete gone.md", "edit notes.md", "rename moved.md"];

/** Asks a propose-only agent to change files, and returns once it has begun. */
async function begun(stage: Stage, deeds: string) {
  const { root, person } = stage;
  const token = await tokenFor(root, "bot", "own/**=write", "**=propose");
  const start = () => startAgent(root, COMMAND, { SPLICED_TOKEN: token });
  const agent = await start();
  const signal = join(root, ".spliced/go"); // no document
  const text = `leave after ${signal} ${deeds}`;
  const { thread, messageId } = await person.thread.append({ path: "notes.md", role: "user", text });
  const claimed = async () =>
    (await person.thread.get({ thread })).draft?.tools.some(({ status }) => status === "in_progress");
  await until("its tool is claimed", claimed);
  const go = () => writeFileSync(signal, "");
  const said = async () => (await person.thread.get({ thread })).draft?.text.startsWith("Changed.");
  const asked = async () => {
    const { messages } = await person.thread.get({ thread });
    return messages.find(({ id }) => id === messageId)!;
  };
  const proposed = async () => (await asked()).proposals?.length === 1;
  const files = (names: readonly string[]) => names.filter((name) => existsSync(join(root, name)));
  return { agent, start, thread, go, said, asked, proposed, files };
}

function answersLeft(root: string): string[] {
  const folder = join(root, ".spliced/answers");
  return existsSync(folder) ? readdirSync(folder) : [];
}

describe("spliced agent, killed in the middle of an answer", () => {
  further(
    "[AH15] the next start proposes what it had put back, once, and says so in the thread",
    async () => {
      const stage = await makeStage(FILES);
      const { person, root, text } = stage;
      const { agent, start, thread, go, said, asked, proposed, files } = await begun(stage, DEEDS);
      const [name] = answersLeft(root);
      const noted = readFileSync(join(root, ".spliced/answers", name!), "utf8");
      go();
      await until("the agent has changed all", said);
      await until(
        "all is put back",
        () => files(["gone.md", "moved.md", "fresh.md"]).join() === "gone.md,moved.md",
      );
      await until("its save is put back", () => text() === "one\ntwo\n");
      await endAgent(agent);
      expect((await person.proposal.list({})).proposals).toEqual([]);
      const next = await start();
      await until("the proposal is there", proposed);
      const [id] = (await asked()).proposals!;
      expect(await partsOf(person, id!)).toEqual(ALL);
      expect((await person.proposal.get({ id: id! })).author).toBe("bot");
      await until("the answer is forgotten", () => answersLeft(root).length === 0);
      const { messages } = await person.thread.get({ thread });
      expect(messages.map(({ incomplete }) => incomplete)).toEqual([undefined, "lost", undefined]);
      expect(messages[2]!.text).toMatch(/created fresh\.md.*It may only propose, so this is proposal prop_/);
      await endAgent(next);
      writeFileSync(join(root, ".spliced/answers", name!), noted, { mode: 0o600 });
      await start();
      await until("the answer is forgotten", () => answersLeft(root).length === 0);
      expect((await person.proposal.list({})).proposals).toHaveLength(1);
      await person.proposal.approve({ id: id! });
      await until("the approval makes all of it", () => text() === "one\ntwo\nmore\n");
      expect(files(["fresh.md", "elsewhere.md", "gone.md", "moved.md"])).toEqual([
        "fresh.md",
        "elsewhere.md",
      ]);
      expect(text("fresh.md")).toBe("new\nmore\n");
    },
  );

  further(
    "[AH15] the next start puts back what the agent had saved before, where its token may only propose",
    async () => {
      const stage = await makeStage(FILES);
      const { person, text } = stage;
      const { agent, start, go, asked, proposed, files } = await begun(stage, `${DEEDS} append own/a.md`);
      agent.child.kill("SIGSTOP"); // the agent goes on, and nobody hears it
      go();
      const saved = async (path: string) =>
        (await person.history.list({ path })).changes.some(({ author }) => author === "bot");
      for (const path of ["fresh.md", "notes.md", "elsewhere.md", "own/a.md"])
        await until(`the daemon takes in ${path}`, () => saved(path));
      await until(
        "the daemon takes in the deletion",
        async () => (await saved("gone.md")) && !files(["gone.md"])[0],
      );
      await endAgent(agent);
      expect(text()).toBe("one\ntwo\nmore\n");
      await start();
      await until("the proposal is there", proposed);
      expect(await partsOf(person, (await asked()).proposals![0]!)).toEqual(ALL);
      await until(
        "all is put back",
        () => files(["gone.md", "moved.md", "fresh.md"]).join() === "gone.md,moved.md",
      );
      await until("its save is put back", () => text() === "one\ntwo\n");
      expect(text("own/a.md")).toBe("one\ntwo\nmore\n");
    },
  );

  further("[AH15] a daemon that is killed meanwhile leaves it to the same process", async () => {
    const { root, read } = makeFolder(FILES);
    const daemon = await startDaemon(root);
    const person = await daemon.connect({ name: "ada", role: "person" });
    const stage = { root, daemon, person, text: (path = "notes.md") => read(path) };
    const { go, said, files, thread } = await begun(stage, DEEDS);
    go();
    await until("the agent has changed all", said);
    await until(
      "all is put back",
      () => files(["gone.md", "moved.md", "fresh.md"]).join() === "gone.md,moved.md",
    );
    await until("its save is put back", () => stage.text() === "one\ntwo\n");
    await daemon.kill();
    const again = await startDaemon(root);
    const reader = await again.connect({ name: "ada", role: "person" });
    await until("the proposal is there", async () => {
      const [asked] = (await reader.thread.get({ thread })).messages;
      return asked?.proposals?.length === 1;
    });
    const [asked] = (await reader.thread.get({ thread })).messages;
    expect(await partsOf(reader, asked!.proposals![0]!)).toEqual(ALL);
  });

  test("[AH15, I17] a note of an answer without this user's seal is left alone", async () => {
    const { root, person } = await makeStage(FILES);
    mkdirSync(join(root, ".spliced/answers"), { mode: 0o700 });
    const { messageId, thread } = await person.thread.append({
      path: "notes.md",
      role: "user",
      text: "@nobody",
    });
    const content = { name: "bot", thread, messageId, since: "2000-01-01T00:00:00Z" };
    writeFileSync(join(root, ".spliced/answers/x.json"), JSON.stringify({ content, seal: {} }), {
      mode: 0o600,
    });
    const token = await tokenFor(root, "bot", "**=propose");
    await startAgent(root, COMMAND, { SPLICED_TOKEN: token });
    expect((await ask(person, "say Hello.")).answer).toMatchObject({ text: "Hello." });
    expect((await person.proposal.list({})).proposals).toEqual([]);
    expect(answersLeft(root)).toEqual(["x.json"]);
  });
});
