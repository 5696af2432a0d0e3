import { once } from "node:events";
import { beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { atEnd } from "./cleanup.ts";
import { cli } from "./cli.ts";
import { type Daemon, startDaemon } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { within } from "./until.ts";
import { upgradeStatus } from "./wire.ts";

let folder: Folder;
let daemon: Daemon;

beforeAll(async () => {
  folder = makeFolder({ "notes.md": "hello\n" });
  daemon = await startDaemon(folder.root);
});

/** Trades a key for a cookie, as the page does; answers the status instead when it is not taken. */
async function signIn(key: string): Promise<string> {
  const answer = await fetch(`${daemon.located.url}/session`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
  });
  return answer.headers.get("set-cookie")?.split(";", 1)[0] ?? String(answer.status);
}

const session = (cookie: string, init: RequestInit = {}) =>
  fetch(`${daemon.located.url}/session`, { ...init, headers: { cookie } });
const upgrade = (cookie: string, headers = {}) => upgradeStatus(daemon.located.rpc, { cookie, ...headers });

/** A window of a browser, connected by its cookie; closed answers with which code it was. */
function connected(cookie: string): { readonly opened: Promise<unknown>; readonly closed: Promise<number> } {
  const ws = new WebSocket(daemon.located.rpc, { headers: { cookie } });
  atEnd(() => ws.terminate());
  const hello = { protocol: 1, agent: { name: "window" } };
  ws.once("open", () => ws.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "hello", params: hello })));
  return { opened: once(ws, "message"), closed: new Promise((done) => ws.once("close", done)) };
}

describe("a browser", () => {
  test("[AC2] trades the token for a cookie of its own, which no script reads and no other site sends", async () => {
    const answer = await fetch(`${daemon.located.url}/session`, {
      method: "POST",
      headers: { authorization: `Bearer ${daemon.located.token}` },
    });
    const cookie = answer.headers.get("set-cookie")!;
    expect(cookie).toMatch(/^spliced-\d+=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(daemon.located.token);
    expect(await (await session(cookie.split(";", 1)[0]!)).json()).toMatchObject({ token: "owner" });
    expect(await upgrade(cookie.split(";", 1)[0]!)).toBe(101);
    expect(await upgrade(cookie.split(";", 1)[0]!, { "sec-fetch-site": "same-site" })).toBe(401);
    expect((await fetch(`${daemon.located.url}/session`)).status).toBe(401);
  });

  test("[AC2] is signed in by what spliced open prints, once", async () => {
    const { out } = await cli(folder.root, ["open", "--print"]);
    const key = /^http:\/\/127\.0\.0\.1:\d+\/#key=([\w-]+)\n$/.exec(out)![1]!;
    const cookie = await signIn(key);
    expect(await upgrade(cookie)).toBe(101);
    expect(await signIn(key)).toBe("401");
  });

  test("[AC2] stays signed in when the daemon is started anew, until it signs out", async () => {
    const token = (await cli(folder.root, ["token", "add", "reader", "--allow", "**=read"])).out.trim();
    const cookies = [await signIn(daemon.located.token), await signIn(token)];
    const { port } = new URL(daemon.located.url);
    await daemon.stop();
    daemon = await startDaemon(folder.root, { args: ["--port", port] });
    for (const cookie of cookies) expect(await upgrade(cookie)).toBe(101);
    const windows = cookies.map(connected);
    await Promise.all(windows.map(({ opened }) => opened));
    expect((await session(cookies[0]!, { method: "DELETE" })).status).toBe(204);
    expect(await upgrade(cookies[0]!)).toBe(401);
    expect(await within("the other window is closed", windows[0]!.closed)).toBe(1008);
    expect(await upgrade(cookies[1]!)).toBe(101);
    await cli(folder.root, ["token", "revoke", "reader"]);
    expect(await upgrade(cookies[1]!)).toBe(401);
    expect(await within("the reader's window is closed", windows[1]!.closed)).toBe(1008);
  });

  test("[AC3] is served the page without a token, under a policy that lets it talk to the daemon only", async () => {
    const page = await fetch(`${daemon.located.url}/`);
    const html = await page.text();
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self'");
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(html)![1]!;
    const asset = await fetch(`${daemon.located.url}${script}`);
    expect(asset.headers.get("cache-control")).toContain("immutable");
    for (const missing of ["/assets/none.js", "/../package.json", "/%2e%2e/package.json", "/nothing"])
      expect((await fetch(`${daemon.located.url}${missing}`)).status).toBe(404);
    expect((await fetch(`${daemon.located.url}/`, { method: "POST" })).status).toBe(405);
  });
});
