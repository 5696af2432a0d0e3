import { describe, expect, onTestFinished, test } from "vitest";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { answerTo, ask, endAgent, makeStage, type Stage, startAgent } from "./agent-stage.ts";
import { cli, type Running } from "./cli.ts";
import { logOf } from "./daemon.ts";
import { makeFolder } from "./folder.ts";
import {
  cutsAfter,
  floods,
  hangsAfter,
  refuses,
  type Scene,
  type ScriptedEndpoint,
  says,
  scriptedEndpoint,
  sends,
} from "./scripted-endpoint.ts";
import { serveFolder } from "./served.ts";
import { tokenFor } from "./token.ts";
import { until } from "./until.ts";

const KEY = "sk-scripted-key-0001";

/** Starts an agent that answers with the model of an endpoint. */
function startModel(root: string, endpoint: ScriptedEndpoint, { args = [], token, name }: ModelOptions = {}) {
  const env = { OPENAI_API_KEY: KEY, ...(token !== undefined && { SPLICED_TOKEN: token }) };
  return startAgent(root, ["--openai", endpoint.url, "--model", "scripted", ...args], env, name);
}

interface ModelOptions {
  readonly args?: readonly string[];
  readonly token?: string;
  readonly name?: string;
}

const FILES = {
  "notes.md": "one\ntwo\n",
  ".gitignore": "ignored.md\n",
  "ignored.md": "hidden text\n",
  ".env": "A=secret\n",
};
const EDIT = ["edit_document", { path: "notes.md", old: "one", new: "ONE" }] as const;

describe("an answer of a model that fails", () => {
  let stage: Stage;
  let endpoint: ScriptedEndpoint;
  beginShared(async () => {
    stage = await makeStage(FILES);
    endpoint = await scriptedEndpoint();
    await startModel(stage.root, endpoint, { args: ["--patience", "3"] });
  });

  test.each<[string, Scene, RegExp]>([
    ["cut", cutsAfter("I beg", ...EDIT), /^I beg\n\n.*was cut.*It changed nothing\. Your message is kept/s],
    ["truncated", says({ text: "I", calls: [EDIT], finish: "length" }), /^I\n\n.*longest answer/s],
    ["held back", says({ calls: [EDIT], finish: "content_filter" }), /filter/],
    ["malformed", sends('data: {"choices": 7}\n\n'), /no chat completion/],
    ["without an end", sends(""), /cut before its end/],
    ["an error in the stream", sends('data: {"error":{"message":"no memory"}}\n\n'), /no memory/],
    ["no stream", (response) => void response.end("hello"), /did not answer with a stream/],
    ["refused", refuses(401, `bad key ${KEY}`), /\(401\): bad key …/],
    [
      "a far redirect",
      (response) => void response.writeHead(307, { location: "/else" }).end(),
      /refused the request \(307\)/,
    ],
    ["too long", floods(), /said more than 400000 characters|longer than the budget/],
    ["silent", hangsAfter("I "), /silent for 3 s/],
  ])(
    "[AW4] an answer that is %s changes nothing, says why, and keeps the message",
    async (_, scene, reason) => {
      endpoint.play(scene);
      const { person, text } = stage;
      const { thread, messageId, answer } = await ask(person, "shout");
      expect(answer).toMatchObject({ incomplete: "failed", text: expect.stringMatching(reason) });
      expect(text()).toBe("one\ntwo\n");
      const { messages } = await person.thread.get({ thread });
      expect(messages[0]).toMatchObject({ id: messageId, text: "shout" });
      expect(
        (await person.history.list({ path: "notes.md" })).changes.map(({ author }) => author),
      ).not.toContain("bot");
    },
    90_000,
  );
});

