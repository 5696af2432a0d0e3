import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { badgeText } from "../../src/web/state/base/counts.ts";
import { sentence } from "../../src/web/state/base/sentence.ts";
import type { ServedFolder } from "../e2e/daemon.ts";
import { type Folder, makeFolder } from "../e2e/folder.ts";
import { serveFolder } from "../e2e/served.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { openPage } from "./browser.ts";

const LINES = `${Array.from({ length: 40 }, (_, i) => `line ${i + 1}`).join("\n")}\n`;

let folder: Folder;
let daemon: ServedFolder;
let writer: Client;

beginShared(async () => {
  folder = makeFolder({ "a.md": LINES, "b.md": LINES, "c.md": LINES, "plain.md": "one\n" });
  daemon = await serveFolder(folder.root);
  writer = await daemon.connect({ name: "writer" });
});

/** Proposes other words for some lines of a document. */
async function proposed(path: string, lines: readonly number[], more: object = {}): Promise<string> {
  const proposed_value = lines.reduce((text, n) => text.replace(`line ${n}\n`, `LINE ${n}\n`), LINES);
  const wish = { path, operation: "full_replace", proposed_value, reasoning: "Louder", ...more } as const;
  return (await writer.proposal.create({ ...wish, version: "latest" })).id;
}

const button = (page: Page, name: string) => page.getByRole("button", { name });

async function boxOf(element: Locator) {
  const { x, y, width, height } = (await element.boundingBox())!;
  return { left: x, top: y, right: x + width, bottom: y + height };
}

