import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { processLives } from "../../src/client/index.ts";
import { answerTo, ask, type Stage, stageWith } from "./agent-stage.ts";
import { until } from "./until.ts";

const SCRIPTED = resolve(import.meta.dirname, "scripted-acp-agent.js");
const COMMAND = ["--", process.execPath, SCRIPTED];
const FILES = { "notes.md": "one\ntwo\n" };

/** Starts a daemon and the scripted agent; with `allow`, under a token of its own. */
function stage(files: Readonly<Record<string, string>> = FILES, allow?: string): Promise<Stage> {
  return stageWith({ files, args: COMMAND, allow });
}

describe("spliced agent with an agent that speaks ACP", () => {
  test("[AH1, AH2] answers in threads: a session for each, plans as lists, tool calls as sentences", async () => {
    const { person, daemon } = await stage();
    const { thread, answer } = await ask(person, "say Hello there.");
    expect(answer).toMatchObject({ author: "bot", kind: "agent", text: "Hello there." });
    const planned = await ask(person, "plan", { thread });
    expect(planned.answer!.plan).toEqual([
      { text: "Look", status: "completed" },
      { text: "Write", status: "in_progress" },
    ]);
    const first = await ask(person, "echo", { thread });
    expect(first.answer!.text).toBe("[echo]");
    const other = await ask(person, "echo");
    expect(other.answer!.text).toMatch(/You are bot.*notes\.md: You may edit it\..*echo\]$/s);
    const servers = JSON.parse((await ask(person, "servers", { thread })).answer!.text);
    expect(servers).toMatchObject([{ name: "spliced", command: process.execPath }]);
    expect(servers[0].args).toContain("mcp");
    await daemon.stop();
  });

  test("[AH3] allows an edit once where the token may write, and writes it through the document", async () => {
    const { person, daemon, text } = await stage();
    const { thread, messageId, answer } = await ask(person, "edit notes.md one ONE");
    expect(answer).toMatchObject({ text: "Edited." });
    expect(answer!.tools).toEqual([
      { id: "e1", title: "Edit notes.md", status: "completed", paths: ["notes.md"] },
    ]);
    await until("the file has the edit", () => text() === "ONE\ntwo\n");
    const { changes } = await person.history.list({ path: "notes.md" });
    expect(changes[0]).toMatchObject({ author: "bot", answers: { thread, messageId } });
    await daemon.stop();
  });

  test("[AH4] refuses a diff that does not fit the document any more, and says why in the next prompt", async () => {
    const { person, daemon, text } = await stage();
    const { thread, answer } = await ask(person, "stale notes.md");
    expect(answer!.text).toContain("Not allowed.");
    expect(text()).toBe("one\ntwo\n");
    const next = await ask(person, "echo", { thread });
    expect(next.answer!.text).toMatch(/Refused in your last answer:\n- notes\.md changed meanwhile/);
    await daemon.stop();
  });

  test("[AH5] writes without a read as from the beginning of the answer, and creates files", async () => {
    const { person, daemon, root } = await stage();
    await ask(person, "blind notes.md new");
    await until("the file is written", () => readFileSync(join(root, "notes.md"), "utf8") === "new\n");
    await ask(person, "blind fresh.md text");
    await until("the file is created", () => existsSync(join(root, "fresh.md")));
    await daemon.stop();
  });

  test("[AH6] claims what the agent saves itself, and lists it with the message", async () => {
    const { person, daemon } = await stage();
    const { thread, messageId, answer } = await ask(person, "save notes.md saved");
    expect(answer).toMatchObject({ text: "Saved." });
    const { changes } = await person.history.list({ path: "notes.md" });
    expect(changes[0]).toMatchObject({ author: "bot", session: thread, certainty: "sure" });
    const { messages } = await person.thread.get({ thread });
    expect(messages.find(({ id }) => id === messageId)!.changes).toEqual([changes[0]!.changeId]);
    await daemon.stop();
  });

  test("[AH6, AH7] a save before its claim is the agent's if the tool's diff shows it, and else anybody's", async () => {
    const writer = await stage();
    const { thread, messageId } = await ask(writer.person, "late notes.md one 1");
    const changesOf = async () =>
      (await writer.person.thread.get({ thread })).messages.find(({ id }) => id === messageId)!.changes;
    expect(await changesOf()).toHaveLength(1);
    await writer.daemon.stop();
    const { person, daemon, text, root } = await stage(FILES, "**=propose");
    const { answer } = await ask(person, "late notes.md one 1");
    expect(answer!.text).toMatch(/saved notes\.md itself\. It may only propose/);
    await until("the file is as it was", () => text() === "one\ntwo\n");
    expect((await person.proposal.list({ path: "notes.md", status: "pending" })).proposals).toHaveLength(1);
    writeFileSync(join(root, "notes.md"), "one\ntwo\nthree\n");
    const { answer: other } = await ask(person, "late notes.md one 1");
    expect(other!.text).toMatch(/saved notes\.md itself/);
    await until("the person's save stays", () => text() === "one\ntwo\nthree\n");
    await daemon.stop();
  });

  test("[AH7] an agent that may only propose makes proposals of what it asks, writes and saves", async () => {
    const { person, daemon, text } = await stage(FILES, "**=propose");
    const asked = await ask(person, "edit notes.md one ONE");
    expect(asked.answer!.text).toMatch(/The edit became proposal .*Not allowed\./s);
    const wrote = await ask(person, "blind notes.md new");
    expect(wrote.answer!.text).toMatch(/The edit became proposal/);
    expect(text()).toBe("one\ntwo\n");
    const saved = await ask(person, "save notes.md saved");
    expect(saved.answer!.text).toMatch(
      /saved notes\.md itself\. It may only propose, so its text is proposal/,
    );
    await until("the file is as it was", () => text() === "one\ntwo\n");
    const { proposals } = await person.proposal.list({ path: "notes.md", status: "pending" });
    expect(proposals.map(({ author }) => author)).toEqual(["bot", "bot", "bot"]);
    expect(proposals[0]!.diff).toContain("+saved");
    const messages = (await person.thread.get({ thread: saved.thread })).messages;
    expect(messages[0]!.proposals).toEqual([proposals[0]!.id]);
    await person.proposal.reject({ id: proposals[0]!.id, reason: "Too short." });
    const next = await ask(person, "echo", { thread: saved.thread });
    expect(next.answer!.text).toContain('ada refused it, because: "Too short."');
    await daemon.stop();
  });

  test("[AH7] an agent with a token of its own may call our tools, and runs no command", async () => {
    const { person, daemon } = await stage(FILES, "**=propose");
    const { answer } = await ask(person, "tools");
    expect(answer!.text.match(/\b(yes|no) /g)).toEqual(["yes ", "no ", "no "]);
    const statuses = answer!.tools!.map(({ status }) => status);
    expect(statuses).toEqual(["completed", "failed", "failed"]);
    await daemon.stop();
  });

  test("[AH7] an agent that may only propose creates no file, also by itself", async () => {
    const { person, daemon, root } = await stage(FILES, "**=propose");
    const { answer } = await ask(person, "save fresh.md text");
    expect(answer!.text).toMatch(/created fresh\.md itself, which it may not do/);
    expect(existsSync(join(root, "fresh.md"))).toBe(false);
    await daemon.stop();
  });

  test("[AH8] keeps an agent from files outside, ignored and private ones, and from other sessions", async () => {
    const files = {
      ...FILES,
      ".gitignore": "ignored.md\n",
      "ignored.md": "hidden text\n",
      ".env": "A=secret\n",
    };
    const { person, daemon, root } = await stage(files);
    const { answer } = await ask(person, "trespass");
    expect(answer!.text.match(/refused /g)).toHaveLength(5);
    expect(answer!.text).not.toMatch(/got |hidden text|secret/);
    expect(existsSync(join(root, "../outside.md"))).toBe(false);
    expect((await ask(person, "elsewhere")).answer).toMatchObject({ text: "Here." });
    await daemon.stop();
  });

  test("[AH9] an agent that dies leaves an answer that says so, and is started again", async () => {
    const { person, daemon } = await stage();
    const { thread, answer } = await ask(person, "die");
    expect(answer).toMatchObject({ incomplete: "failed" });
    expect(answer!.text).toMatch(
      /^I beg\n\n.*is gone: it ended \(exit code 3\): the scripted agent gave up.*It changed nothing/s,
    );
    expect((await ask(person, "say Back.", { thread })).answer).toMatchObject({ text: "Back." });
    await daemon.stop();
  });

  test("[AH9] a command that is not there, and agents that refuse and flood, end in words", async () => {
    const missing = await stageWith({ files: FILES, args: ["no-such-agent"] });
    const { answer } = await ask(missing.person, "say hello");
    expect(answer!.text).toMatch(/no-such-agent is not installed; see: spliced agent --list/);
    await missing.daemon.stop();
    const { person, daemon } = await stage();
    const { answer: refused } = await ask(person, "refuse the model is away");
    expect(refused!.text).toContain("failed: Internal error: the model is away. It changed nothing.");
    const flooded = await ask(person, "flood");
    expect(flooded.answer).toMatchObject({ incomplete: "failed" });
    expect(flooded.answer!.text.slice(-200)).toContain("said more than 400000 characters");
    await daemon.stop();
  });

  test("[AH10] cancels an agent when a person stops it, and ends one that is deaf, with its processes", async () => {
    const { person, daemon, agent } = await stage();
    for (const deed of ["hang", "deaf"]) {
      const { thread, messageId } = await person.thread.append({
        path: "notes.md",
        role: "user",
        text: deed,
      });
      await until("it answers", async () => (await person.thread.get({ thread })).draft?.text === "I think");
      await person.thread.stop({ thread });
      expect(await answerTo(person, thread, messageId)).toMatchObject({ incomplete: "stopped" });
    }
    expect((await ask(person, "say Again.")).answer).toMatchObject({ text: "Again." });
    agent.child.kill("SIGTERM");
    expect(await agent.ended).toBe(0);
    expect(processLives(agent.child.pid!)).toBe(false);
    await daemon.stop();
  });
});
