import { describe, expect, test } from "vitest";
import { cli } from "../e2e/cli.ts";
import type { ServedFolder } from "../e2e/daemon.ts";
import { type Folder, makeFolder } from "../e2e/folder.ts";
import { serveFolder } from "../e2e/served.ts";
import { until } from "../e2e/until.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { openPage } from "./browser.ts";

let folder: Folder;
let daemon: ServedFolder;

beginShared(async () => {
  folder = makeFolder({
    "notes.md": "hello\n",
    "docs/guide.md": "guide\n",
    "docs/api.md": "api\n",
    ".env": "A=1\n",
  });
  daemon = await serveFolder(folder.root);
});

describe("the page", () => {
  further(
    "[WP1] signs in by its address, removes the key from it, and stays signed in after a reload",
    async () => {
      const page = await openPage(daemon);
      await page.getByText("notes.md").waitFor();
      expect(page.url()).toBe(`${daemon.located.url}/#/`);
      await page.reload();
      await page.getByText("notes.md").waitFor();
    },
  );

  test("[WP62] explains what to do if its key is invalid", async () => {
    const page = await openPage(daemon);
    await page.getByText("notes.md").waitFor();
    await page.context().clearCookies();
    await page.goto(`${daemon.located.url}/#key=${"x".repeat(32)}`); // the page reloads itself
    await page.getByText("spliced open").waitFor();
    await page.getByText("already been used or has expired").waitFor();
  });

  test("[WP2] lists the documents, finds them by parts of their paths, and shows new ones", async () => {
    const page = await openPage(daemon);
    const tree = page.getByRole("region", { name: "Documents" }).first();
    await tree.getByText("guide.md").waitFor();
    await tree.getByLabel("Find documents").fill("doc api");
    await tree.getByText("docs/api.md").waitFor();
    expect(await tree.getByText("guide.md").count()).toBe(0);
    await tree.getByLabel("Find documents").fill("");
    await (await daemon.connect()).request("doc.create", { path: "docs/new.md", text: "new\n" });
    await tree.getByText("new.md").waitFor();
  });

  test("[AG4] shows private files, because a person is at it", async () => {
    const page = await openPage(daemon);
    await page.getByRole("link", { name: ".env" }).waitFor();
  });

  test("[WP3] opens any document by keyboard", async () => {
    const page = await openPage(daemon);
    await page.getByRole("link", { name: "notes.md" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("guide");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/#/doc/docs/guide.md");
  });

  further("[WP4] a person chooses a name, which is marked if it equals one of the daemon's", async () => {
    const page = await openPage(daemon, { to: "/health" });
    const field = page.getByLabel("Your name");
    const go = page.getByRole("button", { name: "Save name" });
    await field.fill("Ada");
    await go.click();
    await until("the page is there anew", () => go.isDisabled());
    expect(await field.inputValue()).toBe("Ada");
    await field.fill("disk");
    await go.click();
    await until("the page is there anew", () => go.isDisabled());
    expect(await field.inputValue()).toBe("disk (agent)");
  });

  test("[WP64] signing out in one window signs out all windows", async () => {
    const page = await openPage(daemon, { to: "/health" });
    const other = await page.context().newPage();
    await other.goto(`${daemon.located.url}/#/doc/notes.md`);
    await other.locator(".cm-content").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    for (const window of [page, other])
      await window.getByRole("heading", { name: "Sign in to this workspace" }).waitFor();
  });

  test("[WP1] opens at the document that the command line names", async () => {
    const { out } = await cli(folder.root, ["open", "--print", "docs/guide.md"]);
    expect(out.trim()).toMatch(/&to=\/doc\/docs\/guide\.md$/);
  });
});
