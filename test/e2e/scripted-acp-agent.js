// An agent that speaks the Agent Client Protocol and does what the last line of its prompt says.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream, RequestError } from "@agentclientprotocol/sdk";

const { session, fs } = methods.client;
const sessions = new Map();

/** What the agent can do, by the first word of the line; `words` are the others. */
const DEEDS = {
  say: ({ say }, ...words) => say(words.join(" ")),
  echo: ({ say, prompt }) => say(`[${prompt}]`),
  servers: ({ say, at }) => say(JSON.stringify(at.mcpServers)),
  async plan({ update }) {
    const entry = (content, status) => ({ content, priority: "medium", status });
    await update({
      sessionUpdate: "plan",
      entries: [entry("Look", "completed"), entry("Write", "in_progress")],
    });
  },
  /** Asks for permission with a diff of the whole file, then writes through the client. */
  async edit({ client, sessionId, say, at, call }, file, from, to) {
    const path = join(at.cwd, file);
    const { content: oldText } = await client.request(fs.readTextFile, { sessionId, path });
    const newText = oldText.replace(from, to);
    const allowed = await call(path, [{ type: "diff", path, oldText, newText }], "pending");
    if (allowed) await client.request(fs.writeTextFile, { sessionId, path, content: newText });
    await say(allowed ? "Edited." : "Not allowed.");
  },
  /** Shows a diff and asks for permission in one write, as on a busy machine. The question itself has no diff. */
  async burst({ client, sessionId, update, say, at }, file, from, to) {
    const path = join(at.cwd, file);
    const toolCall = { toolCallId: "b1", title: "Edit files", kind: "edit", locations: [{ path }] };
    const oldText = readFileSync(path, "utf8");
    const content = [{ type: "diff", path, oldText, newText: oldText.replace(from, to) }];
    const options = [{ optionId: "no", name: "No", kind: "reject_once" }];
    process.stdout.cork();
    const shown = update({ sessionUpdate: "tool_call", ...toolCall, status: "pending", content });
    const asked = client.request(session.requestPermission, { sessionId, toolCall, options });
    setTimeout(() => process.stdout.uncork(), 50);
    await Promise.all([shown, asked]);
    await say("Asked.");
  },
  /** Asks for permission to call a tool of an MCP server, then to run a command. */
  async tools({ ask, say }) {
    const calls = [
      ["mcp__spliced__edit", "other"],
      ["mcp__other__write", "other"],
      ["rm -rf spliced", "execute"],
    ];
    for (const [title, kind] of calls) {
      const allowed = await ask({ toolCallId: title, title, kind, status: "pending" });
      await say(`${allowed ? "yes" : "no"} `);
    }
  },
  /** Asks for permission for a diff whose old text is not in the file. */
  async stale({ say, at, call }, file) {
    const path = join(at.cwd, file);
    const allowed = await call(path, [{ type: "diff", path, oldText: "long gone", newText: "x" }], "pending");
    await say(allowed ? "Allowed." : "Not allowed.");
  },
  /** Writes through the client without reading before. */
  async blind({ client, sessionId, say, at }, file, content) {
    await client.request(fs.writeTextFile, { sessionId, path: join(at.cwd, file), content: `${content}\n` });
    await say("Written.");
  },
  /** Saves the file itself, as Claude Code and Codex do. */
  async save({ update, say, at }, file, content) {
    const path = join(at.cwd, file);
    const call = { toolCallId: "s1", title: `Write ${path}`, kind: "edit", locations: [{ path }] };
    await update({ sessionUpdate: "tool_call", ...call, status: "in_progress" });
    await new Promise((done) => setTimeout(done, 300));
    writeFileSync(path, `${content}\n`);
    await update({ sessionUpdate: "tool_call_update", toolCallId: "s1", status: "completed" });
    await say("Saved.");
  },
  /**
   * Changes files itself: words such as `create a.md`, `append a.md`, `delete a.md`, `move a.md b.md`, one after the
   * other. `after x`, which may come first, and `await x` wait until the file x is there.
   */
  async change({ update, say, at }, ...words) {
    const call = { toolCallId: "c1", title: "Runs its tools", kind: "other" };
    await update({ sessionUpdate: "tool_call", ...call, status: "in_progress" });
    const signal = words[0] === "after" ? words.splice(0, 2)[1] : undefined;
    do await new Promise((done) => setTimeout(done, 300));
    while (signal !== undefined && !existsSync(signal));
    const next = () => join(at.cwd, words.shift());
    while (words.length > 0) {
      const deed = words.shift();
      const path = next();
      if (deed === "await") while (!existsSync(path)) await new Promise((done) => setTimeout(done, 20));
      else if (deed === "create") writeFileSync(path, "new\n");
      else if (deed === "append") writeFileSync(path, `${readFileSync(path, "utf8")}more\n`);
      else if (deed === "delete") rmSync(path);
      else renameSync(path, next());
    }
    await update({ sessionUpdate: "tool_call_update", toolCallId: "c1", status: "completed" });
    await say("Changed.");
  },
  /** As `change`, and never ends its answer. */
  async leave(context, ...words) {
    await DEEDS.change(context, ...words);
    return DEEDS.hang(context);
  },
  /** Asks for permission to create a file, then to delete one. */
  async remake({ ask, say, at }, made, gone) {
    const path = join(at.cwd, made);
    const content = [{ type: "diff", path, oldText: null, newText: "made\n" }];
    const create = { toolCallId: "r1", title: `Write ${path}`, kind: "edit", locations: [{ path }], content };
    await say((await ask({ ...create, status: "pending" })) ? "yes " : "no ");
    const locations = [{ path: join(at.cwd, gone) }];
    const remove = { toolCallId: "r2", title: `Delete ${gone}`, kind: "delete", locations };
    await say((await ask({ ...remove, status: "pending" })) ? "yes " : "no ");
  },
  /** Saves the file before it tells of the tool that does it, as an agent does that is heard late. */
  async late({ update, say, at }, file, oldText, newText) {
    const path = join(at.cwd, file);
    writeFileSync(path, readFileSync(path, "utf8").replace(oldText, newText));
    await new Promise((done) => setTimeout(done, 500));
    const call = { toolCallId: "l1", title: `Edit ${path}`, kind: "edit", locations: [{ path }] };
    await update({ sessionUpdate: "tool_call", ...call, status: "in_progress" });
    const content = [{ type: "diff", path, oldText, newText }];
    await update({ sessionUpdate: "tool_call_update", toolCallId: "l1", status: "completed", content });
    await say("Saved.");
  },
  /** Reads and writes paths that are none of its business. */
  async trespass({ client, sessionId, say, at }) {
    const tries = [
      [fs.readTextFile, { path: "/etc/hostname" }],
      [fs.writeTextFile, { path: join(at.cwd, "../outside.md"), content: "x" }],
      [fs.readTextFile, { path: join(at.cwd, ".env") }],
      [fs.readTextFile, { path: join(at.cwd, "ignored.md") }],
      [fs.readTextFile, { path: "notes.md", sessionId: "another" }],
    ];
    for (const [method, params] of tries)
      await client.request(method, { sessionId, ...params }).then(
        (got) => say(`got ${JSON.stringify(got)} `),
        () => say("refused "),
      );
  },
  /** Refuses the prompt, with the reason in the details of the error. */
  refuse(_at, ...words) {
    throw RequestError.internalError({ details: words.join(" ") });
  },
  async elsewhere({ client, say }) {
    const update = {
      sessionUpdate: "agent_message_chunk",
      content: { type: "text", text: "for another thread" },
    };
    await client.notify(session.update, { sessionId: "another", update });
    await say("Here.");
  },
  async die({ say }) {
    await say("I beg");
    await new Promise((done) => setTimeout(done, 300));
    process.stderr.write("the scripted agent gave up\n");
    process.exit(3);
  },
  async flood({ say }) {
    for (;;) await say("word ".repeat(400));
  },
  async hang({ say, at }) {
    await say("I think");
    await new Promise((done) => {
      at.cancel = done;
    });
    return "cancelled";
  },
  async deaf({ say }) {
    await say("I think");
    await new Promise(() => setInterval(() => {}, 1000));
  },
};

