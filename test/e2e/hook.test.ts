import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { relative } from "node:path";
import { expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import type { Health } from "../../src/daemon/reports/health.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { cli } from "./cli.ts";
import { BIN, type ServedFolder } from "./daemon.ts";
import { type Folder, folderIn, makeFolder } from "./folder.ts";
import { times } from "./long.ts";
import { serveFolder } from "./served.ts";
import { until } from "./until.ts";

let sessions = 0;

/** A fake agent: its tools write files, and its hooks run the real command. */
class FakeAgent {
  readonly session = `s${++sessions}`;
  readonly #folder: Folder;
  readonly #client: string;
  readonly #flags: readonly string[];
  #call = 0;

  constructor(folder: Folder, client = "claude", flags: readonly string[] = []) {
    this.#folder = folder;
    this.#client = client;
    this.#flags = flags;
  }

  async hook(event: string, fields: object = {}): Promise<Record<string, unknown> | undefined> {
    const { root } = this.#folder;
    const input = JSON.stringify({ hook_event_name: event, session_id: this.session, cwd: root, ...fields });
    const ran = await cli(root, ["hook", this.#client, ...this.#flags], { input });
    expect(ran).toMatchObject({ code: 0, err: "" });
    return ran.out === "" ? undefined : JSON.parse(ran.out);
  }

  /** Runs a tool between its hooks; returns what the hook after it printed. */
  async tool(tool_name: string, tool_input: object, work: () => unknown) {
    const call = { tool_name, tool_input, tool_use_id: `t${++this.#call}`, permission_mode: "acceptEdits" };
    const before = await this.hook("PreToolUse", call);
    if (before !== undefined) return before;
    await work();
    return this.hook("PostToolUse", call);
  }

  /**
   * Returns what the hook before an editing tool says instead of the tool. On a busy machine the hook gives up; it is then
   * asked about the same call again.
   */
  async throughHook(tool_name: string, tool_input: object): Promise<Record<string, unknown>> {
    const call = { tool_name, tool_input, tool_use_id: `t${++this.#call}`, permission_mode: "acceptEdits" };
    const asked = () => this.hook("PreToolUse", call);
    return (await until("the hook answers for the tool", asked, (answer) => answer !== undefined))!;
  }

  write(path: string, content: string) {
    const file = this.#folder.at(path);
    return this.tool("Write", { file_path: file, content }, () => {
      this.#folder.write(`${path}.tmp.1.ab`, content);
      renameSync(`${file}.tmp.1.ab`, file);
    });
  }

  shell(command: string) {
    const run = () => execFileSync("sh", ["-c", command], { cwd: this.#folder.root });
    return this.tool("Bash", { command }, run);
  }

  read(path: string) {
    return this.tool("Read", { file_path: this.#folder.at(path) }, () => {});
  }
}

/** A workspace whose folders the tests share. */
interface Served {
  readonly folder: Folder;
  readonly daemon: ServedFolder;
  readonly reader: Client;
}

async function serve(): Promise<Served> {
  const folder = makeFolder();
  const daemon = await serveFolder(folder.root);
  const health = async () => (await (await fetch(`${daemon.located.url}/health`)).json()) as Health;
  await until("the files are covered", health, ({ cover }) => cover.stage === "covered");
  return { folder, daemon, reader: await daemon.connect({ name: "reader" }) };
}

let shared: Served;
beginShared(async () => {
  shared = await serve();
});

/** Returns a new folder of the workspace, once the daemon has taken in these files, and the changes in it after that. */
async function placed(files: Record<string, string>, { folder: whole, reader } = shared) {
  const folder = folderIn(whole, files);
  const path = relative(whole.root, folder.root);
  const listed = async () => {
    const { changes } = await reader.history.list({});
    return changes
      .filter((change) => change.path?.startsWith(`${path}/`))
      .map((change) => ({ ...change, path: change.path!.slice(path.length + 1) }));
  };
  const count = Object.keys(files).length;
  const first = await until("the files are taken in", listed, (changes) => changes.length === count);
  const known = new Set(first.map(({ changeId }) => changeId));
  const history = (least: number) =>
    until(
      `the history has ${least} changes`,
      async () => (await listed()).filter(({ changeId }) => !known.has(changeId)),
      (changes) => changes.length >= least,
    );
  return { folder, path: (name: string) => `${path}/${name}`, history };
}

test("[HK8] what an agent's tools write is the agent's, in files that nobody opened", async () => {
  const { folder, history } = await placed({ "a.md": "one\n", "b.md": "two\n", "old.md": "old\n" });
  const agent = new FakeAgent(folder);
  await agent.hook("UserPromptSubmit", { prompt: "change things" });
  await agent.write("a.md", "one, changed\n");
  await agent.shell("sed -i s/two/2/ b.md && echo new > new.md && mv old.md moved.md");
  await agent.hook("Stop");
  const closed = Date.now();
  await until("an editing tool's file would come too late", () => Date.now() - closed > 500 + 20);
  folder.write("a.md", "by a person\n");
  const changes = await history(5);
  const shown = changes.map(({ path, kind, author, certainty }) => [path, kind, author, certainty]);
  expect(shown.sort()).toEqual([
    ["a.md", "edit", "claude", "sure"],
    ["a.md", "edit", "disk", undefined],
    ["b.md", "edit", "claude", "likely"],
    ["moved.md", "rename", "claude", "likely"],
    ["new.md", "create", "claude", "likely"],
  ]);
  expect(new Set(changes.map(({ session }) => session))).toEqual(new Set([agent.session, undefined]));
});

test("[HK13] a person's save while an agent waits to edit the file is not surely the agent's", async () => {
  const { folder, history } = await placed({ "a.md": "one\ntwo\n" });
  const edit = { file_path: folder.at("a.md"), old_string: "one", new_string: "ONE" };
  await new FakeAgent(folder).tool("Edit", edit, async () => {
    folder.write("a.md", "one\ntwo, by a person\n");
    await history(1);
    folder.write("a.md", "ONE\ntwo\n");
    await history(2);
  });
  const shown = (await history(2)).map(({ author, certainty }) => [author, certainty]);
  expect(shown).toEqual([
    ["claude", "sure"],
    ["claude", "likely"],
  ]);
});

test("[HK9] two agents' shells at once are both named; a file that one names is its own", async () => {
  const { folder, history } = await placed({ "a.md": "one\n", "b.md": "two\n" });
  const [claude, codex] = [new FakeAgent(folder), new FakeAgent(folder, "codex")];
  await codex.tool("Bash", { command: "make" }, async () => {
    await claude.write("a.md", "by claude\n");
    await claude.shell("echo by somebody > b.md");
  });
  const authors = (await history(2)).map(({ path, author, certainty }) => [path, author, certainty]);
  expect(authors.sort()).toEqual([
    ["a.md", "claude", "sure"],
    ["b.md", expect.stringMatching(/^(claude or codex|codex or claude)$/), "likely"],
  ]);
});

/** An agent that has read a file and is about to save `content`, while alice has edited another line of it. */
async function overtaken() {
  const { folder, path } = await placed({ "a.md": "one\ntwo\nthree\nfour\nfive\n" });
  const client = await shared.daemon.connect({ name: "alice" });
  await client.request("doc.open", { path: path("a.md") });
  const agent = new FakeAgent(folder);
  await agent.read("a.md");
  const content = folder.read("a.md").replace("one", "ONE");
  await client.request("edit.replace", { path: path("a.md"), old: "five", new: "FIVE and more" });
  const bothAreThere = () =>
    until(
      "both are there",
      () => folder.read("a.md"),
      (text) => /ONE/.test(text) && /FIVE/.test(text),
    );
  return { folder, agent, content, bothAreThere };
}

test("[HK10] an agent hears in its next hook what its own save was merged with", async () => {
  const { agent, content, bothAreThere } = await overtaken();
  const answers = [await agent.write("a.md", content)];
  await bothAreThere();
  for (let i = 0; i < 3; i++) answers.push(await agent.shell("true"));
  const heard = answers.filter((answer) => answer !== undefined);
  expect(heard).toHaveLength(1);
  expect(JSON.stringify(heard)).toMatch(/a\.md.*alice.*FIVE and more/);
});

test("[HK10] a long prompt is cut between characters: half of one would be refused, and the news with it", async () => {
  const { folder, agent, content, bothAreThere } = await overtaken();
  await agent.hook("PreToolUse", {
    tool_name: "Write",
    tool_input: { file_path: folder.at("a.md"), content },
  });
  folder.write("a.md", content);
  await bothAreThere();
  const prompt = `${"x".repeat(999)}😀 and so on`;
  const asked = () => agent.hook("UserPromptSubmit", { prompt });
  const heard = await until("the agent hears of the merge", asked, (answer) => answer !== undefined);
  expect(JSON.stringify(heard)).toMatch(/a\.md.*alice.*FIVE and more/);
});

test("[HK2] a hook whose words cannot be written ends well, too", () => {
  const folder = makeFolder();
  const run = '"$0" "$1" hook nobody 2>/dev/full </dev/null';
  expect(spawnSync("bash", ["-c", run, process.execPath, BIN], { cwd: folder.root }).status).toBe(0);
});

test("[HK2] a hook without a daemon, with junk or for another folder says nothing and ends well", async () => {
  const { root } = makeFolder({ "a.md": "one\n" });
  const event = {
    hook_event_name: "PreToolUse",
    tool_name: "Write",
    tool_input: { file_path: `${root}/a.md` },
  };
  const inputs = ["", "{", "[]", "null", '{"hook_event_name":7}', "x".repeat(1 << 20), JSON.stringify(event)];
  for (const input of inputs)
    expect(await cli(root, ["hook", "claude"], { input })).toMatchObject({ code: 0, out: "", err: "" });
  const unknown = await cli(root, ["hook", "clippy"]);
  expect(unknown).toMatchObject({ code: 0, out: "" });
  expect(unknown.err).toContain("claude, codex, gemini, opencode");
});

test("[HK11] with --through all of an agent's edits land beside saves every 30 ms", async () => {
  const lines = Array.from({ length: 30 }, (_, i) => `line ${i}\n`).join("");
  const { folder, path } = await placed({ "a.md": `count 0\n${lines}` });
  const client = await shared.daemon.connect({ name: "editor" });
  await client.request("doc.open", { path: path("a.md") });
  const agent = new FakeAgent(folder, "claude", ["--through"]);
  const edits = times(4, 30);
  let saves = 0;
  const typing = setInterval(() => {
    const text = readFileSync(folder.at("a.md"), "utf8");
    folder.write("a.md", text.replace(/^count \d+/, `count ${++saves}`));
  }, 30);
  try {
    for (let i = 0; i < edits; i++) {
      const who = { agent: "claude", session: agent.session, path: path("a.md") };
      await until("the daemon knows that the agent read", async () => {
        await agent.read("a.md");
        return (await client.request("claim.last", who)).read !== null;
      });
      const edit = {
        file_path: folder.at("a.md"),
        old_string: `line ${i}\n`,
        new_string: `edit of line ${i}\n`,
      };
      const answer = await agent.throughHook("Edit", edit);
      expect(answer["hookSpecificOutput"]).toMatchObject({
        permissionDecision: "deny",
        permissionDecisionReason: expect.stringContaining("This is no error"),
      });
    }
  } finally {
    clearInterval(typing);
  }
  const text = await until(
    "all edits are in the file",
    () => folder.read("a.md"),
    (text) => text.includes(`edit of line ${edits - 1}`),
  );
  for (let i = 0; i < edits; i++) expect(text.split(`edit of line ${i}\n`)).toHaveLength(2);
  expect(saves).toBeGreaterThan(2); // beside the edits, which a fast machine makes within some of them
});

test("[HK12] --through leaves the tool alone where the agent would ask, and where it has not read", async () => {
  const { folder } = await placed({ "a.md": "one\n" });
  const agent = new FakeAgent(folder, "claude", ["--through"]);
  const edit = {
    tool_name: "Edit",
    tool_use_id: "t",
    tool_input: { file_path: folder.at("a.md"), old_string: "one", new_string: "two" },
  };
  expect(await agent.hook("PreToolUse", { ...edit, permission_mode: "acceptEdits" })).toBeUndefined();
  await agent.read("a.md");
  for (const permission_mode of ["default", "plan", undefined])
    expect(await agent.hook("PreToolUse", { ...edit, permission_mode })).toBeUndefined();
  expect(folder.read("a.md")).toBe("one\n");
  await agent.hook("PreToolUse", { ...edit, permission_mode: "bypassPermissions" });
  await until(
    "the edit is in the file",
    () => folder.read("a.md"),
    (text) => text === "two\n",
  );
});

test("[HK5, HK6, HK14] hooks are added to settings after a question, and taken out again", async () => {
  const folder = makeFolder({ ".claude/settings.local.json": '{\n  "model": "opus" // mine\n}\n' });
  const before = folder.read(".claude/settings.local.json");
  const run = (...args: string[]) => cli(folder.root, ["hook", ...args]);
  const asked = await run("--install", "claude");
  expect(asked).toMatchObject({ code: 1, out: expect.stringContaining('+    "PreToolUse"') });
  expect(asked.err).toContain("--yes");
  expect(folder.read(".claude/settings.local.json")).toBe(before);
  expect(await run("--install", "claude", "--yes")).toMatchObject({ code: 0 });
  expect(folder.read(".claude/settings.local.json")).toContain("hook claude");
  expect((await run("--install", "claude", "--yes")).out).toContain("nothing was changed");
  expect(await run("--uninstall", "claude", "--yes")).toMatchObject({ code: 0 });
  expect(folder.read(".claude/settings.local.json")).toBe(before);
  for (const agent of ["codex", "gemini", "opencode"]) {
    expect(await run("--install", agent, "--yes")).toMatchObject({ code: 0 });
    expect(await run("--uninstall", agent, "--yes")).toMatchObject({ code: 0 });
  }
  expect(await run("--uninstall", "codex")).toMatchObject({ code: 1 });
  expect(JSON.parse((await run("--print", "codex")).out).hooks.PreToolUse).toHaveLength(1);
  expect(await run()).toMatchObject({ code: 2 });
  expect(await run("--install", "gemini", "--through")).toMatchObject({ code: 2 });
});

test("[HK6] settings that cannot be read or written stay, and the error says what to do", async () => {
  const folder = makeFolder({
    "folder.json/x": "",
    "bytes.json": Buffer.from([0xff, 0xfe]),
    "junk.json": "{",
  });
  const install = (file: string) =>
    cli(folder.root, ["hook", "--install", "claude", "--yes", "--file", file]);
  for (const file of ["folder.json", "bytes.json", "junk.json"]) {
    const ran = await install(file);
    expect(ran).toMatchObject({ code: 1, out: "" });
    expect(ran.err).toMatch(/--print|UTF-8/);
  }
  folder.write("locked/settings.json", "{}\n");
  chmodSync(folder.at("locked/settings.json"), 0o400);
  expect(folder.read("junk.json")).toBe("{");
  rmSync(folder.at("locked"), { recursive: true });
});

test("[HK6] settings that do not fit on the disk any more stay whole, and a link to them stays a link", async () => {
  const mine = JSON.stringify({ notes: "x".repeat(3000) }, null, 2);
  const folder = makeFolder({ "dotfiles/settings.json": mine });
  chmodSync(folder.at("dotfiles/settings.json"), 0o640);
  symlinkSync("dotfiles/settings.json", folder.at("settings.json"));
  const install = `"$0" "$1" hook --install claude --yes --file settings.json`;
  const run = (before: string) =>
    spawnSync("bash", ["-c", before + install, process.execPath, BIN], { cwd: folder.root });
  const ran = run("ulimit -f 1; "); // no file may have more than 1 KiB
  expect([ran.status, String(ran.stderr)]).toEqual([1, expect.stringMatching(/--print/)]);
  expect([folder.read("settings.json"), readdirSync(folder.at("dotfiles"))]).toEqual([
    mine,
    ["settings.json"],
  ]);
  expect(run("").status).toBe(0);
  expect(folder.read("dotfiles/settings.json")).toContain("hook claude");
  expect(readdirSync(folder.at("dotfiles"))).toEqual(["settings.json"]);
  expect(lstatSync(folder.at("settings.json")).isSymbolicLink()).toBe(true);
  expect(statSync(folder.at("dotfiles/settings.json")).mode & 0o777).toBe(0o640);
});

further("[US8] everything of an agent's session is shown, then undone, with its files", async () => {
  const { folder, history } = await placed({ "a.md": "one\n", "gone.md": "gone\n" }, await serve());
  const agent = new FakeAgent(folder, "codex");
  await agent.tool("Bash", { command: "work" }, () =>
    execFileSync("sh", ["-c", "echo two > a.md; echo new > new.md; rm gone.md"], { cwd: folder.root }),
  );
  await history(3);
  const undo = (...args: string[]) => cli(folder.root, ["undo", "--agent", "codex", ...args]);
  const shown = await undo("--session", agent.session, "--dry-run");
  expect(shown).toMatchObject({ code: 0, out: expect.stringMatching(/new\.md: removes the file/) });
  expect(folder.read("a.md")).toBe("two\n");
  expect(await undo("--session", "nobody")).toMatchObject({ code: 1 });
  expect(await undo("--dry-run")).toMatchObject({ code: 2 });
  expect(await undo("--since", "tomorrow")).toMatchObject({ code: 2 });
  expect(await undo("--since", "10m")).toMatchObject({ code: 0 });
  expect([folder.read("a.md"), folder.read("gone.md")]).toEqual(["one\n", "gone\n"]);
  expect(() => folder.read("new.md")).toThrow();
});
