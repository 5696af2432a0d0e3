import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Health } from "../../src/daemon/reports/health.ts";
import type { StoredReport } from "../../src/daemon/reports/stored-report.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { cli } from "./cli.ts";
import { logOf, type ServedFolder } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { serveFolder } from "./served.ts";
import { tokenFor } from "./token.ts";
import { until, within } from "./until.ts";
import { greetedWire, upgradeStatus } from "./wire.ts";

let folder: Folder;
let daemon: ServedFolder;

beginShared(async () => {
  folder = makeFolder({ "docs/a.md": "a\n", "secret/b.md": "SECRET\n" });
  daemon = await serveFolder(folder.root);
});

/** Creates a token with the command. */
async function add(name: string, ...rules: string[]): Promise<string> {
  const { code, out, err } = await cli(folder.root, [
    "token",
    "add",
    name,
    ...rules.flatMap((rule) => ["--allow", rule]),
  ]);
  expect([code, out, err]).toEqual([
    0,
    expect.stringMatching(/^[\w-]{43}\n$/),
    expect.stringContaining(name),
  ]);
  return out.trim();
}

const status = (token: string) => upgradeStatus(daemon.located.rpc, { authorization: `Bearer ${token}` });

describe("a token", () => {
  further("[RI5, RI16] allows what its rules say, at once, until it is revoked", async () => {
    const token = await add("reader", "docs/**=read");
    const reader = await daemon.connect({ token, name: "claude" });
    expect(reader.hello.agent).toEqual({ id: "reader/claude", name: "claude" });
    expect((await reader.request("doc.read", { path: "docs/a.md" })).text).toBe("a\n");
    await expect(reader.request("doc.read", { path: "secret/b.md" })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    await expect(reader.request("edit.append", { path: "docs/a.md", text: "x" })).rejects.toMatchObject({
      code: "PERMISSION_DENIED",
      details: { path: "docs/a.md", level: "read", needed: "append" },
    });
    const silent = await greetedWire({ ...daemon.located, token });
    expect((await cli(folder.root, ["token", "revoke", "reader"])).code).toBe(0);
    await expect(reader.request("doc.read", { path: "docs/a.md" })).rejects.toThrow(/closed/);
    expect(await within("the silent one is closed", silent.closed)).toBe(1008);
    expect(await status(token)).toBe(401);
    expect(await status(daemon.located.token)).toBe(101);
  });

  test("[RI14] appears in no file and no log line, but its name does", async () => {
    const token = await tokenFor(folder.root, "logged", "docs/**=read");
    await (await daemon.connect({ token })).close();
    await until(
      "the log tells of it",
      () => logOf(folder.root),
      (log) => log.includes("session.closed"),
    );
    await cli(folder.root, ["token", "revoke", "logged"]);
    await status(token);
    const log = await until(
      "the log says that it is revoked",
      () => logOf(folder.root),
      (log) => log.split("\n").some((line) => line.includes("token.revoked") && line.includes('"logged"')),
    );
    const lines = log
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { event: string; token?: string })
      .filter((line) => line.token === "logged");
    expect(lines.map(({ event }) => event)).toEqual(
      expect.arrayContaining(["token.added", "session.opened", "session.closed", "token.revoked"]),
    );
    for (const entry of readdirSync(join(folder.root, ".spliced"), { recursive: true, withFileTypes: true }))
      if (entry.isFile())
        expect(readFileSync(join(entry.parentPath, entry.name), "latin1")).not.toContain(token);
  });

  test("[RI6, RI26] is not valid while tokens.json is damaged, and health and status say so", async () => {
    const token = await tokenFor(folder.root, "kept", "docs/**=read");
    const file = folder.at(".spliced/tokens.json");
    const sound = readFileSync(file);
    writeFileSync(file, sound.subarray(0, 40));
    expect(await status(token)).toBe(401);
    expect(await status(daemon.located.token)).toBe(101);
    const health = (await (await fetch(`${daemon.located.url}/health`)).json()) as Health;
    expect(health).toMatchObject({ status: "degraded", problems: [{ what: "tokens", kind: "damaged" }] });
    expect((await cli(folder.root, ["status"])).out).toContain("tokens.json is damaged");
    expect(await cli(folder.root, ["token", "list"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("damaged"),
    });
    writeFileSync(file, sound);
    expect(await status(token)).toBe(101);
  });

  test("[RI15, RI64] health has the problem of a file only for tokens that may read it", async () => {
    const token = await tokenFor(folder.root, "guest", "docs/**=read");
    const owner = await daemon.connect();
    await owner.request("doc.open", { path: "secret/b.md" });
    folder.write("secret/b.md", new Uint8Array([0, 1, 2]));
    const health = async (authorization?: string) => {
      const headers = { ...(authorization && { authorization }) };
      return (await (await fetch(`${daemon.located.url}/health`, { headers })).json()) as Health;
    };
    const found = await until(
      "the owner reads it",
      () => health(`Bearer ${daemon.located.token}`),
      ({ problems }) => problems.length > 0,
    );
    expect(found).toMatchObject({
      status: "degraded",
      problems: [{ kind: "not_text", path: "secret/b.md" }],
    });
    for (const other of [undefined, `Bearer ${token}`])
      expect(await health(other)).toMatchObject({ status: "ok", problems: [] });
  });

  test("[RI40] health reports what is stored only to tokens with admin", async () => {
    const token = await tokenFor(folder.root, "writer", "**=write");
    const stored = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${daemon.located.url}/health?role=person`, { headers });
      return ((await answer.json()) as { stored?: StoredReport }).stored;
    };
    expect(await stored(token)).toBeUndefined();
    const found = (await stored(daemon.located.token))!;
    expect(found.tokens).toContainEqual({ name: "writer", allow: ["**=write"] });
    expect(found.historyBytes).toBeGreaterThan(10_000);
    expect(found.logFolder).toBe(join(folder.root, ".spliced/log"));
  });
});

describe("the figures", () => {
  test("[RI8, ME4] are only for tokens that may read every document", async () => {
    const status = async (token: string) =>
      (await fetch(`${daemon.located.url}/metrics`, { headers: { authorization: `Bearer ${token}` } }))
        .status;
    expect(await status(await tokenFor(folder.root, "part", "docs/**=admin"))).toBe(403);
    expect(await status(await tokenFor(folder.root, "all", "**=read"))).toBe(200);
    expect(await status("wrong")).toBe(401);
  });
});

describe("spliced token", () => {
  test("[RI16] works without a daemon, and lists the rules of tokens", async () => {
    const idle = makeFolder({ "a.md": "a\n", "docs/b.md": "b\n" });
    const token = (...args: string[]) => cli(idle.root, ["token", ...args]);
    expect(await token("list")).toMatchObject({ code: 3 });
    const first = await serveFolder(idle.root);
    await first.stop();
    const made = await token("add", "bot", "--allow", "docs/**=Human", "--allow", "**=read", "--json");
    const { token: secret, allow } = JSON.parse(made.out) as { token: string; allow: string[] };
    expect(allow).toEqual(["docs/**=write:ask", "**=read"]);
    expect((await token("list")).out).toMatch(
      /^bot +\d{4}-\d\d-\d\d {2}docs\/\*\*=write:ask {2}\*\*=read\n$/,
    );
    const again = await serveFolder(idle.root);
    const client = await again.connect({ token: secret });
    const { docs } = await client.request("doc.list", {});
    expect(docs.map(({ path, permission }) => [path, permission])).toEqual([
      ["a.md", "read"],
      ["docs/b.md", "write"],
    ]);
  });

  const refused: [args: string[], code: number, message: RegExp][] = [
    [["add", "x"], 2, /--allow/],
    [["add", "x", "--allow", "docs=read"], 2, /docs is a folder.*docs\/\*\*/],
    [["add", "x", "--allow", "docs/**=reed"], 2, /the levels are none, read/],
    [["add", "x", "--allow", "**=read", "--allow", "docs/**=none"], 2, /has no effect/],
    [["add", "owner", "--allow", "**=read"], 1, /the daemon uses that name/],
    [["revoke", "nobody"], 1, /no token "nobody"/],
  ];
  for (const [args, code, message] of refused)
    test(`[RI3, RI16] ${args.join(" ")} ends with ${code} and says why`, async () => {
      const ran = await cli(folder.root, ["token", ...args]);
      expect([ran.code, ran.out]).toEqual([code, ""]);
      expect(ran.err).toMatch(message);
    });
});
