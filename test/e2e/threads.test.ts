import { describe, expect, onTestFinished, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { cli, startCli } from "./cli.ts";
import { type ServedFolder, startDaemon } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { serveFolder } from "./served.ts";
import { until } from "./until.ts";

/** Has a client answer each user's message with these texts, one part after the other. */
async function answering(client: Client, parts: readonly string[]): Promise<void> {
  client.on("thread.message", ({ thread: { id: thread }, message: { role } }) => {
    if (role === "user") void answer(thread);
  });
  await client.subscribe({ threads: true });
  const answer = async (thread: string) => {
    const { leaseId } = await client.thread.lease({ thread });
    const call = { id: "t1", title: "Reads notes.md", status: "completed" } as const;
    await client.thread.part({ leaseId, parts: [{ kind: "tool", ...call }] });
    for (const text of parts) await client.thread.part({ leaseId, parts: [{ kind: "text", text }] });
    await client.thread.append({ thread, role: "assistant", leaseId });
  };
}

describe("a thread of a real daemon", () => {
  further(
    "[TH1, TH22, TH29, TH35] survives kill -9 in the middle of an answer: nothing acknowledged or shown is lost, and the lease is gone",
    async () => {
      const folder = makeFolder({ "notes.md": "one\n" });
      const first = await startDaemon(folder.root);
      const person = await first.connect({ name: "ada", role: "person" });
      const agent = await first.connect({ name: "bot" });
      const { thread, messageId } = await person.thread.append({
        path: "notes.md",
        role: "user",
        text: "add a line",
        anchor: { from: 0, to: 3 },
      });
      const heard: string[] = [];
      person.on("thread.part", ({ parts }) => {
        for (const part of parts) if (part.kind === "text") heard.push(part.text);
      });
      await person.subscribe({ thread });
      const { leaseId } = await agent.thread.lease({ thread });
      const said = await person.thread.append({ thread, role: "user", text: "and be quick" });
      await agent.thread.part({ leaseId, parts: [{ kind: "text", text: "I add" }] });
      const edited = await agent.edit.append({ path: "notes.md", text: "two\n", thread, messageId });
      await until("the person hears the part", () => heard.includes("I add"));
      await first.kill();

      const second = await serveFolder(folder.root);
      const again = await second.connect({ name: "ada", role: "person" });
      const opened = await again.thread.get({ thread });
      expect(opened).toMatchObject({
        thread: { lease: null },
        messages: [
          { id: messageId, author: "ada", kind: "person" },
          { id: said.messageId, text: "and be quick" },
          { author: "bot", text: "I add", incomplete: "lost", answers: messageId },
        ],
        anchors: [{ messageId, from: 0, to: 3, quote: "one", deleted: false }],
        draft: null,
      });
      const { changes } = await again.history.list({ path: "notes.md" });
      expect(changes[0]).toMatchObject({ changeId: edited.changeId, answers: { thread, messageId } });
      const other = await second.connect({ name: "another" });
      const lease = await other.thread.lease({ thread });
      expect(lease.messageId).toBe(said.messageId);
      await other.thread.append({ thread, role: "assistant", leaseId: lease.leaseId, text: "done" });
      expect((await again.thread.get({ thread })).messages.at(-1)).toMatchObject({ author: "another" });
      await second.stop();
    },
  );

  further(
    "[TH35] killed at any moment of a stream of words, it has every word that anybody was shown, in one answer that says it was cut off",
    async () => {
      const folder = makeFolder({ "notes.md": "one\n" });
      const first = await startDaemon(folder.root);
      const [person, agent] = [await first.connect({ name: "ada", role: "person" }), await first.connect()];
      const { thread } = await person.thread.append({ path: "notes.md", role: "user", text: "count" });
      let shown = "";
      person.on("thread.part", ({ parts }) => {
        for (const part of parts) if (part.kind === "text") shown += part.text;
      });
      await person.subscribe({ thread });
      const { leaseId } = await agent.thread.lease({ thread });
      let isOver = false;
      const counting = (async () => {
        for (let n = 1; !isOver; n++)
          await agent.thread.part({ leaseId, parts: [{ kind: "text", text: `${n} ` }] }).catch(() => {
            isOver = true;
          });
      })();
      await until("some words are shown", () => shown.length > 200);
      await first.kill();
      await counting;

      const second = await serveFolder(folder.root);
      const again = await second.connect({ name: "ada", role: "person" });
      const { messages } = await again.thread.get({ thread });
      expect(messages).toMatchObject([{ text: "count" }, { incomplete: "lost" }]);
      expect(messages[1]!.text.slice(0, shown.length)).toBe(shown);
      await second.stop();
    },
  );

  further("[TH22] of a daemon that stops keeps the part of the answer that was sent", async () => {
    const folder = makeFolder({ "notes.md": "one\n" });
    const first = await startDaemon(folder.root);
    const client = await first.connect();
    const { thread } = await client.thread.append({ path: "notes.md", role: "user", text: "hello" });
    const { leaseId } = await client.thread.lease({ thread });
    await client.thread.part({ leaseId, parts: [{ kind: "text", text: "I am" }] });
    await first.stop();
    const second = await serveFolder(folder.root);
    const { messages } = await (await second.connect()).thread.get({ thread });
    expect(messages).toMatchObject([{ text: "hello" }, { text: "I am", incomplete: "lost" }]);
    await second.stop();
  });
});

describe("threads on the command line", () => {
  let folder: Folder;
  let daemon: ServedFolder;
  beginShared(async () => {
    const names = ["listed.md", "other.md", "alone.md", "notes.md", "begun.md", "failing.md"];
    folder = makeFolder(Object.fromEntries(names.map((name) => [name, "one\n"])));
    daemon = await serveFolder(folder.root);
  });

  // The first two tests need a workspace without threads, and without anybody who answers.
  test("[TH34] threads lists, filters, resolves and clears threads", async () => {
    const run = (...args: string[]) => cli(folder.root, ["threads", ...args]);
    expect((await run()).out).toContain("no threads; start one with: spliced chat");
    expect((await run("--status", "waiting")).out).toContain("no thread waits for an answer");
    folder.write("sub/own.md", "one\n");
    expect((await cli(folder.at("sub"), ["chat", "own.md"])).err).toContain(
      "start one with: spliced chat own.md ",
    );
    const { thread } = JSON.parse(
      (await cli(folder.root, ["chat", "listed.md", "shorten it", "--wait", "0", "--json"])).out,
    );
    expect((await run()).out).toMatch(
      new RegExp(`^${thread} listed.md {2}waits for an answer\n {2}shorten it\n {2}1 message,`),
    );
    expect(JSON.parse((await run("listed.md", "--json")).out)).toMatchObject([{ id: thread, waiting: true }]);
    expect(JSON.parse((await run("other.md", "--json")).out)).toEqual([]);
    expect((await run("--resolve", thread)).out).toBe(`resolved ${thread}\n`);
    expect(JSON.parse((await run("--status", "waiting", "--json")).out)).toEqual([]);
    expect((await run("--reopen", thread)).out).toBe(`open ${thread}\n`);
    expect(await run("--clear", thread, "--stop", thread)).toMatchObject({ code: 2 });
    expect((await run("--clear", thread)).out).toBe(`deleted ${thread}\n`);
    expect(await run("--clear", thread)).toMatchObject({ code: 1 });
  });

  further("[TH33] chat says that nobody is there to answer, and how to connect somebody", async () => {
    const alone = await cli(folder.root, ["chat", "alone.md", "hello", "--wait", "1"]);
    expect(alone).toMatchObject({ code: 0, out: "" });
    expect(alone.err).toMatch(
      /No agent is here to answer.*\n.*waits.*\n.*spliced agent.*\n.*spliced mcp.*\n.*chat --thread thr_/,
    );
    expect(await cli(folder.root, ["chat", "nowhere.md", "hello"])).toMatchObject({ code: 1 });
    expect(await cli(folder.root, ["chat"])).toMatchObject({ code: 2 });
  });

  test("[TH33] chat starts and continues a thread, and prints the answer as it comes", async () => {
    const bot = await daemon.connect({ name: "bot" });
    onTestFinished(() => bot.close()); // or it would answer in other tests, too
    await answering(bot, ["I shorten ", "it."]);
    const chat = await cli(folder.root, ["chat", "notes.md", "shorten it"]);
    expect(chat).toMatchObject({ code: 0, out: "· Reads notes.md\nI shorten it.\n" });
    const [, thread] = /chat --thread (thr_\w+)/.exec(chat.err)!;
    const next = JSON.parse((await cli(folder.root, ["chat", "notes.md", "more", "--json"])).out);
    expect(next).toMatchObject({ thread, answer: { author: "bot", text: "I shorten it." } });
    const shown = await cli(folder.root, ["chat", "--thread", thread!]);
    expect(shown.out).toMatch(/shorten it\n\nbot .*\nI shorten it\.\n\n.*more\n/s);
    const fresh = JSON.parse((await cli(folder.root, ["chat", "notes.md", "new", "--new", "--json"])).out);
    expect(fresh.thread).not.toBe(thread);
  });

  test("[TM86] chat exits with 1 if the answer to its message failed, after the part that came", async () => {
    const agent = await daemon.connect({ name: "bot" });
    onTestFinished(() => agent.close());
    agent.on("thread.message", async ({ thread: { id }, message }) => {
      if (message.role !== "user") return;
      const { leaseId } = await agent.thread.lease({ thread: id });
      await agent.thread.part({ leaseId, parts: [{ kind: "text", text: "I beg" }] });
      await agent.thread.release({ leaseId, incomplete: "failed" });
    });
    await agent.subscribe({ pattern: "failing.md" });
    const person = await cli(folder.root, ["chat", "failing.md", "shorten it"]);
    expect(person).toMatchObject({ code: 1, out: "I beg\n" });
    expect(person.err).toMatch(
      /^error: the answer failed before its end\ngo on with: spliced chat --thread thr_\w+ "…"\n$/,
    );
    const program = await cli(folder.root, ["chat", "failing.md", "more", "--json"]);
    expect(JSON.parse(program.out)).toMatchObject({ answer: { text: "I beg", incomplete: "failed" } });
    expect(program).toMatchObject({ code: 1, err: person.err });
  });

  further("[TH33] chat prints an answer that is under way, and says when it was stopped", async () => {
    const agent = await daemon.connect({ name: "bot" });
    const { thread } = await agent.thread.append({ path: "begun.md", role: "user", text: "hello" });
    const { leaseId } = await agent.thread.lease({ thread });
    await agent.thread.part({ leaseId, parts: [{ kind: "text", text: "I beg" }] });
    agent.on("thread.stop", () => void agent.thread.release({ leaseId }));
    const chat = startCli(folder.root, ["chat", "--thread", thread]);
    await until("chat printed the part", () => chat.out().includes("I beg"));
    await agent.thread.part({ leaseId, parts: [{ kind: "text", text: "in" }] });
    await until("chat printed more", () => chat.out().includes("I begin"));
    expect((await cli(folder.root, ["threads", "--stop", thread])).out).toBe(`asked to stop ${thread}\n`);
    expect(await chat.ended).toBe(0);
    expect(chat.out()).toMatch(/I begin\nThe answer was stopped\.\n$/);
  });
});
