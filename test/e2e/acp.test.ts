import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { processLives } from "../../src/client/index.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { answerTo, ask, endAgent, makeStage, type Stage, startAgent } from "./agent-stage.ts";
import { tokenFor } from "./token.ts";
import { until } from "./until.ts";

const SCRIPTED = resolve(import.meta.dirname, "scripted-acp-agent.js");
const COMMAND = ["--", process.execPath, SCRIPTED];
const FILES = { "notes.md": "one\ntwo\n" };

describe("spliced agent with an agent that speaks ACP", () => {
  let stage: Stage;
  beginShared(async () => {
    stage = await makeStage({
      ...FILES,
      "asked.md": "one\ntwo\n",
      "saved.md": "one\ntwo\n",
      "late.md": "one\ntwo\n",
      ".gitignore": "ignored.md\n",
      "ignored.md": "hidden text\n",
      ".env": "A=secret\n",
    });
    await startAgent(stage.root, COMMAND);
  });

  test("[AH1, AH2] answers in threads: a session for each, plans as lists, tool calls as sentences", async () => {
    const { person } = stage;
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
  });

  test("[AH3] allows an edit once where the token may write, and writes it through the document", async () => {
    const { person, text } = stage;
    const { thread, messageId, answer } = await ask(person, "edit asked.md one ONE");
    expect(answer).toMatchObject({ text: "Edited." });
    expect(answer!.tools).toEqual([
      { id: "e1", title: "Edit asked.md", status: "completed", paths: ["asked.md"] },
    ]);
    await until("the file has the edit", () => text("asked.md") === "ONE\ntwo\n");
    const { changes } = await person.history.list({ path: "asked.md" });
    expect(changes[0]).toMatchObject({ author: "bot", answers: { thread, messageId } });
  });

  test("[AH4] refuses a diff that does not fit the document any more, and says why in the next prompt", async () => {
    const { person, text } = stage;
    const { thread, answer } = await ask(person, "stale notes.md");
    expect(answer!.text).toContain("Not allowed.");
    expect(text()).toBe("one\ntwo\n");
    const next = await ask(person, "echo", { thread });
    expect(next.answer!.text).toMatch(/Refused in your last answer:\n- notes\.md changed meanwhile/);
  });

  test("[AH5] writes without a read as from the beginning of the answer, and creates files", async () => {
    const { person, root, text } = stage;
    await ask(person, "blind notes.md new");
    await until("the file is written", () => text() === "new\n");
    await ask(person, "blind fresh.md text");
    await until("the file is created", () => existsSync(join(root, "fresh.md")));
  });

  test("[AH6] claims what the agent saves itself, and lists it with the message", async () => {
    const { person } = stage;
    const { thread, messageId, answer } = await ask(person, "save saved.md saved");
    expect(answer).toMatchObject({ text: "Saved." });
    const { changes } = await person.history.list({ path: "saved.md" });
    expect(changes[0]).toMatchObject({ author: "bot", session: thread, certainty: "sure" });
    const { messages } = await person.thread.get({ thread });
    expect(messages.find(({ id }) => id === messageId)!.changes).toEqual([changes[0]!.changeId]);
  });

  further("[AH6] a save before its claim is the agent's if the tool's diff shows it", async () => {
    const { person } = stage;
    const { thread, messageId } = await ask(person, "late late.md one 1");
    const { messages } = await person.thread.get({ thread });
    expect(messages.find(({ id }) => id === messageId)!.changes).toHaveLength(1);
  });

  test("[AH8] keeps an agent from files outside, ignored and private ones, and from other sessions", async () => {
    const { person, root } = stage;
    const { answer } = await ask(person, "trespass");
    expect(answer!.text.match(/refused /g)).toHaveLength(5);
    expect(answer!.text).not.toMatch(/got |hidden text|secret/);
    expect(existsSync(join(root, "../outside.md"))).toBe(false);
    expect((await ask(person, "elsewhere")).answer).toMatchObject({ text: "Here." });
  });

  further("[AH9] an agent that dies leaves an answer that says so, and is started again", async () => {
    const { person } = stage;
    const { thread, answer } = await ask(person, "die");
    expect(answer).toMatchObject({ incomplete: "failed" });
    expect(answer!.text).toMatch(
      /^I beg\n\n.*is gone: it ended \(exit code 3\): the scripted agent gave up.*It changed nothing/s,
    );
    expect((await ask(person, "say Back.", { thread })).answer).toMatchObject({ text: "Back." });
  });

  further("[AH9] agents that refuse and flood end in words", async () => {
    const { answer: refused } = await ask(stage.person, "refuse the model is away");
    expect(refused!.text).toContain("failed: Internal error: the model is away. It changed nothing.");
    const flooded = await ask(stage.person, "flood");
    expect(flooded.answer).toMatchObject({ incomplete: "failed" });
    expect(flooded.answer!.text.slice(-200)).toContain("said more than 400000 characters");
  });
});

