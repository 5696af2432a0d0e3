import { basename } from "node:path";
import type { Locator } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { authorInitials } from "../../src/web/state/changes/authors.ts";
import type { ServedFolder } from "../e2e/daemon.ts";
import { type Folder, makeFolder } from "../e2e/folder.ts";
import { serveFolder } from "../e2e/served.ts";
import { tokenFor } from "../e2e/token.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { openPage } from "./browser.ts";

let folder: Folder;
let daemon: ServedFolder;
let writer: Client;

const MANY = Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`many/${i}/file.ts`, `${i}\n`]));

beginShared(async () => {
  folder = makeFolder({ ...MANY, ".env": "A=1\n", "deep/in/folders/notes.md": "one\ntwo\nthree\n" });
  daemon = await serveFolder(folder.root);
  writer = await daemon.connect({ name: "writer" });
});

/** Returns the place of an element in the window. */
async function placeOf(element: Locator) {
  const box = (await element.boundingBox())!;
  return { left: box.x, top: box.y, right: box.x + box.width, bottom: box.y + box.height };
}

type Place = Awaited<ReturnType<typeof placeOf>>;

function overlap(a: Place, b: Place): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

describe("the layout of the page", () => {
  test("[WP102] a link to a document shows it in a large tree", async () => {
    const page = await openPage(daemon, { to: "/doc/deep/in/folders/notes.md" });
    await page.getByRole("link", { name: "notes.md" }).waitFor();
    expect(await page.getByRole("link", { name: "file.ts" }).count()).toBe(0);
  });

  further("[WP143] long names are cut, a file's name after its folders, and widen no view", async () => {
    const name = "an-agent-with-a-name-that-is-longer-than-its-place";
    const file = "plan-of-the-launch.md";
    const path = `${"a-very-long-folder-name-that-somebody-has/".repeat(4)}${file}`;
    const long = await daemon.connect({ name });
    await long.doc.create({ path, text: "one\n" });
    const { id } = await long.proposal.create({ path, operation: "append", proposed_value: "two\n" });
    const page = await openPage(daemon, { width: 1440 });
    for (const width of [1440, 420]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(`${daemon.located.url}/#/`);
      await page.locator(".worker").getByText(name).waitFor();
      expect(
        await page.evaluate<number>(`{
          const body = document.querySelector(".view-body");
          body.scrollWidth - body.clientWidth;
        }`),
        `overview, ${width} px`,
      ).toBe(0);
      await page.goto(`${daemon.located.url}/#/doc/${path}`);
      await page.getByText("Line 1, column 1").waitFor();
      const shown = page.locator(".breadcrumb-name");
      expect(
        await page.evaluate<number>(`{
          const name = document.querySelector(".breadcrumb-name");
          name.scrollWidth - name.clientWidth;
        }`),
      ).toBe(0);
      expect((await placeOf(shown)).right).toBeLessThan(width);
    }
    await long.proposal.reject({ id });
    await long.doc.delete({ path });
  });

  test("[WP144] each line begins on the side of its script", async () => {
    await writer.doc.create({
      path: "words.md",
      text: "\u05e9\u05dc\u05d5\u05dd.\nHello \u05e9\u05dc\u05d5\u05dd.\n",
    });
    const page = await openPage(daemon, { to: "/doc/words.md" });
    await page.locator(".cm-line", { hasText: "Hello" }).waitFor();
    const directions = await page.evaluate(
      `[...document.querySelectorAll(".cm-line")].map((line) => getComputedStyle(line).direction)`,
    );
    expect(directions).toEqual(["rtl", "ltr", "ltr"]);
    await page.locator(".cm-content").press("Control+Home");
    await page.keyboard.type("a");
    await expect
      .poll(() => page.evaluate(`getComputedStyle(document.querySelector(".cm-line")).direction`))
      .toBe("ltr");
  });

  test("[WP103] names at carets cover neither the text nor one another", async () => {
    const path = "deep/in/folders/notes.md";
    const others = await Promise.all(["ann", "bob-the-builder"].map((name) => daemon.connect({ name })));
    for (const [i, other] of others.entries()) await other.presence.set({ path, from: i, to: i });
    const page = await openPage(daemon, { to: `/doc/${path}` });
    const [ann, bob] = ["ann", "bob-the-builder"].map((name) =>
      page.locator(`.cm-name[data-name="${name}"]`),
    );
    await Promise.all([ann!.waitFor(), bob!.waitFor()]);
    const places = await Promise.all([placeOf(ann!), placeOf(bob!)]);
    expect(overlap(...(places as [Place, Place]))).toBe(false);
    const textEnd = await page.evaluate<number>(`{
      const range = document.createRange();
      range.selectNodeContents(document.querySelector(".cm-line"));
      range.getBoundingClientRect().right;
    }`);
    for (const { left } of places) expect(left).toBeGreaterThan(textEnd);
  });

  test("[WP104] a message covers nothing of the view", async () => {
    const page = await openPage(daemon, { to: "/doc/deep/in/folders/notes.md" });
    await page.getByText("Line 1, column 1").waitFor();
    await page.locator(".cm-content").press("Control+s");
    await page.getByText("Saved. spliced also saves by itself.").waitFor();
    const [message, main] = await Promise.all([
      placeOf(page.locator(".message")),
      placeOf(page.getByRole("main")),
    ]);
    expect(overlap(message, main)).toBe(false);
  });

  test("[WP105] a menu is inside a narrow window", async () => {
    const page = await openPage(daemon, { to: "/doc/deep/in/folders/notes.md", width: 420 });
    await page.getByText("Line 1, column 1").waitFor();
    await page.getByLabel("More").click();
    const { left, right } = await placeOf(page.locator(".menu-items"));
    expect(left).toBeGreaterThanOrEqual(0);
    expect(right).toBeLessThanOrEqual(420);
  });

  test("[WP106] the example for an agent writes to a document for people, never to a hidden file", async () => {
    const page = await openPage(daemon);
    await page
      .getByText("spliced --agent tester append deep/in/folders/notes.md")
      .waitFor({ state: "attached" });
  });

  test("[WP111] title and sidebar begin with the name of the workspace", async () => {
    const page = await openPage(daemon);
    const name = basename(folder.root);
    await page.locator(".brand-name").getByText(name).waitFor();
    await expect.poll(() => page.title()).toBe(`${name} · spliced`);
  });

  test("[WP112] several notices of a document share one strip, which opens", async () => {
    const path = "many/3/file.ts";
    const page = await openPage(daemon, { to: `/doc/${path}` });
    await page.getByText("Line 1, column 1").waitFor();
    for (const old of ["not there", "nor this"])
      await writer.edit.patch({ path, patch: `@@ -1 +1 @@\n-${old}\n+x\n` }).catch(() => undefined);
    await writer.edit.replace({ path, old: "not there", new: "x" }).catch(() => undefined);
    const strip = page.getByRole("log", { name: "Notices for this document" });
    await strip.getByText("2 notices.").click();
    await strip.getByRole("button", { name: "Dismiss" }).first().click();
    await strip.getByText("2 notices.").waitFor({ state: "detached" });
    await strip.getByRole("heading", { name: "did not fit" }).waitFor();
  });

  test("[WP113] the palette offers recent documents first, and runs actions", async () => {
    const page = await openPage(daemon, { to: "/doc/many/4/file.ts", width: 420 });
    await page.getByText("Line 1, column 1").waitFor();
    await page.goto(`${daemon.located.url}/#/`);
    await page.getByText("Active in the last hour").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("option").first().getByText("many/4/file.ts").waitFor();
    await page.keyboard.type("new doc");
    await page.keyboard.press("Enter");
    await page.getByLabel("Path in the workspace").fill("many/new.md");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "many/new.md" }).waitFor();
  });

  test("[WP114] the browser notifies of a new proposal while the page is hidden, if the person asked", async () => {
    const page = await openPage(daemon, { to: "/health" });
    // The browser of the tests has no desktop that could show a notification.
    await page.evaluate(`{
      globalThis.shown = [];
      globalThis.Notification = class {
        static requestPermission = async () => "granted";
        constructor(title, { body }) { shown.push(body); }
      };
    }`);
    const propose = () =>
      writer.proposal.create({ path: "many/5/file.ts", operation: "append", proposed_value: "more\n" });
    const reviews = page.getByRole("link", { name: /^Proposals/ });
    await page.getByText("Notify me").click();
    await propose();
    await reviews.getByText("1").waitFor();
    await page.evaluate(`Object.defineProperty(document, "hidden", { value: true })`);
    await propose();
    await expect.poll(() => page.evaluate("shown")).toEqual(["2 proposals to review"]);
    await page.getByText("Notify me").click();
    await propose();
    await reviews.getByText("3").waitFor();
    expect(await page.evaluate("shown")).toEqual(["2 proposals to review"]);
  });

  test("[WP119] the health view shows what is stored, and the tokens with their rules", async () => {
    const reader = await tokenFor(folder.root, "reader", "many/**=read");
    const page = await openPage(daemon, { to: "/health" });
    const facts = page.getByRole("region", { name: "This workspace" });
    await facts.getByText("reader: many/**=read").waitFor();
    await facts.getByText(/^[\d.]+ [kM]B on disk, kept/).waitFor();
    await facts.getByText(".spliced/log").waitFor();
    const other = await openPage(daemon, { to: "/health", token: reader });
    const fewer = other.getByRole("region", { name: "This workspace" });
    await fewer.getByText("Version").waitFor();
    expect(await fewer.getByText("on disk").count()).toBe(0);
  });

  test("[WP107] the activity offers the authors of changes that it has not loaded", async () => {
    const early = await daemon.connect({ name: "early" });
    await early.edit.append({ path: "many/1/file.ts", text: "early\n" });
    for (let i = 0; i < 70; i++) await writer.edit.append({ path: "many/2/file.ts", text: `${i}\n` });
    const page = await openPage(daemon, { to: "/activity" });
    await page.getByLabel("Only changes by early").click();
    await page.getByRole("link", { name: "many/1/file.ts" }).waitFor();
  });

  test("[WP108] the first authors have different colours, and two letters", async () => {
    const page = await openPage(daemon, { to: "/activity" });
    const marks = page.locator(".filter-author .author-mark");
    await marks.nth(1).waitFor();
    const colours = await page.evaluate<string[]>(
      `[...document.querySelectorAll(".filter-author .author-mark")].map((mark) => getComputedStyle(mark).color)`,
    );
    expect(new Set(colours).size).toBe(colours.length);
    expect(["claude", "claude-code", "disk", "x", "🦀"].map(authorInitials)).toEqual([
      "Cl",
      "CC",
      "ED",
      "X",
      "?",
    ]);
  });
});
