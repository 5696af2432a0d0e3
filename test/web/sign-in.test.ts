import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { redirectTo } from "../../src/cli/service/redirect-page.ts";
import { atEnd } from "../e2e/cleanup.ts";
import { type ServedFolder, startDaemon } from "../e2e/daemon.ts";
import { type Folder, makeFolder } from "../e2e/folder.ts";
import { serveFolder } from "../e2e/served.ts";
import { tokenFor } from "../e2e/token.ts";
import { until } from "../e2e/until.ts";
import { upgradeStatus } from "../e2e/wire.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { newContext, openPage } from "./browser.ts";

let folder: Folder;
let daemon: ServedFolder;
let reader: string;

beginShared(async () => {
  folder = makeFolder({ "notes.md": "hello\n" });
  daemon = await serveFolder(folder.root);
  reader = await tokenFor(folder.root, "reader", "**=read");
});

/** A link that signs one browser in. */
async function linkFor(token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${daemon.located.url}/session/invitation`, { method: "POST", headers });
  return ((await answer.json()) as { url: string }).url;
}

/** Returns the name of the token that the page is signed in with. */
async function tokenOf(page: Page): Promise<string> {
  await page.getByRole("link", { name: "notes.md" }).waitFor();
  await page.goto(`${daemon.located.url}/#/health`);
  return (await page.getByText(/You are signed in as .*\.$/).innerText()).replace(
    /^.*signed in as (.*)\.$/,
    "$1",
  );
}

describe("an unrelated server on another port", () => {
  test("[BR8] gets the cookie, is refused with it everywhere, and the page still works", async () => {
    const sent: IncomingHttpHeaders[] = [];
    const other = createServer((request, response) => {
      sent.push(request.headers);
      response.setHeader("content-type", "text/html").end("<!doctype html><title>unrelated</title>");
    }).listen(0, "127.0.0.1");
    atEnd(() => other.close());
    await once(other, "listening");
    const page = await openPage(daemon);
    await page.getByRole("link", { name: "notes.md" }).waitFor();
    const beside = await page.context().newPage();
    await beside.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
    const { cookie } = (await until("it is visited again", async () => {
      await beside.reload(); // a page's own navigation, which brings the cookie along
      return sent.find(({ cookie }) => cookie?.includes("spliced-"));
    }))!;
    const headers = { cookie: cookie! };
    for (const door of ["rpc", "loro"])
      expect(await upgradeStatus(`${daemon.located.url.replace("http", "ws")}/${door}`, headers)).toBe(401);
    const status = async (method: string, path: string) =>
      (await fetch(`${daemon.located.url}${path}`, { method, headers })).status;
    for (const path of ["/session", "/metrics", "/mcp"]) expect(await status("GET", path)).toBe(401);
    for (const path of ["/session", "/session/invitation", "/mcp"])
      expect(await status("POST", path)).toBe(401);
    expect(await status("DELETE", "/session")).toBe(401);
    expect(await beside.evaluate("localStorage.length")).toBe(0);
    await page.reload();
    await page.getByRole("link", { name: "notes.md" }).waitFor();
  });
});

describe("a signed-in browser", () => {
  further("[BR1] stays signed in in a new window and after a restart of the daemon", async () => {
    const page = await openPage(daemon);
    await page.getByRole("link", { name: "notes.md" }).waitFor();
    const { port } = new URL(daemon.located.url);
    await daemon.stop();
    daemon = await startDaemon(folder.root, { args: ["--port", port] });
    await (await daemon.connect()).request("doc.create", { path: "later.md", text: "later\n" });
    const other = await page.context().newPage();
    await other.goto(daemon.located.url);
    for (const window of [page, other]) await window.locator(".tree-row", { hasText: "later.md" }).waitFor();
  });

  further("[BR15] without the page's secret, as after an older version, has to sign in again", async () => {
    const page = await openPage(daemon);
    await page.getByRole("link", { name: "notes.md" }).waitFor();
    await page.evaluate("localStorage.clear()");
    await page.reload();
    await page.getByText("Your sign-in has expired. Sign in again.").waitFor();
    await page.getByText("spliced open").waitFor();
    await page.goto(await linkFor(daemon.located.token));
    await page.getByRole("link", { name: "notes.md" }).waitFor();
  });

  test("[BR13] is asked before a link signs it in with another token, and can refuse", async () => {
    const page = await openPage(daemon);
    await page.getByRole("link", { name: "notes.md" }).waitFor();
    const link = await linkFor(reader);
    for (const leave of [
      () => page.getByRole("button", { name: "Stay signed in as owner" }).click(),
      () => page.keyboard.press("Escape"),
      () => page.keyboard.press("Enter"), // the focus is on the button that cancels
    ]) {
      await page.goto(link); // the page reloads itself
      const question = page.getByRole("dialog", { name: "Sign in as reader?" });
      await question.getByText(/signed in as owner.*link that you opened is for reader/).waitFor();
      await leave();
      expect(await tokenOf(page)).toBe("owner");
    }
    await page.goto(link);
    await page.getByRole("button", { name: "Sign in as reader" }).click();
    expect(await tokenOf(page)).toBe("reader");
  });

  further("[BR7] opens the page through the file of spliced open", async () => {
    const context = await newContext();
    const page = await context.newPage();
    const file = folder.at(".spliced/open.html");
    writeFileSync(
      file,
      redirectTo(`${await linkFor(daemon.located.token)}&to=/doc/${encodeURI(`it's "so" & so <b>.md`)}`),
    );
    await page.goto(`file://${file}`);
    await page.waitForURL(/^http.*#\/doc\/it's%20%22so%22%20&%20so%20%3Cb%3E\.md$/);
    await page.locator(".tree-row", { hasText: "notes.md" }).waitFor();
  });

  further("[BR4] is not asked if the link has the same token, and all windows stay open", async () => {
    const page = await openPage(daemon);
    await page.getByRole("link", { name: "notes.md" }).waitFor();
    const other = await page.context().newPage();
    await other.goto(await linkFor(daemon.located.token));
    expect(await tokenOf(other)).toBe("owner");
    await page.reload();
    expect(await tokenOf(page)).toBe("owner");
  });
});