describe("spliced agent with an agent that may only propose", () => {
  let stage: Stage;
  beginShared(async () => {
    const own = ["own/a.md", "own/b.md", "own/c.md"];
    const names = ["late.md", "gone.md", "moved.md", "named.md", "raced.md", "race.md", "cleared.md", ...own];
    stage = await makeStage({ ...FILES, ...Object.fromEntries(names.map((name) => [name, "one\ntwo\n"])) });
    const token = await tokenFor(stage.root, "bot", "own/**=write", "**=propose");
    await startAgent(stage.root, COMMAND, { SPLICED_TOKEN: token });
  });

  further(
    "[AH7] an agent that may only propose makes proposals of what it asks, writes and saves",
    async () => {
      const { person, text } = stage;
      const asked = await ask(person, "edit notes.md one ONE");
      expect(asked.answer!.text).toMatch(/The edit became proposal .*Not allowed\./s);
      const wrote = await ask(person, "blind notes.md new");
      expect(wrote.answer!.text).toMatch(/The edit became proposal/);
      expect(text()).toBe("one\ntwo\n");
      const saved = await ask(person, "save notes.md saved");
      expect(saved.answer!.text).toMatch(/saved notes\.md itself\. It may only propose, so this is proposal/);
      await until("the file is as it was", () => text() === "one\ntwo\n");
      const { proposals } = await person.proposal.list({ path: "notes.md", status: "pending" });
      expect(proposals.map(({ author }) => author)).toEqual(["bot", "bot", "bot"]);
      expect(proposals[0]!.diff).toContain("+saved");
      const messages = (await person.thread.get({ thread: saved.thread })).messages;
      expect(messages[0]!.proposals).toEqual([proposals[0]!.id]);
      await person.proposal.reject({ id: proposals[0]!.id, reason: "Too short." });
      const next = await ask(person, "echo", { thread: saved.thread });
      expect(next.answer!.text).toContain('ada refused it, because: "Too short."');
    },
  );

  further(
    "[AH7] puts back its save before the claim if the tool's diff shows it, and no save of a person",
    async () => {
      const { person, root, text } = stage;
      const { answer } = await ask(person, "late late.md one 1");
      expect(answer!.text).toMatch(/saved late\.md itself\. It may only propose/);
      await until("the file is as it was", () => text("late.md") === "one\ntwo\n");
      expect((await person.proposal.list({ path: "late.md", status: "pending" })).proposals).toHaveLength(1);
      writeFileSync(join(root, "late.md"), "one\ntwo\nthree\n");
      // Two saves that the daemon sees as one show no tool's diff.
      const read = () => person.doc.read({ path: "late.md" });
      await until("the person's save is taken in", async () => (await read()).text.includes("three"));
      const { answer: other } = await ask(person, "late late.md one 1");
      expect(other!.text).toMatch(/saved late\.md itself/);
      await until("the person's save stays", () => text("late.md") === "one\ntwo\nthree\n");
    },
  );

  test("[AH17] a question for permission that comes together with its diff has the diff", async () => {
    const { answer } = await ask(stage.person, "burst notes.md one ONE");
    expect(answer!.text).toMatch(/The edit became proposal .*Asked\./s);
  });

  test("[AH7] an agent with a token of its own may call our tools, and runs no command", async () => {
    const { person } = stage;
    const { answer } = await ask(person, "tools");
    expect(answer!.text.match(/\b(yes|no) /g)).toEqual(["yes ", "no ", "no "]);
    const statuses = answer!.tools!.map(({ status }) => status);
    expect(statuses).toEqual(["completed", "failed", "failed"]);
  });

  test("[AH11, AH12] what it changed by itself is put back and is one proposal, also files that it created, deleted and renamed", async () => {
    const { person, root, text } = stage;
    const deeds = "create fresh.md append fresh.md append notes.md delete gone.md move moved.md elsewhere.md";
    const { thread, answer } = await ask(person, `change ${deeds}`);
    expect(answer!.text).toMatch(/It may only propose, so this is proposal prop_\w+ now\./);
    for (const deed of [
      "created fresh.md",
      "saved notes.md",
      "deleted gone.md",
      "renamed moved.md to elsewhere.md",
    ])
      expect(answer!.text).toContain(deed);
    await until("the files are as they were", () =>
      ["notes.md", "gone.md", "moved.md"].every(
        (path) => existsSync(join(root, path)) && text(path) === "one\ntwo\n",
      ),
    );
    for (const path of ["fresh.md", "elsewhere.md"]) expect(existsSync(join(root, path))).toBe(false);
    const [asked] = (await person.thread.get({ thread })).messages;
    const [id] = asked!.proposals!;
    expect(asked!.proposals).toHaveLength(1);
    await person.proposal.approve({ id: id! });
    await until("the approval makes all of it", () => existsSync(join(root, "fresh.md")));
    await until("the files are as the agent had them", () => text("notes.md") === "one\ntwo\nmore\n");
    expect([text("fresh.md"), text("elsewhere.md")]).toEqual(["new\nmore\n", "one\ntwo\n"]);
    for (const path of ["gone.md", "moved.md"]) expect(existsSync(join(root, path))).toBe(false);
  });

  test.each([
    ["deleted", "raced.md", "delete raced.md"],
    ["renamed", "race.md", "move race.md race.md.md"],
  ])(
    "[AH16] a save is put back and proposed also where its file is %s right after it",
    async (_, path, deed) => {
      const { person, root, text } = stage;
      const then = join(".spliced", `${path}.then`);
      const { thread, messageId } = await begun(stage, path, `await ${then} ${deed}`);
      writeFileSync(join(root, then), "");
      await answerTo(person, thread, messageId);
      await until("the file is as it was", () => text(path) === "one\ntwo\n");
      const { proposals } = await person.proposal.list({ path, status: "pending" });
      expect(proposals.some(({ diff }) => diff.includes("+more"))).toBe(true);
    },
  );

  further("[AH16] what it saved is proposed also where its thread is deleted meanwhile", async () => {
    const { person, text } = stage;
    const { thread } = await begun(stage, "cleared.md");
    await person.thread.clear({ thread });
    const proposed = async () => (await person.proposal.list({ path: "cleared.md" })).proposals;
    await until("the proposal is there", async () => (await proposed()).length === 1);
    expect((await proposed())[0]).toMatchObject({ author: "bot", diff: expect.stringContaining("+more") });
    await until("the file is as it was", () => text("cleared.md") === "one\ntwo\n");
  });

  further(
    "[AH11] files that its token lets it create, delete and rename stay as it left them, and are listed with the message",
    async () => {
      const { person, root, text } = stage;
      const deeds = "create own/new.md delete own/a.md move own/b.md own/moved.md append own/c.md";
      const { thread, answer } = await ask(person, `change ${deeds}`);
      expect(answer!.text).toBe("Changed.");
      await until("the file is renamed", () => existsSync(join(root, "own/moved.md")));
      await until("the file is deleted", () => !existsSync(join(root, "own/a.md")));
      expect([text("own/new.md"), text("own/c.md")]).toEqual(["new\n", "one\ntwo\nmore\n"]);
      expect(existsSync(join(root, "own/b.md"))).toBe(false);
      const [asked] = (await person.thread.get({ thread })).messages;
      expect(asked!.proposals ?? []).toEqual([]);
      expect(asked!.changes).toHaveLength(4);
    },
  );

  test("[AH13] a creation and a deletion for which it asks become proposals", async () => {
    const { person, root } = stage;
    const { thread, answer } = await ask(person, "remake made.md named.md");
    expect(answer!.text).toMatch(/The new file became proposal .*no .*The deletion became proposal .*no /s);
    expect([existsSync(join(root, "made.md")), existsSync(join(root, "named.md"))]).toEqual([false, true]);
    const wrote = await ask(person, "blind blank.md text", { thread });
    expect(wrote.answer!.text).toMatch(/The edit became proposal/);
    const { proposals } = await person.proposal.list({ status: "pending" });
    const made = new Map(proposals.map(({ path, operation }) => [path, operation]));
    expect(Object.fromEntries(made)).toMatchObject({
      "made.md": "create",
      "named.md": "delete",
      "blank.md": "create",
    });
    expect((await ask(person, "remake own/asked.md own/c.md")).answer!.text).toBe("yes yes ");
  });
});