describe("spliced agent with a model", () => {
  let stage: Stage;
  beginShared(async () => {
    stage = await makeStage(FILES);
  });

  /** Starts an agent that only this test has, on a document that is as at first. */
  async function startHere(endpoint: ScriptedEndpoint, options: ModelOptions = {}): Promise<Running> {
    const { root, person } = stage;
    const { text } = await person.doc.read({ path: "notes.md" });
    if (text !== FILES["notes.md"])
      await person.edit.replace({ path: "notes.md", old: text, new: FILES["notes.md"] });
    const agent = await startModel(root, endpoint, options);
    onTestFinished(() => endAgent(agent));
    return agent;
  }

  async function answering(scenes: readonly Scene[], options: ModelOptions = {}) {
    const endpoint = await scriptedEndpoint(...scenes);
    return { ...stage, endpoint, agent: await startHere(endpoint, options) };
  }

  test("[AW1, AW2, AW3, AW10] answers a thread: it edits with our tools, streams, and the log follows one id", async () => {
    const { root, person, endpoint, agent, text } = await answering([
      says({ text: "I look. ", calls: [["read_document", { path: "notes.md" }], EDIT] }),
      says({ text: "I wrote ONE." }),
    ]);
    const heard: string[] = [];
    person.on("thread.part", ({ parts }) => heard.push(...parts.map(({ kind }) => kind)));
    const { thread, messageId } = await person.thread.append({
      path: "notes.md",
      role: "user",
      text: "shout",
    });
    await person.subscribe({ thread });
    const answer = await answerTo(person, thread, messageId);
    expect(answer).toMatchObject({
      role: "assistant",
      author: "bot",
      kind: "agent",
      text: "I look. \n\nI wrote ONE.",
    });
    expect(answer!.incomplete).toBeUndefined();
    expect(answer!.tools).toMatchObject([
      { title: "Reads notes.md", status: "completed", paths: ["notes.md"] },
      { title: "Edits notes.md", status: "completed" },
    ]);
    expect(heard).toContain("text");
    expect(heard).toContain("tool");
    await until("the file has the edit", () => text() === "ONE\ntwo\n");
    const { changes } = await person.history.list({ path: "notes.md" });
    expect(changes[0]).toMatchObject({ author: "bot", answers: { thread, messageId } });
    const asked = (await person.thread.get({ thread })).messages[0];
    expect(asked!.changes).toEqual([changes[0]!.changeId]);

    const [first, second] = endpoint.asked;
    expect(first!.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(first!.body.tools.map((tool) => tool.function.name)).toContain("patch_document");
    expect(first!.body.tools.map((tool) => tool.function.name)).not.toContain("answer");
    expect(first!.body.messages.map(({ role }) => role)).toEqual(["system", "user", "user"]);
    expect(first!.body.messages[1]!.content).toContain("one\ntwo\n");
    expect(second!.body.messages.at(-1)).toMatchObject({
      role: "tool",
      content: expect.stringContaining("ONE"),
    });

    await until("the log has the end", () => agent.err().includes("answer.ended"));
    const lines = agent
      .err()
      .split("\n")
      .filter((line) => line.startsWith("{"));
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ messageId });
    for (const secret of ["shout", "ONE", KEY]) expect(lines.join("\n")).not.toContain(secret);
    await expect.poll(() => logOf(root)).toContain(messageId);
    agent.child.kill("SIGINT");
    expect(await agent.ended).toBe(0);
  });

  test("[AW5] asks again after 429, 5xx and a lost connection, with pauses", async () => {
    const { person, endpoint, agent, text } = await answering([
      refuses(429, "slow down", { "retry-after": "1" }),
      refuses(503, "busy"),
      cutsAfter("", ...EDIT),
      says({ calls: [EDIT] }),
      says({ text: "Done." }),
    ]);
    const { answer } = await ask(person, "shout");
    expect(answer).toMatchObject({ text: "Done." });
    expect(endpoint.asked).toHaveLength(5);
    expect(text()).toBe("ONE\ntwo\n");
    const pauses = agent
      .err()
      .match(/"endpoint.again".*?"ms":\d+/g)!
      .map((line) => Number(/\d+$/.exec(line)![0]));
    expect(pauses).toEqual([1000, 2000, 4000]);
    expect(agent.err()).toMatch(
      /"endpoint\.again".*"reason":"The endpoint refused the request \(503\): busy\."/,
    );
  });

  further("[AW6] stays within the budget, and edits made before stay listed", async () => {
    const { person, text } = await answering([says({ calls: [EDIT], tokens: 49_000 })], {
      args: ["--budget", "50000"],
    });
    const { answer } = await ask(person, "shout");
    expect(answer).toMatchObject({ incomplete: "failed" });
    expect(answer!.text).toMatch(/budget of 50000 tokens.*One edit was made before that, and stay/s);
    expect(text()).toBe("ONE\ntwo\n");
  });

  further(
    "[TH2, TH9] the model reads the newest messages that fit, and the whole of its instructions; a message that does not fit is answered with what to do",
    async () => {
      const { person, endpoint } = await answering([says({ text: "Yes." })], { args: ["--context", "1000"] });
      const long = (n: number) => `message ${n}: ${"word ".repeat(120)}`;
      const { thread } = await ask(person, long(1));
      for (let n = 2; n <= 6; n++) await ask(person, long(n), { thread });
      const [first, last] = [endpoint.asked[0]!, endpoint.asked.at(-1)!].map(({ body }) => body.messages);
      expect(last![0]).toEqual(first![0]);
      expect(last![0]).toMatchObject({
        role: "system",
        content: expect.stringMatching(/^You are bot\..*to you\.$/s),
      });
      const read = last!.flatMap(({ content }) => /message (\d)/.exec(content ?? "")?.[1] ?? []);
      expect(read.at(-1)).toBe("6");
      expect(read.length).toBeLessThan(6);
      expect(read).toEqual(["1", "2", "3", "4", "5", "6"].slice(-read.length));
      const asked = endpoint.asked.length;
      const { messageId, answer } = await ask(person, "word ".repeat(1_000), { thread });
      expect(answer).toMatchObject({ incomplete: "failed", text: expect.stringMatching(/--context/) });
      expect(endpoint.asked).toHaveLength(asked);
      const { messages } = await person.thread.get({ thread });
      expect(messages).toHaveLength(14);
      expect(messages.at(-2)).toMatchObject({ id: messageId, text: "word ".repeat(1_000) });
    },
  );

  further("[AW7] stops when a person asks, and at the time limit", async () => {
    const { person } = await answering([hangsAfter("I think")], { args: ["--limit", "3"] });
    const { thread, messageId } = await person.thread.append({
      path: "notes.md",
      role: "user",
      text: "long",
    });
    await until(
      "somebody answers",
      async () => (await person.thread.get({ thread })).draft?.text === "I think",
    );
    await person.thread.stop({ thread });
    expect(await answerTo(person, thread, messageId)).toMatchObject({
      incomplete: "stopped",
      text: expect.stringContaining("ada stopped the answer."),
    });
    const { answer } = await ask(person, "again", { thread });
    expect(answer).toMatchObject({ incomplete: "failed", text: expect.stringContaining("limit of 3 s") });
  });

  test("[AW8] gives a model's bad tool calls an answer, and changes nothing by them", async () => {
    const { person, endpoint, text } = await answering([
      says({
        calls: [
          ["edit_document", '{"path": "notes.md", "old'],
          ["rm", { path: "notes.md" }],
          ["answer", { thread: "thr_1", text: "x" }],
          ["edit_document", { path: "../outside.md", old: "a", new: "b" }],
          ["read_document", { path: ".env" }],
          ["read_document", { path: "ignored.md" }],
          ["patch_document", { path: "notes.md", patch: "@@ -1 +1 @@\n-nothing like it\n+x\n" }],
        ],
      }),
      says({ text: "I could not." }),
    ]);
    const { answer } = await ask(person, "shout");
    expect(answer).toMatchObject({ text: "I could not." });
    expect(answer!.tools!.map(({ status }) => status)).toEqual(Array(7).fill("failed"));
    const results = endpoint.asked[1]!.body.messages.filter(({ role }) => role === "tool");
    expect(results.map(({ content }) => content)).toEqual([
      expect.stringContaining("not valid JSON"),
      expect.stringContaining("There is no tool"),
      expect.stringContaining("There is no tool"),
      expect.any(String),
      expect.any(String),
      expect.any(String),
      expect.any(String),
    ]);
    expect(JSON.stringify(results)).not.toMatch(/secret|hidden text/);
    expect(text()).toBe("one\ntwo\n");
  });

  further("[AW9] of two agents the one that is named answers; both answer when both are named", async () => {
    const { person } = await answering([says({ text: "I am bot." })]);
    const second = await scriptedEndpoint(says({ text: "I am eve." }));
    await startHere(second, { name: "eve" });
    expect((await ask(person, "@eve who are you?")).answer).toMatchObject({
      author: "eve",
      text: "I am eve.",
    });
    expect((await ask(person, "@bot who are you?")).answer).toMatchObject({
      author: "bot",
      text: "I am bot.",
    });
    const { thread } = await ask(person, "@bot @eve who are you?");
    const authors = await until("both answered", async () => {
      const { messages } = await person.thread.get({ thread });
      return messages.length === 3 && messages.slice(1).map(({ author }) => author);
    });
    expect((authors as string[]).sort()).toEqual(["bot", "eve"]);
    const open = (await ask(person, "anybody?")).thread;
    expect((await person.thread.get({ thread: open })).messages).toHaveLength(2);
  });

  test("[AW11] answers what was written while it answered, and what waited before it came", async () => {
    const { person } = stage;
    const first = await person.thread.append({ path: "notes.md", role: "user", text: "first" });
    let goOn = () => {};
    const endpoint = await scriptedEndpoint(
      (response, asked) => {
        goOn = () => says({ text: "One." })(response, asked);
      },
      says({ text: "Two." }),
    );
    await startHere(endpoint);
    await until("the model is asked", () => endpoint.asked.length === 1);
    const { thread } = first;
    const second = await person.thread.append({ thread, role: "user", text: "second" });
    goOn();
    expect(await answerTo(person, thread, first.messageId)).toMatchObject({ text: "One." });
    expect(await answerTo(person, thread, second.messageId)).toMatchObject({ text: "Two." });
  });

  test("[AW12] with a token that may only propose, edits become proposals, and the next prompt has the decision", async () => {
    const token = await tokenFor(stage.root, "bot", "**=propose");
    const { person, endpoint, text } = await answering(
      [says({ calls: [EDIT] }), says({ text: "Proposed." }), says({ text: "I see." })],
      { token },
    );
    const { thread, answer } = await ask(person, "shout");
    expect(answer).toMatchObject({ text: "Proposed." });
    expect(text()).toBe("one\ntwo\n");
    const { messages } = await person.thread.get({ thread });
    const [id] = messages[0]!.proposals!;
    await person.proposal.reject({ id: id!, reason: "Too loud." });
    await ask(person, "and now?", { thread });
    const system = endpoint.asked.at(-1)!.body.messages[0]!.content;
    expect(system).toContain(`${id} on notes.md: ada refused it, because: "Too loud."`);
  });

  test("[AW13] goes on after the daemon restarts, and when the document is renamed or deleted meanwhile", async () => {
    const { root, person, daemon } = await makeStage(FILES);
    await startModel(root, await scriptedEndpoint(says({ text: "Here." })));
    const { thread } = await ask(person, "hello");
    await person.doc.rename({ path: "notes.md", to: "other.md" });
    expect((await ask(person, "still there?", { thread })).answer).toMatchObject({ text: "Here." });
    await person.doc.delete({ path: "other.md" });
    expect((await ask(person, "and now?", { thread })).answer).toMatchObject({ text: "Here." });
    await daemon.stop();
    const next = await serveFolder(root);
    const again = await next.connect({ name: "ada", role: "person" });
    await again.subscribe({ threads: true });
    expect((await ask(again, "you, too?", { thread })).answer).toMatchObject({ text: "Here." });
  });
});