agent({ name: "scripted" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: Number(process.argv[2] ?? 1),
    agentCapabilities: { mcpCapabilities: { http: true, sse: false } },
    authMethods: [],
  }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    const sessionId = `session-${sessions.size + 1}`;
    sessions.set(sessionId, { ...params, cancel: () => {} });
    return { sessionId };
  })
  .onNotification(methods.agent.session.cancel, ({ params }) => sessions.get(params.sessionId)?.cancel())
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const { sessionId } = params;
    const prompt = params.prompt.map(({ text }) => text).join("\n");
    const [deed, ...words] = prompt
      .trim()
      .split("\n")
      .at(-1)
      .replace(/^ada: /, "")
      .split(" ");
    const update = (one) => client.notify(session.update, { sessionId, update: one });
    const say = (text) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
    const ask = async (toolCall) => {
      await update({ sessionUpdate: "tool_call", ...toolCall });
      const options = [
        { optionId: "always", name: "Always", kind: "allow_always" },
        { optionId: "yes", name: "Yes", kind: "allow_once" },
        { optionId: "no", name: "No", kind: "reject_once" },
      ];
      const { outcome } = await client.request(session.requestPermission, { sessionId, toolCall, options });
      const allowed = outcome.outcome === "selected" && outcome.optionId === "yes";
      const ended = allowed ? "completed" : "failed";
      await update({ sessionUpdate: "tool_call_update", toolCallId: toolCall.toolCallId, status: ended });
      return allowed;
    };
    const call = (path, content, status) =>
      ask({ toolCallId: "e1", title: `Edit ${path}`, kind: "edit", locations: [{ path }], content, status });
    const at = sessions.get(sessionId);
    const stopReason = await DEEDS[deed]({ client, sessionId, at, update, say, ask, call, prompt }, ...words);
    return { stopReason: stopReason ?? "end_turn" };
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
