import { chmodSync, renameSync, rmSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { cli } from "../e2e/cli.ts";
import { type Daemon, HELD_BACK, type ServedFolder, startDaemon } from "../e2e/daemon.ts";
import { type Folder, makeFolder } from "../e2e/folder.ts";
import { serveFolder } from "../e2e/served.ts";
import { tokenFor } from "../e2e/token.ts";
import { until } from "../e2e/until.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { openPage } from "./browser.ts";

let folder: Folder;
let daemon: ServedFolder;

beginShared(async () => {
  folder = makeFolder({ "picture.png": new Uint8Array([0x89, 0, 1, 2]) });
  daemon = await serveFolder(folder.root);
});

let made = 0;

/** Opens a new document on a page, with the cursor at the end of the first line. */
async function shown(text: string | Uint8Array, options: { name?: string; token?: string } = {}) {
  const { name = `text${made++}.md`, token } = options;
  folder.write(name, text);
  const page = await openPage(daemon, { to: `/doc/${name}`, ...(token !== undefined && { token }) });
  await page.locator(".cm-content").click({ position: { x: 3, y: 16 } });
  await page.keyboard.press("End");
  return { name, page };
}

const textOf = async (page: Page) => (await page.locator(".cm-line").allTextContents()).join("\n");
const file = (name: string, content: string) =>
  until(
    `${name} holds it`,
    () => folder.read(name),
    (seen) => seen === content,
  );
const shows = (page: Page, text: string) => page.locator(".cm-content").getByText(text).first().waitFor();

async function replace(name: string, old: string, text: string, message = "why"): Promise<void> {
  const agent = await daemon.connect({ name: "writer" });
  await agent.request("edit.replace", { path: name, old, new: text, message });
}

/** Returns a script that pastes a large text and measures how long the page is busy, in milliseconds. */
function pasting(megabytes: number): string {
  return `(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", ("x".repeat(99) + "\\n").repeat(${megabytes * 10_000}));
    const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
    const began = performance.now();
    document.querySelector(".cm-content").dispatchEvent(paste);
    return performance.now() - began;
  })()`;
}

describe("a document on the page", () => {
  test("[WP11, WP18] typing reaches the file, together with edits by agents and editors", async () => {
    const { name, page } = await shown("one\ntwo\nthree\n");
    await page.keyboard.type(" mine");
    await replace(name, "two", "two of an agent");
    await shows(page, "two of an agent");
    await page.keyboard.type(" still");
    await file(name, "one mine still\ntwo of an agent\nthree\n");
    folder.write(name, folder.read(name).replace("three", "three of an editor"));
    await shows(page, "three of an editor");
    await page.keyboard.type(" here");
    await file(name, "one mine still here\ntwo of an agent\nthree of an editor\n");
    await page.getByText("Saved").waitFor();
  });

  test("[WP66] undo removes own typing, and nothing of others", async () => {
    const { name, page } = await shown("one\ntwo\n");
    await page.keyboard.type(" mine");
    await file(name, "one mine\ntwo\n");
    await replace(name, "two", "two of an agent");
    await shows(page, "two of an agent");
    await page.keyboard.press("Control+z");
    await file(name, "one\ntwo of an agent\n");
    await page.keyboard.press("Control+y");
    await file(name, "one mine\ntwo of an agent\n");
  });

  further("[WP66] undo removes own typing in each of two windows, in any order", async () => {
    const { name, page } = await shown("one\ntwo\n");
    const other = await openPage(daemon, { to: `/doc/${name}` });
    await other.locator(".cm-content").click();
    await other.keyboard.press("Control+End");
    await page.keyboard.type(" here");
    await shows(other, "one here");
    await other.keyboard.type("there");
    await shows(page, "there");
    await page.keyboard.press("Control+z");
    await file(name, "one\ntwo\nthere");
    await other.keyboard.press("Control+z");
    await file(name, "one\ntwo\n");
    await page.keyboard.press("Control+y");
    await file(name, "one here\ntwo\n");
  });

  further("[WP11] text of an input method is inserted whole, while others edit the same line", async () => {
    const { name, page } = await shown("one\ntwo\n");
    const input = await page.context().newCDPSession(page);
    const compose = (text: string) =>
      input.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
    await compose("に");
    await replace(name, "two", "two of an agent");
    await shows(page, "two of an agent");
    await compose("にほ");
    await replace(name, "one", "number one");
    await shows(page, "number one");
    await compose("にほん");
    await input.send("Input.insertText", { text: "日本" });
    await file(name, "number one日本\ntwo of an agent\n");
    expect(await textOf(page)).toBe("number one日本\ntwo of an agent\n");
  });

  further("[WP10] bytes outside of the typed text stay, with any line ends", async () => {
    const crlf = await shown("a\r\nb\r\nc\r\n");
    await crlf.page.keyboard.type("x\n😀");
    await crlf.page.keyboard.press("ArrowDown");
    await crlf.page.keyboard.press("Backspace");
    await file(crlf.name, "ax\r\n😀\r\n\r\nc\r\n");
    await crlf.page.getByText("CRLF").waitFor();
    const mixed = await shown("\ufeffa\nb\r\nc\u2028d\re\n");
    await mixed.page.keyboard.type("x");
    await mixed.page.keyboard.press("ArrowDown");
    await mixed.page.keyboard.press("End");
    await mixed.page.keyboard.type("y\nz");
    await replace(mixed.name, "\u2028d\re", "\u2028D\re");
    await file(mixed.name, "\ufeffax\nby\r\nz\r\nc\u2028D\re\n");
  });

  test("[WP12] two viewers see each other, their edits, and when one leaves", async () => {
    const { name, page } = await shown("one\ntwo\n");
    const other = await openPage(daemon, { to: `/doc/${name}` });
    await page.getByLabel("Who is here").getByTitle("is viewing this document").waitFor();
    await other.locator(".cm-content").click();
    await other.keyboard.press("Control+End");
    await other.keyboard.type("theirs");
    await shows(page, "theirs");
    await expect.poll(() => page.locator(".cm-remote-caret").count()).toBe(1);
    const [caret, line] = await Promise.all([
      page.locator(".cm-remote-caret").boundingBox(),
      page.locator(".cm-line").nth(2).boundingBox(),
    ]);
    expect(Math.abs(caret!.y - line!.y)).toBeLessThan(8);
    await page.keyboard.type(" mine");
    await shows(other, "one mine");
    await expect.poll(async () => (await textOf(page)) === (await textOf(other))).toBe(true);
    await other.context().close();
    await expect.poll(() => page.locator(".cm-remote-caret").count()).toBe(0);
  });

  test("[WP67] a change by an agent shows its name for a moment", async () => {
    const { name, page } = await shown("one\ntwo\n");
    await replace(name, "two", "two and more");
    await page.locator('.cm-name[data-name="writer"]').waitFor();
    await page.locator(".cm-flash").waitFor();
    await page.locator(".cm-flash").waitFor({ state: "detached" });
    await page.getByTitle("writer changed this document recently").waitFor();
  });

  describe("whose daemon goes away", () => {
    let root: Folder;
    let serving: Daemon;
    beginShared(async () => {
      root = makeFolder({ "typed.md": "one\ntwo\n", "left.md": "one\n", "refused.md": "one\n" });
      serving = await startDaemon(root.root);
    });

    /** Opens a document with the cursor at its beginning. */
    async function atBeginning(path: string, token?: string): Promise<Page> {
      const page = await openPage(serving, { to: `/doc/${path}`, ...(token !== undefined && { token }) });
      await page.locator(".cm-content").click();
      await page.keyboard.press("Control+Home");
      return page;
    }

    async function restart(): Promise<void> {
      serving = await startDaemon(root.root, { args: ["--port", new URL(serving.located.url).port] });
    }

    test("[WP13, WP82] typing while disconnected is stored, closing the page asks, and reconnecting sends it", async () => {
      const page = await atBeginning("typed.md");
      await page.keyboard.type("before ");
      await until("it is on disk", () => root.read("typed.md").startsWith("before one"));
      await serving.kill();
      await page.keyboard.type("and while away ");
      await page.getByText("Kept until reconnected").waitFor();
      root.write("typed.md", root.read("typed.md").replace("two", "two of an editor"));
      const asked = page.waitForEvent("dialog");
      await page.close({ runBeforeUnload: true });
      await (await asked).dismiss();
      await restart();
      await until(
        "both are there",
        () => root.read("typed.md"),
        (seen) => seen === "before and while away one\ntwo of an editor\n",
      );
      await page.getByText("Saved").waitFor();
    });

    test("[WP81] unconfirmed typing is sent though the person changes the view", async () => {
      const page = await atBeginning("left.md");
      await serving.kill();
      await page.keyboard.type("typed while away ");
      await page.getByText("Kept until reconnected").waitFor();
      await page.locator(".view-link", { hasText: "Activity" }).click();
      await page.locator(".cm-content").waitFor({ state: "detached" });
      await restart();
      await until("the file has it", () => root.read("left.md") === "typed while away one\n");
    });

    further(
      "[WP13] edits that a sign-out kept from being sent can be copied, and the page works after signing in",
      async () => {
        const token = await tokenFor(root.root, "guest", "**=write");
        const page = await atBeginning("refused.md", token);
        await serving.kill();
        await page.keyboard.type("typed while away");
        await page.getByText("Kept until reconnected").waitFor();
        await cli(root.root, ["token", "revoke", "guest"]);
        await restart();
        await page.getByText("Your last edits in refused.md did not reach spliced").waitFor();
        const { out } = await cli(root.root, ["open", "--print"]);
        const other = await page.context().newPage();
        await other.goto(out.trim());
        await page.getByRole("link", { name: "refused.md" }).waitFor();
        await page.getByRole("button", { name: "Discard" }).click();
        expect(await page.getByText("did not reach spliced").count()).toBe(0);
      },
    );
  });

  test("[WP14] a deleted document stays readable, and is restored whole", async () => {
    const { name, page } = await shown("one\ntwo\n");
    await page.keyboard.type(" mine");
    await file(name, "one mine\ntwo\n");
    rmSync(folder.at(name));
    await page.getByText("This document was deleted").waitFor();
    expect(await textOf(page)).toContain("one mine");
    await page.getByRole("button", { name: "Restore" }).click();
    await page.getByText("Saved").waitFor();
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("after");
    await file(name, "one mine\ntwo\nafter");
  });

  test("[WP68] the view and its address follow a renamed document", async () => {
    const { name, page } = await shown("one\ntwo\n");
    renameSync(folder.at(name), folder.at(`moved-${name}`));
    await page.waitForURL(`**/#/doc/moved-${name}`);
    await page.keyboard.type(" mine");
    await file(`moved-${name}`, "one mine\ntwo\n");
    await page.getByLabel("More").click();
    await page.getByText("Rename or move").click();
    await page.getByLabel("Path in the workspace").fill(`deep/er/${name}`);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/#/doc/deep/er/${name}`);
  });

  test("[WP15] a paste of megabytes is inserted at once, and one over the limit is refused whole", async () => {
    const { name, page } = await shown("one\n");
    const paste = (megabytes: number) => page.evaluate<number>(pasting(megabytes));
    expect(await paste(18)).toBeLessThan(5_000);
    await page.getByText("the limit is 17 MB").waitFor();
    expect(await textOf(page)).toBe("one\n");
    expect(await paste(4)).toBeLessThan(5_000);
    await until(
      "it is on disk",
      () => folder.bytes(name).length,
      (size) => size === 4_000_004,
    );
    await page.getByText("Saved").waitFor();
  });

  test("[WP16] a reader sees why typing is off, and still sees edits of others", async () => {
    const token = await tokenFor(folder.root, "reader", "**=read");
    const { name, page } = await shown("one\n", { token });
    await page.getByText("You can read this document but not change it").waitFor();
    await page.keyboard.type("x");
    await replace(name, "one", "one of an agent");
    await shows(page, "one of an agent");
    expect(folder.read(name)).toBe("one of an agent\n");
  });

  test("[WP69] a person who may only propose edits a copy, which becomes a proposal", async () => {
    const token = await tokenFor(folder.root, "guest", "**=propose");
    const { name, page } = await shown("one\r\ntwo\r\n", { token });
    await page.getByText("You are editing a copy").waitFor();
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("I");
    await page.getByRole("button", { name: "Propose …" }).click();
    await page.getByLabel("Why?").fill("It is mine");
    await page.getByRole("button", { name: "Propose", exact: true }).click();
    await page.getByText("Proposed.").waitFor();
    const owner = await daemon.connect({ name: "owner" });
    const { proposals } = await owner.request("proposal.list", { path: name });
    expect(proposals).toMatchObject([{ proposed_value: "Ione\r\ntwo\r\n", reasoning: "It is mine" }]);
    expect(folder.read(name)).toBe("one\r\ntwo\r\n");
  });

  test("[WP17, WP21] lines show author and message, and keys alone undo one change", async () => {
    const { name, page } = await shown("one\r\ntwo\r\nthree\r\n");
    await replace(name, "two", "two of an agent", "Say whose");
    await page.keyboard.type(" mine");
    await page.keyboard.press("Alt+b");
    await page.locator(".cm-blame-mark").getByText("writer").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Alt+w");
    await page.getByText("Say whose").waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("This undoes only this change").waitFor();
    await page.getByRole("button", { name: "Undo change" }).press("Enter");
    await file(name, "one mine\r\ntwo\r\nthree\r\n");
    await page.keyboard.type("!");
    await until(
      "the text has the focus again",
      () => folder.read(name),
      (seen) => seen.includes("!"),
    );
    await page.reload();
    await page.locator(".cm-blame-mark").first().waitFor();
  });

  further(
    "[WP19] a binary file and a missing document are explained; a missing one can be created",
    async () => {
      const page = await openPage(daemon, { to: "/doc/picture.png" });
      await page.getByText("This is not a text file").waitFor();
      await page.goto(`${daemon.located.url}/#/doc/new/page.md`);
      await page.getByRole("button", { name: "Create document" }).click();
      await page.locator(".cm-content").click();
      await page.keyboard.type("made here");
      await file("new/page.md", "made here");
    },
  );

  further("[WP18] the page shows why a file cannot be written, until it can", async () => {
    const root = makeFolder({ "closed/a.md": "one\n" });
    const held = await startDaemon(root.root, HELD_BACK);
    const page = await openPage(held, { to: "/doc/closed/a.md" });
    await page.getByText("Saved").waitFor();
    chmodSync(root.at("closed"), 0o555);
    await page.locator(".cm-content").click();
    await page.keyboard.type("mine");
    await page.getByText("File not written").waitFor();
    chmodSync(root.at("closed"), 0o755);
    await page.getByText("Saved").waitFor();
    expect(root.read("closed/a.md")).toContain("mine");
  });

  further(
    "[WP18, WP19] a file that becomes binary leaves the text editable, and the next text has the typing",
    async () => {
      const { name, page } = await shown("one\ntwo\n");
      folder.write(name, new Uint8Array([0x89, 0, 1, 2]));
      await page.getByText(`${name} is not UTF-8 text`).first().waitFor();
      await page.keyboard.type(" mine");
      await shows(page, "one mine");
      folder.write(name, "one\ntwo\nthree\n");
      await file(name, "one mine\ntwo\nthree\n");
      await shows(page, "three");
      await page.getByText("Saved").waitFor();
    },
  );

  test("[WP19, WP70] a refused own edit is removed, and its text can be copied", async () => {
    const config = "export default { limits: { maxFileBytes: 1024 } };\n";
    const full = makeFolder({
      "daemon.config.ts": config,
      "a.md": "x".repeat(1020),
      "b.md": "x".repeat(1030),
    });
    const small = await serveFolder(full.root);
    const page = await openPage(small, { to: "/doc/a.md" });
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+End");
    await page.keyboard.insertText("six 66");
    await page.getByText("Your edit was not applied").waitFor();
    expect(await page.getByRole("textbox", { name: "Your text" }).inputValue()).toBe("six 66");
    expect(await textOf(page)).toBe("x".repeat(1020));
    await page.keyboard.insertText("3 c");
    await until("it is on disk", () => full.read("a.md").endsWith("x3 c"));
    await page.goto(`${small.located.url}/#/doc/b.md`);
    await page.getByText("too large to open").waitFor();
  });

  test("[WP20] a refused edit by an agent shows a notice above the text", async () => {
    const { name, page } = await shown("one\n");
    const agent = await daemon.connect({ name: "writer" });
    await agent.request("edit.replace", { path: name, old: "absent", new: "x" }).catch(() => undefined);
    await page.getByText("An edit by writer did not fit").waitFor();
    await page.getByLabel("Notices for this document").getByLabel("Dismiss").click();
    expect(await page.getByText("An edit by writer did not fit").count()).toBe(0);
  });
});