describe("the command line of spliced agent", () => {
  further("[AW14] --list says what is installed and how to get the rest, and --help teaches", async () => {
    const { root } = makeFolder({ "notes.md": "one\n" });
    const listed = await cli(root, ["agent", "--list"]);
    expect(listed.code).toBe(0);
    expect(listed.out).toMatch(
      /^claude .*(spliced agent claude|npm install --global @agentclientprotocol\/claude-agent-acp)$/m,
    );
    expect(listed.out).toContain("spliced agent --openai");
    const help = await cli(root, ["agent", "--help"]);
    expect(help.out).toMatch(/spliced start\n.*spliced agent .*\n.*spliced chat/);
  });

  test("[AW14, AW17] refuses what cannot work, in words", async () => {
    const { root } = makeFolder({ "notes.md": "one\n" });
    const run = (...args: string[]) => cli(root, ["agent", ...args]);
    expect(await run()).toMatchObject({ code: 2, err: expect.stringContaining("name an agent") });
    expect(await run("--openai", "nowhere", "--model", "m")).toMatchObject({
      code: 2,
      err: expect.stringContaining("is no URL"),
    });
    expect(await run("--openai", "http://a:b@c/v1", "--model", "m")).toMatchObject({
      code: 2,
      err: expect.stringContaining("--key-from"),
    });
    expect(await run("--openai", "http://c/v1")).toMatchObject({
      code: 2,
      err: expect.stringContaining("--model"),
    });
    expect(await run("claude", "--openai", "http://c/v1")).toMatchObject({ code: 2 });
    // Node's timers count to 24 days; a longer one would end each answer at once.
    for (const option of ["--limit", "--patience"])
      expect(await run("--openai", "http://c/v1", "--model", "m", option, "999999999")).toMatchObject({
        code: 2,
        err: expect.stringContaining("from 1 to 2000000"),
      });
    for (const unknown of ["cluade", "./no-such-program"]) {
      const { code, err } = await run(unknown, "and", "words");
      expect([code, err]).toEqual([1, expect.stringContaining(`there is no program "${unknown}"`)]);
      expect(err).toContain("give one of claude, codex, gemini");
    }
    expect((await run("cluade")).err).toContain('(did you mean "claude"?)');
    expect(await run("--openai", "http://c/v1", "--model", "m")).toMatchObject({
      code: 3,
      err: expect.stringContaining("spliced start"),
    });
  });

  test("[AW17] does not wait for threads with an agent that is not installed", async () => {
    const { root } = makeFolder({ "notes.md": "one\n" });
    await serveFolder(root);
    expect(await cli(root, ["agent", "claude"], { env: { PATH: "/nowhere" } })).toMatchObject({
      code: 1,
      err: expect.stringMatching(/claude-agent-acp is not installed[\s\S]*npm install --global @agent/),
    });
  });
});
