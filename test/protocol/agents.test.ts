import { MessageType } from "loro-protocol";
import { describe, expect, test } from "vitest";
import type { Holder } from "../../src/protocol/service/service.ts";
import { PRIVATE } from "../../src/workspace/access/private-files.ts";
import { AgentBounds, FULL_RIGHTS, type Level, Rights } from "../../src/workspace/access/rights.ts";
import { McpWorkspace } from "../mcp/mcp-workspace.ts";
import { Bench } from "../workspace/harness.ts";
import { LoroTalk } from "./loro-talk.ts";
import { Talk } from "./talk.ts";

type Rule = [glob: string, level: Level];

const FILES = { ".env": "SECRET=1\n", ".env.example": "SECRET=\n", "a.md": "a\n" };
const listed = (...rules: Rule[]) => rules.map(([glob, level]) => ({ glob, level }));
const guest = (...rules: Rule[]): Holder => ({ name: "guest", rights: new Rights(listed(...rules)) });

/** Returns a person and an agent, by default both with the owner's token, on a folder of files. */
async function both(
  files: Record<string, string>,
  agents: AgentBounds,
  holder?: Holder,
): Promise<{ readonly person: Talk; readonly agent: Talk }> {
  const bench = new Bench(files);
  const person = new Talk(bench, holder, { agents });
  const agent = new Talk(bench, holder);
  await person.hello({ role: "person" });
  await agent.hello();
  return { person, agent };
}

const codeOf = async (talk: Talk, method: string, params: object) =>
  (await talk.ask(method, params)).error?.data.code;

describe("a private file", () => {
  test("[AG1, AG2] is for a person and not for an agent, whatever the token", async () => {
    const { person, agent } = await both(FILES, new AgentBounds([], PRIVATE));
    expect((await person.ask("doc.read", { path: ".env" })).result?.["text"]).toBe("SECRET=1\n");
    expect(await codeOf(agent, "doc.read", { path: ".env" })).toBe("NOT_FOUND");
    expect((await agent.ask("doc.read", { path: ".env.example" })).result?.["text"]).toBe("SECRET=\n");
  });

  test("[AG1] cannot be made by an agent, which learns nothing of what is there", async () => {
    const { agent } = await both(FILES, new AgentBounds([], PRIVATE));
    const told = async (path: string) =>
      JSON.stringify((await agent.ask("doc.create", { path, text: "" })).error).replaceAll(path, "…");
    expect(await told(".env")).toContain("NOT_FOUND");
    expect(await told(".env")).toBe(await told("x/.env"));
    expect(await codeOf(agent, "doc.rename", { path: "a.md", to: "key.pem" })).toBe("NOT_FOUND");
  });

  test("[AG1] is in no notification, list, history, presence or count of an agent", async () => {
    const { person, agent } = await both(FILES, new AgentBounds([], PRIVATE));
    await agent.ask("subscribe", { pattern: "**" });
    await person.ask("edit.append", { path: ".env", text: "MORE=1\n" });
    await person.ask("presence.set", { path: ".env", from: 0 });
    await person.ask("checkpoint.create", { name: "c" });
    await agent.ask("doc.open", { path: "a.md" });
    for (const [method, params] of [
      ["doc.list", {}],
      ["doc.status", {}],
      ["history.list", {}],
      ["checkpoint.restore", { name: "c" }],
    ] as const)
      expect((await agent.ask(method, params)).error).toBeUndefined();
    expect(JSON.stringify(agent.sent)).not.toMatch(/"\.env"|MORE|SECRET=1/);
    const { checkpoints } = (await agent.ask("checkpoint.list")).result as { checkpoints: object[] };
    expect(checkpoints).toMatchObject([{ documents: 2 }]);
    expect((await agent.ask("metrics.get")).result?.["documents"]).toMatchObject({ loaded: 1 });
    expect((await person.ask("metrics.get")).result?.["documents"]).toMatchObject({ loaded: 2 });
  });

  test("[AG8] that is ignored, too, does not exist for an agent, and is IGNORED for a person", async () => {
    const { person, agent } = await both({ ...FILES, ".gitignore": ".env" }, new AgentBounds([], PRIVATE));
    expect(await codeOf(person, "doc.open", { path: ".env" })).toBe("IGNORED");
    expect(await codeOf(agent, "doc.open", { path: ".env" })).toBe("NOT_FOUND");
  });

  test("[AG3] is for no MCP client, even with the owner's token", async () => {
    const guest = await McpWorkspace.in(FILES, {}, {}, new AgentBounds([], PRIVATE));
    expect(await guest.refused("read", { path: ".env" })).toContain("NOT_FOUND");
    expect(await guest.say("list", {})).not.toMatch(/\.env\b(?!\.)/);
    const { resources } = await guest.client.listResources();
    expect(resources.map(({ name }) => name)).toEqual([".env.example", "a.md"]);
    await expect(guest.client.readResource({ uri: "spliced://doc/.env" })).rejects.toThrow(
      /no such document/,
    );
  });

  test("[AG9] is for a Loro client only in the role of a person", async () => {
    const { person } = await both(FILES, new AgentBounds([], PRIVATE));
    const agent = new LoroTalk(person.bench);
    const refused = await agent.next(MessageType.JoinError, () => agent.ask(".env"));
    expect(refused).toMatchObject({ appCode: "NOT_FOUND" });
    const doc = await new LoroTalk(person.bench, undefined, "person").join(".env");
    expect(doc.getText("content").toString()).toBe("SECRET=1\n");
  });
});

