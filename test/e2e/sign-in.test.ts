import { once } from "node:events";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { SECRET_HEADER, subprotocolsOf } from "../../src/transport/page-secret.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { atEnd } from "./cleanup.ts";
import { cli, startCli } from "./cli.ts";
import { type ServedFolder, startDaemon } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { serveFolder } from "./served.ts";
import { tokenFor } from "./token.ts";
import { until, within } from "./until.ts";
import { upgradeStatus } from "./wire.ts";

let folder: Folder;
let daemon: ServedFolder;

beginShared(async () => {
  folder = makeFolder({ "notes.md": "hello\n" });
  daemon = await serveFolder(folder.root);
});

interface SignedIn {
  readonly cookie: string;
  readonly secret: string;
}

/** Exchanges a key for a pass, as the page does; undefined when the daemon refuses it. */
async function signIn(key: string): Promise<SignedIn | undefined> {
  const answer = await fetch(`${daemon.located.url}/session`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
  });
  if (!answer.ok) return undefined;
  const { secret } = (await answer.json()) as { secret: string };
  return { cookie: answer.headers.get("set-cookie")!.split(";", 1)[0]!, secret };
}

const session = ({ cookie, secret }: SignedIn, init: RequestInit = {}) =>
  fetch(`${daemon.located.url}/session`, { ...init, headers: { cookie, [SECRET_HEADER]: secret } });
const upgrade = ({ cookie, secret }: SignedIn, headers = {}) =>
  upgradeStatus(daemon.located.rpc, { cookie, [SECRET_HEADER]: secret, ...headers });

/** Connects a browser window by its pass; `closed` resolves with the close code. */
function connected({ cookie, secret }: SignedIn): {
  readonly opened: Promise<unknown>;
  readonly closed: Promise<number>;
} {
  const ws = new WebSocket(daemon.located.rpc, subprotocolsOf(secret), { headers: { cookie } });
  atEnd(() => ws.terminate());
  const hello = { protocol: 1, agent: { name: "window" } };
  ws.once("open", () => ws.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "hello", params: hello })));
  return { opened: once(ws, "message"), closed: new Promise((done) => ws.once("close", done)) };
}

describe("a browser", () => {
  test("[AC2, BR1] trades the token for a cookie of its own, which no script reads and no other site sends", async () => {
    const answer = await fetch(`${daemon.located.url}/session`, {
      method: "POST",
      headers: { authorization: `Bearer ${daemon.located.token}` },
    });
    const cookie = answer.headers.get("set-cookie")!;
    expect(cookie).toMatch(/^spliced-\d+=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(daemon.located.token);
    const { secret } = (await answer.json()) as { secret: string };
    const pass = { cookie: cookie.split(";", 1)[0]!, secret };
    expect(await (await session(pass)).json()).toMatchObject({ token: "owner" });
    expect(await upgrade(pass)).toBe(101);
    expect(await upgrade(pass, { "sec-fetch-site": "same-site" })).toBe(401);
    expect(await upgrade({ ...pass, secret: "guessed" })).toBe(401);
    expect(await upgradeStatus(daemon.located.rpc, { cookie: pass.cookie })).toBe(401);
    expect((await fetch(`${daemon.located.url}/session`)).status).toBe(401);
  });

  further("[AC4] is signed in by what spliced open prints, once", async () => {
    const { out } = await cli(folder.root, ["open", "--print"]);
    const key = /^http:\/\/127\.0\.0\.1:\d+\/#key=([\w-]+)\n$/.exec(out)![1]!;
    expect(await upgrade((await signIn(key))!)).toBe(101);
    expect(await signIn(key)).toBeUndefined();
  });

  test("[BR7] is led to the page by a file of this user, and no program’s arguments have the key", async () => {
    const told = folder.at("told");
    for (const opener of ["xdg-open", "open"]) {
      folder.write(
        `bin/${opener}`,
        `#!/bin/sh\nprintf '%s\\n' "$@" > '${told}.new'; mv '${told}.new' '${told}'\n`,
      );
      chmodSync(folder.at(`bin/${opener}`), 0o755);
    }
    const env = { DISPLAY: ":0", PATH: `${folder.at("bin")}:${process.env["PATH"]}` };
    const open = startCli(folder.root, ["open", "notes.md"], env);
    await until("the browser is asked", () => existsSync(told));
    const file = folder.read("told").trimEnd();
    expect(file).toMatch(new RegExp(`^${folder.at(".spliced")}/open\\.[\\w-]{11}\\.html$`));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const [, key] = /url=http:[^"]*\/#key=([\w-]+)&amp;to=\/doc\/notes\.md"/.exec(
      readFileSync(file, "utf8"),
    )!;
    expect(await signIn(key!)).toBeDefined();
    expect(await within("the command ends", open.ended)).toBe(0);
    expect(open.out() + open.err()).toBe(`opened ${daemon.located.url} in your browser\n`);
    expect(existsSync(file)).toBe(false);
  });

  test("[BR14] leaves no file when it could not be asked, or the command is ended", async () => {
    const left = () => readdirSync(folder.at(".spliced")).filter((name) => name.startsWith("open."));
    folder.write("bin/xdg-open", "#!/bin/sh\nexit 3\n");
    folder.write("bin/open", "#!/bin/sh\nexit 3\n");
    const env = { DISPLAY: ":0", PATH: `${folder.at("bin")}:${process.env["PATH"]}` };
    for (const opener of ["xdg-open", "open"]) chmodSync(folder.at(`bin/${opener}`), 0o755);
    expect((await cli(folder.root, ["open"], { env })).out).toMatch(/^http:.*#key=/);
    expect(left()).toEqual([]);
    for (const opener of ["xdg-open", "open"]) folder.write(`bin/${opener}`, "#!/bin/sh\n");
    const open = startCli(folder.root, ["open"], env);
    await until("it is opened", () => open.out().startsWith("opened"));
    expect(left()).toHaveLength(1);
    open.child.kill("SIGINT");
    await within("the command ends", open.ended);
    expect(left()).toEqual([]);
  });

  further("[AC5] stays signed in when the daemon is started anew, until it signs out", async () => {
    const token = await tokenFor(folder.root, "reader", "**=read");
    const passes = [(await signIn(daemon.located.token))!, (await signIn(token))!];
    const { port } = new URL(daemon.located.url);
    await daemon.stop();
    daemon = await startDaemon(folder.root, { args: ["--port", port] });
    for (const pass of passes) expect(await upgrade(pass)).toBe(101);
    const windows = passes.map(connected);
    await Promise.all(windows.map(({ opened }) => opened));
    expect((await session(passes[0]!, { method: "DELETE" })).status).toBe(204);
    expect(await upgrade(passes[0]!)).toBe(401);
    expect(await within("the other window is closed", windows[0]!.closed)).toBe(1008);
    expect(await upgrade(passes[1]!)).toBe(101);
    await cli(folder.root, ["token", "revoke", "reader"]);
    expect(await upgrade(passes[1]!)).toBe(401);
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
      expect((await fetch(`${daemon.located.url}${missing}`)).status).toBe(401);
    expect((await fetch(`${daemon.located.url}/`, { method: "POST" })).status).toBe(405);
  });
});
