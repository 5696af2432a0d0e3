import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { further } from "../helpers/further.ts";
import { cli } from "./cli.ts";
import type { ServedFolder } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { httpHost, stdioHost } from "./mcp-client.ts";
import { serveFolder } from "./served.ts";
import { until } from "./until.ts";

const FILES = {
  ".gitignore": "/dist/\n*.log\n",
  "a.md": "a\n",
  "dist/b.md": "SECRET\n",
  "c.log": "SECRET\n",
  ".npmrc": "token=SECRET\n",
};
const RULE = 'dist/b.md is no document: the rule "/dist/" (.gitignore, line 1) leaves it out';

async function served(
  files: Record<string, string> = FILES,
): Promise<{ folder: Folder; daemon: ServedFolder }> {
  const folder = makeFolder(files);
  execFileSync("git", ["init", "-q"], { cwd: folder.root });
  return { folder, daemon: await serveFolder(folder.root) };
}

describe.concurrent("an ignored file", () => {
  further("[IG5, IG6] is refused and not listed over WebSocket, MCP and the command line", async () => {
    const { folder, daemon } = await served();
    const client = await daemon.connect({ role: "person" });
    await expect(client.request("doc.read", { path: "dist/b.md" })).rejects.toMatchObject({
      code: "IGNORED",
      message: RULE,
      details: { rule: "/dist/", file: ".gitignore", line: 1 },
    });
    const { docs } = await client.request("doc.list", {});
    expect(docs.map(({ path }) => path)).toEqual([".gitignore", ".npmrc", "a.md"]);
    const host = await httpHost(daemon.located);
    expect(await host.refused("read", { path: "dist/b.md" })).toContain(`IGNORED: ${RULE}`);
    expect(await host.refused("write", { path: "new.log", text: "x" })).toContain("IGNORED");
    const ran = await cli(folder.root, ["cat", "dist/b.md"]);
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining(RULE) });
    expect((await cli(folder.root, ["ls"])).out).not.toMatch(/dist|log/);
  });

  further("[IG8, IG7] is one from the moment in which .gitignore is saved, also if it was open", async () => {
    const { folder, daemon } = await served();
    const client = await daemon.connect();
    await client.request("subscribe", { path: "a.md" });
    const gone: string[] = [];
    client.on("doc.deleted", ({ path }) => gone.push(path));
    folder.write(".gitignore", "a.md\n");
    await expect(client.request("doc.read", { path: "a.md" })).rejects.toMatchObject({ code: "IGNORED" });
    await until("its subscriber hears of it", () => gone.includes("a.md"));
    folder.write(".splicedignore", "!a.md\n");
    expect((await client.request("doc.read", { path: "a.md" })).text).toBe("a\n");
  });

  further("[IG10] .gitignore that is a FIFO holds nobody up", async () => {
    const { folder, daemon } = await served({ "a.md": "a\n" });
    execFileSync("mkfifo", [folder.at(".gitignore")]);
    const client = await daemon.connect();
    expect((await client.request("doc.read", { path: "a.md" })).text).toBe("a\n");
    const { code, out } = await cli(folder.root, ["doctor"]);
    expect([code, out]).toEqual([0, expect.stringContaining(".gitignore is not a regular file")]);
  });
});

describe.concurrent("a private file", () => {
  further("[AG1, AG2, AG3] is for no agent, whatever its door and its token", async () => {
    const { folder, daemon } = await served();
    const agent = await daemon.connect();
    await expect(agent.request("doc.read", { path: ".npmrc" })).rejects.toMatchObject({ code: "NOT_FOUND" });
    const { docs } = await agent.request("doc.list", {});
    expect(docs.map(({ path }) => path)).toEqual([".gitignore", "a.md"]);
    for (const host of [await httpHost(daemon.located), await stdioHost(folder.root)])
      expect(await host.refused("read", { path: ".npmrc" })).toContain("NOT_FOUND");
  });

  further("[AG2, AG4] is for a person and for the commands", async () => {
    const { folder, daemon } = await served();
    const person = await daemon.connect({ role: "person" });
    expect((await person.request("doc.read", { path: ".npmrc" })).text).toBe("token=SECRET\n");
    expect(await cli(folder.root, ["cat", ".npmrc"])).toMatchObject({ code: 0, out: "token=SECRET\n" });
  });

  further("[AG9] counts in /metrics for a person only", async () => {
    const { daemon } = await served();
    const person = await daemon.connect({ role: "person" });
    for (const path of [".npmrc", "a.md"]) await person.request("doc.open", { path });
    const { url, token } = daemon.located;
    const loaded = async (query: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const text = await (await fetch(`${url}/metrics${query}`, { headers })).text();
      return /^spliced_documents_loaded (\d+)$/m.exec(text)?.[1];
    };
    expect([await loaded(""), await loaded("?role=person")]).toEqual(["1", "2"]);
  });
});

describe.concurrent("agents.rules of a configuration", () => {
  further("[AG6] bound an agent with the owner's token, and no person", async () => {
    const rules = '[{ glob: "docs/**", level: "ReadWrite" }, { glob: "**", level: "read" }]';
    const { daemon } = await served({
      "a.md": "a\n",
      "docs/b.md": "b\n",
      "daemon.config.ts": `export default { agents: { rules: ${rules} } };\n`,
    });
    const agent = await daemon.connect();
    const append = (path: string) => ({ path, text: "x\n" });
    await expect(agent.request("edit.append", append("a.md"))).rejects.toMatchObject({
      code: "PERMISSION_DENIED",
    });
    await agent.request("edit.append", append("docs/b.md"));
    await (await daemon.connect({ role: "person" })).request("edit.append", append("a.md"));
  });

  test("[AG6] are refused with the reason when they are wrong", async () => {
    const folder = makeFolder({
      "daemon.config.ts": 'export default { agents: { rules: [{ glob: "a", level: "all" }] } };\n',
    });
    const ran = await cli(folder.root, ["run", "--port", "0"]);
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining("agents.rules") });
  });
});