/** Asks the agent to change a file by itself; resolves once the daemon has taken in its save. */
async function begun({ person, root }: Stage, path: string, more = "") {
  const go = join(root, ".spliced", `${path}.go`); // no document
  const text = `change after ${go} append ${path} ${more}`.trim();
  const asked = await person.thread.append({ path, role: "user", text });
  const draft = async () => (await person.thread.get({ thread: asked.thread })).draft;
  await until("its tool is claimed", async () => (await draft())?.tools.length === 1);
  writeFileSync(go, "");
  const saved = async () =>
    (await person.history.list({ path })).changes.some(({ author }) => author === "bot");
  await until("the daemon takes in its save", saved);
  return asked;
}

describe("the end of spliced agent", () => {
  test("[AH9, AH10, AH14] a command that is not there, and one of another version, end in words; a stop ends an agent, also a deaf one with its processes", async () => {
    const { person, root } = await makeStage(FILES);
    const program = join(root, "agent.sh");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    const missing = await startAgent(root, [program]);
    rmSync(program);
    const { answer } = await ask(person, "say hello");
    expect(answer!.text).toMatch(/agent\.sh is not installed; see: spliced agent --list/);
    await endAgent(missing);
    const newer = await startAgent(root, [...COMMAND, "2"]);
    expect((await ask(person, "say hello")).answer).toMatchObject({
      incomplete: "failed",
      text: expect.stringMatching(
        /answered version 1 of the Agent Client Protocol with version 2\. spliced speaks version 1 only/,
      ),
    });
    await endAgent(newer);
    const mute = await startAgent(root, ["--limit", "2", "--", "sleep", "60"]);
    expect((await ask(person, "say hello")).answer!.text).toContain("longer than its limit of 2 s");
    await endAgent(mute);
    const agent = await startAgent(root, COMMAND);
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
  });
});