describe("agents.rules", () => {
  const bounds = new AgentBounds(listed(["docs/**", "propose"], ["**", "read"]));

  test("[AG6] bound an agent with any token, and no person", async () => {
    const { person, agent } = await both({ "docs/a.md": "a\n", "b.md": "b\n" }, bounds);
    const append = { path: "b.md", text: "x\n" };
    const { error } = await agent.ask("edit.append", append);
    expect(error?.data).toMatchObject({ code: "PERMISSION_DENIED", details: { level: "read" } });
    expect(error?.data.suggestion).toContain("agents.rules");
    expect((await agent.ask("edit.append", { ...append, path: "docs/a.md" })).result).toMatchObject({
      proposal: expect.any(String),
    });
    expect((await person.ask("edit.append", append)).error).toBeUndefined();
    expect(await codeOf(agent, "checkpoint.create", { name: "c" })).toBe("PERMISSION_DENIED");
  });

  test("[AG6] leave a token's own rule in force that allows less", async () => {
    const holder = guest(["docs/a.md", "none"], ["**", "write"]);
    const { agent } = await both({ "docs/a.md": "a\n", "docs/b.md": "b\n" }, bounds, holder);
    expect(await codeOf(agent, "doc.open", { path: "docs/a.md" })).toBe("NOT_FOUND");
    expect(bounds.rightsIn("agent", holder.rights).levelAt("docs/b.md")).toBe("propose");
    expect(bounds.rightsIn("person", holder.rights).levelAt("docs/b.md")).toBe("write");
  });

  test("[AG6] bound every spelling of a path, and no path that no rule matches", () => {
    const rights = new AgentBounds(listed(["Docs/**", "read"])).rightsIn("agent", FULL_RIGHTS);
    expect(["docs/a.md", "DOCS/a.md", "b.md"].map((path) => rights.levelAt(path))).toEqual([
      "read",
      "read",
      "admin",
    ]);
  });

  test("[AG7] decide a conflict where the token's rule names no policy", () => {
    const agents = new AgentBounds([{ glob: "**", level: "write", conflict: "ask" }]);
    const policy = (rule: object) =>
      agents.rightsIn("agent", new Rights([{ glob: "**", level: "write", ...rule }])).conflict("a.md");
    expect([policy({}), policy({ conflict: "merge" }), policy({ conflict: "disk" })]).toEqual([
      "ask",
      "merge",
      "disk",
    ]);
  });

  test("[AG6] give one token one share of the work in both roles", () => {
    expect(bounds.rightsIn("agent", FULL_RIGHTS).token).toBe(FULL_RIGHTS);
    expect(bounds.rightsIn("agent", FULL_RIGHTS)).toBe(bounds.rightsIn("agent", FULL_RIGHTS));
  });
});

describe("the setting private", () => {
  const isPrivate = (globs: readonly string[], path: string) => new AgentBounds([], globs).isPrivate(path);

  test("[AG5] has files with secrets by default, and not their patterns", () => {
    const secret =
      ".env a/.env.local ID_RSA k.PEM .npmrc .aws/credentials .docker/config.json .kube/config x.tfstate .ssh/known_hosts .env\u200b";
    for (const path of secret.split(" ")) expect([path, isPrivate(PRIVATE, path)]).toEqual([path, true]);
    for (const path of ".env.example .env.sample a/.env.template env.md id_rsa.pub docs/key.md".split(" "))
      expect([path, isPrivate(PRIVATE, path)]).toEqual([path, false]);
  });

  test("[AG10] hides the backups, locks and swap files of private files, and what a killed Joe leaves", () => {
    const secret =
      ".env~ app/#.env# .env.swp .#id_rsa tls/server.pem~ server.pem.save .server.pem.kate-swp app/DEADJOE a/x.key.backup";
    for (const path of secret.split(" ")) expect([path, isPrivate(PRIVATE, path)]).toEqual([path, true]);
    for (const path of "notes.md~ #notes.md# .notes.md.swp notes.md.backup".split(" "))
      expect([path, isPrivate(PRIVATE, path)]).toEqual([path, false]);
  });

  test("[AG10] hides the files into which programs write a private file before they rename them, and its copies", () => {
    const secret =
      "x.key.TqFLcG a/.x.key.a1B2c3 a/.goutputstream-59TGZ3 x.key.tmp x.key.tmp.12.ab x.key___jb_old___ x.key.crswap x.key.bak x.key.orig x.key.old";
    for (const path of secret.split(" ")) expect([path, isPrivate(PRIVATE, path)]).toEqual([path, true]);
    for (const path of "notes.md.TqFLcG .notes.md.a1B2c3 notes.md.tmp.12.ab notes.md.bak key.bak".split(" "))
      expect([path, isPrivate(PRIVATE, path)]).toEqual([path, false]);
  });

  test("[AG5] covers all that is in a folder, and an exception takes back what is before it", () => {
    const globs = ["secrets", "!secrets/readme.md", "**/*.md.key"];
    expect(isPrivate(globs, "secrets/deep/a.txt")).toBe(true);
    expect(isPrivate(globs, "Secrets/a.txt")).toBe(true);
    expect(isPrivate(globs, "secrets/readme.md")).toBe(false);
    expect(isPrivate(["!a.md", "a.md"], "a.md")).toBe(true);
  });
});