describe("what a person reads on the page", () => {
  test("[WP150] a size names its unit", async () => {
    const id = await proposed("a.md", [2]);
    await writer.edit.append({ path: "plain.md", text: "two\n", message: "Another line" });
    const page = await openPage(daemon, { to: `/proposals/${id}` });
    await expect
      .poll(() => page.locator(".proposal-pane .proposal-size").innerText())
      .toMatch(/^\+1 −1 lines$/);
    await page.goto(`${daemon.located.url}/#/activity`);
    const row = page.locator(".change", { hasText: "Another line" });
    await expect.poll(() => row.locator(".change-counts").innerText()).toMatch(/^\+4\s+characters$/);
  });

  test("[WP151] only a low or high confidence is marked", async () => {
    const [unsaid, high] = [await proposed("a.md", [4]), await proposed("a.md", [6], { confidence: "high" })];
    const page = await openPage(daemon, { to: `/proposals/${unsaid}` });
    await page.locator(`a[href="#/proposals/${high}"]`).getByText("high confidence").waitFor();
    await button(page, "Approve (a)").waitFor();
    expect(await page.getByText("medium confidence").count()).toBe(0);
  });

  further("[WP152] splitting and opening are offered where they do something", async () => {
    const apart = await proposed("b.md", [2, 30]);
    const near = await proposed("b.md", [2, 4]);
    const page = await openPage(daemon, { to: `/proposals/${apart}` });
    await button(page, "Approve all").waitFor();
    expect(await button(page, "Split changes").count()).toBe(0);
    await button(page, "Open the document (o)").waitFor();
    await page.goto(`${daemon.located.url}/#/proposals/${near}`);
    await button(page, "Split changes to decide on each alone").waitFor();
    await writer.edit.replace({ path: "b.md", old: "line 2\n", new: "second\n" });
    await page.getByLabel("Conflicts").waitFor();
    expect(await button(page, "Split changes").count()).toBe(0);
    const files = ["one.md", "two.md"].map((path) => ({ path, operation: "create" as const, text: "new\n" }));
    for (const wish of [files, files.slice(0, 1)]) {
      const { id } = await writer.proposal.create({ files: wish, reasoning: "New" });
      await page.goto(`${daemon.located.url}/#/proposals/${id}`);
      await page.locator(".proposal-pane").getByText("one.md").first().waitFor();
      expect(await button(page, "Open the document (o)").count()).toBe(0);
    }
  });

  test("[WP117, WP143] the mark of a proposal covers none of its words", async () => {
    for (let i = 0; i < 3; i++) await proposed("c.md", [8 + i], { confidence: "low" });
    await writer.edit.append({ path: "c.md", text: "more\n" });
    const page = await openPage(daemon, { to: "/proposals" });
    const item = page.locator(".proposal-item", { has: page.getByText("document changed") }).first();
    const mark = await boxOf(item.getByRole("checkbox"));
    for (const part of [".ago", ".proposal-why", ".proposal-size", ".chip"]) {
      const place = await boxOf(item.locator(part).first());
      const isApart = place.right <= mark.left || place.top >= mark.bottom || place.bottom <= mark.top;
      expect(isApart, part).toBe(true);
    }
  });

  test("[WP155] a message of the daemon that stands alone is a sentence", async () => {
    const page = await openPage(daemon, { to: "/proposals/pro_none" });
    await page.getByText('There is no proposal "pro_none".').waitFor();
    expect(sentence("notes.md is a folder")).toBe("notes.md is a folder.");
  });

  test("[WP157] another list closes a proposal that it does not contain", async () => {
    const id = await proposed("a.md", [8]);
    const page = await openPage(daemon, { to: `/proposals/${id}` });
    await button(page, "Approve (a)").waitFor();
    await page.getByRole("tab", { name: "Reviewed" }).click();
    await button(page, "Approve (a)").waitFor({ state: "detached" });
    expect(page.url()).not.toContain(id);
  });

  test("[WP158] a view that waits while spliced is away says so", async () => {
    const own = makeFolder({ "a.md": "one\n" });
    const served = await serveFolder(own.root);
    const page = await openPage(served, { to: "/notices", alone: true });
    await page.getByText("No notices").waitFor();
    await served.stop();
    await page.getByRole("alert").getByText("Disconnected.").waitFor();
    await page.evaluate(`location.hash = "#/timeline/a.md"`);
    await page.getByText("This appears once spliced is running again.").waitFor();
  });

  test("[WP154] a badge says that there are more", () => {
    expect([badgeText(3), badgeText(200, true), badgeText(2_000)]).toEqual(["3", "200+", "2,000"]);
  });

  further("[WP113] the palette has no empty list between its field and its message", async () => {
    const page = await openPage(daemon);
    await page.getByText("Active in the last hour").waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("zzqqzz");
    await page.getByText("No document, view, action or text matches.").waitFor();
    expect(await page.locator(".palette-entries").isVisible()).toBe(false);
  });

  further("[WP17] the card of a change without a message has no placeholder for it", async () => {
    const page = await openPage(daemon, { to: "/doc/plain.md" });
    await page.locator(".cm-line").first().click();
    await page.keyboard.press("Alt+b");
    await page.locator(".cm-blame-mark time").first().waitFor();
    await page.keyboard.press("Alt+w");
    const card = page.getByRole("dialog", { name: /^Change by/ });
    await card.getByRole("link", { name: "Timeline" }).waitFor();
    expect(await card.locator("p").count()).toBe(0);
  });
});

test("[WP153] the views do not wait for a late list of documents, nor for their number", async () => {
  const page = await openPage(daemon, { alone: true });
  await page.routeWebSocket(/\/rpc$/, (socket) => {
    const server = socket.connectToServer();
    const late = new Set<unknown>();
    socket.onMessage((message) => {
      const { id, method, params } = JSON.parse(String(message)) as Partial<Record<string, object>>;
      if (String(method) === "doc.list" || (params !== undefined && "pattern" in params)) late.add(id);
      server.send(message);
    });
    server.onMessage((message) => {
      if (!late.has((JSON.parse(String(message)) as { id?: unknown }).id)) socket.send(message);
    });
  });
  await page.goto(`${daemon.located.url}/?late#/`);
  await page.getByText("Active in the last hour").waitFor();
  await page.getByRole("region", { name: "Documents" }).getByText("Loading …").waitFor();
  await page.goto(`${daemon.located.url}/?late#/doc/plain.md`);
  await page.getByText("Line 1, column 1").waitFor();
});
