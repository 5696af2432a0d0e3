import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import type { ServedFolder } from "../e2e/daemon.ts";
import { type Folder, makeFolder } from "../e2e/folder.ts";
import { serveFolder } from "../e2e/served.ts";
import { tokenFor } from "../e2e/token.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { openPage } from "./browser.ts";

const LINES = `${Array.from({ length: 40 }, (_, i) => `line ${i + 1}`).join("\n")}\n`;

let folder: Folder;
let daemon: ServedFolder;
let writer: Client;

beginShared(async () => {
  folder = makeFolder();
  daemon = await serveFolder(folder.root);
  writer = await daemon.connect({ name: "writer" });
});

/** A document of its own, and a proposal for it that changes a line for each of these numbers. */
async function proposed(path: string, lines: readonly number[], more: object = {}): Promise<string> {
  await writer.request("doc.create", { path, text: LINES });
  const proposed_value = lines.reduce((text, n) => text.replace(`line ${n}\n`, `LINE ${n}\n`), LINES);
  const wish = {
    path,
    operation: "full_replace",
    proposed_value,
    reasoning: `Louder ${path}`,
    ...more,
  } as const;
  return (await writer.request("proposal.create", wish)).id;
}

const read = async (path: string) => (await writer.request("doc.read", { path })).text;
const button = (page: Page, name: string) => page.getByRole("button", { name });

describe("reviewing proposals", () => {
  test("[WP93] a patch is marked as one and shows its difference at once", async () => {
    await proposed("whole.md", [1]);
    await writer.request("doc.create", { path: "patch.md", text: LINES });
    const patch = "@@ -1,2 +1,2 @@\n-line 1\n+a patched line\n line 2\n";
    const wish = { path: "patch.md", operation: "patch", patch, reasoning: "By a patch" } as const;
    const { id } = await writer.request("proposal.create", wish);
    const page = await openPage(daemon, { to: `/proposals/${id}` });
    const pane = page.locator(".proposal-pane");
    await pane.locator(".chip").getByText("patch", { exact: true }).waitFor();
    await pane.locator("ins").getByText("a patched line").waitFor();
    const rows = page.locator(".proposal-row").filter({ has: page.getByText("patch", { exact: true }) });
    await rows.getByText("By a patch").waitFor();
    expect(await rows.count()).toBe(1);
    for (const proposal of (await writer.request("proposal.list", { status: "pending" })).proposals)
      await writer.request("proposal.reject", { id: proposal.id });
  });

  further(
    "[WP32] pending proposals are listed by document with author, reason and size; reviewed ones with their result",
    async () => {
      const id = await proposed("list.md", [2], { confidence: "low" });
      const page = await openPage(daemon, { to: "/proposals" });
      const row = page.locator(`a[href="#/proposals/${id}"]`);
      await row.waitFor();
      for (const words of ["writer", "Louder list.md", "low confidence", "+1", "−1"])
        await row.getByText(words).waitFor();
      await expect.poll(() => page.title()).toMatch(/^\(\d+\) .+ · spliced$/);
      await writer.request("edit.append", { path: "list.md", text: "more\n" });
      await row.getByText("document changed").waitFor();
      await writer.request("proposal.reject", { id, reason: "too loud" });
      await row.waitFor({ state: "detached" });
      await page.getByRole("tab", { name: "Reviewed" }).click();
      await button(page, "rejected").click();
      await row.getByText("by writer: too loud").waitFor();
      await button(page, "approved").click();
      await row.waitFor({ state: "detached" });
    },
  );

  further(
    "[WP115] the document marks the lines of a pending proposal, with a link to its review",
    async () => {
      const id = await proposed("marked.md", [3, 30]);
      const page = await openPage(daemon, { to: "/doc/marked.md" });
      await expect.poll(() => page.locator(".cm-proposed").allTextContents()).toEqual(["line 3", "line 30"]);
      await writer.edit.lines({
        path: "marked.md",
        changes: [{ operation: "insert", afterLine: 0, newLines: ["first"] }],
      });
      await page.getByText("first", { exact: true }).waitFor();
      expect(await page.locator(".cm-proposed").allTextContents()).toEqual(["line 3", "line 30"]);
      await page.locator(".cm-proposal-mark").first().click();
      await expect.poll(() => page.url()).toContain(`#/proposals/${id}`);
    },
  );

  test("[WP115, WP145] proposals for one line share a mark with their number", async () => {
    await writer.request("doc.create", { path: "shared.md", text: LINES });
    for (const proposed_value of ["one\n", "two\n"])
      await writer.proposal.create({
        path: "shared.md",
        operation: "replace",
        old_content: "line 3\n",
        proposed_value,
      });
    const page = await openPage(daemon, { to: "/doc/shared.md" });
    const marks = page.locator(".cm-proposal-mark");
    await expect.poll(() => marks.allTextContents()).toEqual(["2"]);
    await marks.click();
    await expect.poll(() => page.url()).toContain("#/proposals/prop_");
  });

  test("[WP116] suggested text is shown as such while it is typed", async () => {
    await writer.request("doc.create", { path: "copy.md", text: LINES });
    const page = await openPage(daemon, { to: "/doc/copy.md" });
    await page.getByLabel("More").click();
    await button(page, "Suggest changes").click();
    await page.locator(".cm-content[aria-label*=suggestion]").press("Control+Home");
    await page.keyboard.type("my ");
    await page.locator(".cm-deletedChunk").getByText("line 1", { exact: true }).waitFor();
    await page.locator(".cm-changedText").getByText("my").waitFor();
    expect(await read("copy.md")).toBe(LINES);
  });

  further(
    "[WP117] marked proposals are approved together, also of one document, except one that changed",
    async () => {
      const first = await proposed("many.md", [2]);
      const wish = (line: number, text: string) =>
        writer.proposal.create({
          path: "many.md",
          operation: "replace",
          old_content: `line ${line}\n`,
          proposed_value: text,
          reasoning: text,
        });
      const second = (await wish(20, "two\nlines\n")).id;
      const third = (await wish(38, "LINE 38\n")).id;
      const page = await openPageWithout(["doc.changed"], "/proposals");
      const rows = page
        .locator(".proposal-item")
        .filter({ has: page.locator(`a[href*="${first}"], a[href*="${second}"], a[href*="${third}"]`) });
      for (let i = 0; i < 3; i++) await rows.nth(i).getByRole("checkbox").check();
      await writer.edit.replace({ path: "many.md", old: "line 37\n", new: "changed\n" });
      await button(page, "Approve 3 marked proposals").click();
      await page.getByText("Approved 2 of 3 proposals.").waitFor();
      await page.getByText("it has changed meanwhile").waitFor();
      const after = LINES.replace("line 2\n", "LINE 2\n").replace("line 20\n", "two\nlines\n");
      expect(await read("many.md")).toBe(after.replace("line 37\n", "changed\n"));
      expect(await writer.proposal.get({ id: third })).toMatchObject({ status: "pending" });
    },
  );

  test("[WP118] after a decision a button opens another pending proposal", async () => {
    const id = await proposed("decided.md", [2]);
    await proposed("following.md", [2]);
    const page = await openPage(daemon, { to: `/proposals/${id}` });
    await button(page, "Approve (a)").click();
    await button(page, "Next (j)").click();
    await expect.poll(() => page.url()).not.toContain(id);
    await button(page, "Reject …").waitFor();
  });

  further(
    "[WP33] single changes are approved under their author's name, and undone from the message",
    async () => {
      const id = await proposed("hunks.md", [2, 20, 38]);
      const page = await openPage(daemon, { to: `/proposals/${id}` });
      await page.getByLabel("Change 2").uncheck();
      await button(page, "Approve 2 of 3 changes").click();
      await page.getByText("approved part of this").waitFor();
      const both = LINES.replace("line 2\n", "LINE 2\n").replace("line 38\n", "LINE 38\n");
      expect(await read("hunks.md")).toBe(both);
      const { changes } = await writer.request("history.list", { path: "hunks.md", limit: 1 });
      expect(changes[0]).toMatchObject({ author: "writer", origin: "proposal" });
      await button(page, "Undo").click();
      await page.getByText("Undid writer’s change in hunks.md").waitFor();
      expect(await read("hunks.md")).toBe(LINES);
      expect(await writer.request("proposal.get", { id })).toMatchObject({ status: "pending" });
    },
  );

  test("[WP5] a message with undo stays while the pointer is on it", async () => {
    const id = await proposed("stays.md", [2]);
    const page = await openPage(daemon, { to: `/proposals/${id}`, alone: true });
    await page.clock.install();
    await button(page, "Approve (a)").click();
    const message = page.locator(".message");
    await message.hover();
    await page.clock.fastForward(60_000);
    expect(await message.count()).toBe(1);
    await page.mouse.move(0, 0);
    await page.clock.fastForward(2_000);
    await message.waitFor({ state: "detached" });
    expect(await read("stays.md")).toBe(LINES.replace("line 2\n", "LINE 2\n"));
  });

  test("[WP73] a proposal is rejected with a reason, and changes nothing", async () => {
    const id = await proposed("reject.md", [2]);
    const page = await openPage(daemon, { to: `/proposals/${id}` });
    await button(page, "Reject …").click();
    await page.getByLabel("Why do you reject it?").fill("not now");
    await button(page, "Reject (Enter)").click();
    await page.getByText("“not now”").waitFor();
    expect(await writer.request("proposal.get", { id })).toMatchObject({
      status: "rejected",
      reason: "not now",
    });
    expect(await read("reject.md")).toBe(LINES);
  });

  test("[WP160] a proposal that its author withdrew says so", async () => {
    const id = await proposed("withdrawn.md", [2]);
    await writer.request("proposal.reject", { id, reason: "not now" });
    const page = await openPage(daemon, { to: `/proposals/${id}` });
    await page.getByText(/^Withdrawn by writer/).waitFor();
    await page.getByText("“not now”").waitFor();
  });

  further("[WP34] the shown proposal follows its document, and a conflict shows each side", async () => {
    const id = await proposed("moves.md", [20, 38]);
    const page = await openPage(daemon, { to: `/proposals/${id}` });
    await page.getByText("Lines 17–23").waitFor();
    await writer.request("edit.lines", {
      path: "moves.md",
      changes: [{ operation: "insert", afterLine: 0, newLines: ["first"] }],
    });
    await page.getByText("Lines 18–24").waitFor();
    await page.getByText("You now see the updated proposal").waitFor();
    await writer.request("edit.replace", { path: "moves.md", old: "line 20", new: "Line twenty" });
    const conflict = page.getByLabel("Conflicts");
    for (const words of ["Line 21", "line 20", "Line twenty", "LINE 20"])
      await conflict.getByText(words, { exact: true }).waitFor();
    await expect.poll(() => button(page, "Approve all").isDisabled()).toBe(true);
  });

  test("[WP74] an approval of an outdated diff changes nothing and shows the new one", async () => {
    const id = await proposed("late.md", [20]);
    const page = await openPageWithout(["doc.changed"], `/proposals/${id}`);
    await page.getByText("Lines 17–23").waitFor();
    await writer.request("edit.replace", { path: "late.md", old: "line 1\n", new: "a\nb\n" });
    const before = await read("late.md");
    await button(page, "Approve (a)").click();
    await page.getByText("Your decision had no effect. The document was edited").waitFor();
    await page.getByText("Lines 18–24").waitFor();
    expect(await read("late.md")).toBe(before);
    await button(page, "Approve (a)").click();
    await page.getByText(/^Approved by/).waitFor();
    expect(await read("late.md")).toBe(before.replace("line 20\n", "LINE 20\n"));
  });

  test("[WP75] an approval works while others type elsewhere in the document", async () => {
    const id = await proposed("busy.md", [2]);
    const page = await openPageWithout(["doc.changed"], `/proposals/${id}`);
    await button(page, "Approve (a)").waitFor();
    await writer.request("edit.append", { path: "busy.md", text: "more\n" });
    await button(page, "Approve (a)").click();
    await page.getByText(/^Approved by/).waitFor();
    expect(await read("busy.md")).toBe(`${LINES.replace("line 2\n", "LINE 2\n")}more\n`);
  });

  test("[WP35] the second of two windows shows who has already approved", async () => {
    const id = await proposed("twice.md", [2]);
    const second = await openPageWithout(["proposal.changed", "doc.changed"], `/proposals/${id}`);
    await button(second, "Approve (a)").waitFor();
    const first = await openPage(daemon, { to: `/proposals/${id}` });
    await button(first, "Approve (a)").click();
    const approved = first.getByText(/^Approved by/);
    const reviewer = /Approved by (\S+)/.exec((await approved.textContent()) ?? "")?.[1];
    await button(second, "Approve (a)").click();
    await second.getByText(`This proposal is already approved by ${reviewer}.`).waitFor();
    await second.getByText(/^Approved by/).waitFor();
    const { changes } = await writer.request("history.list", { path: "twice.md" });
    expect(changes.filter(({ origin }) => origin === "proposal")).toHaveLength(1);
  });

  further("[WP36] the keyboard does everything, and the focus follows the reader", async () => {
    const other = await proposed("keys/b.md", [2]);
    const id = await proposed("keys/a.md", [2, 20]);
    const page = await openPage(daemon, { to: `/proposals/${id}` });
    await page.getByLabel("Change 2").waitFor();
    await page.locator(`a[href="#/proposals/${other}"]`).waitFor();
    const focused = () => page.locator(":focus").textContent();
    await page.keyboard.press("j");
    await page.waitForURL(`**/#/proposals/${other}`);
    await expect.poll(focused).toContain("Louder keys/b.md");
    await page.keyboard.press("k");
    await page.waitForURL(`**/#/proposals/${id}`);
    await page.keyboard.press("Enter");
    await expect.poll(focused).toBe("keys/a.md");
    await page.getByLabel("Change 2").waitFor();
    await page.keyboard.press("n");
    await page.keyboard.press("n");
    await page.keyboard.press("x");
    await button(page, "Approve 1 of 2 changes").waitFor();
    await page.keyboard.press("a");
    await page.getByText("approved part of this").waitFor();
    expect(await read("keys/a.md")).toBe(LINES.replace("line 2\n", "LINE 2\n"));
    await expect.poll(focused).toBe("keys/a.md");
    await page.keyboard.press("r");
    await page.keyboard.type("a is for later");
    await page.keyboard.press("Enter");
    await page.getByText("“a is for later”").waitFor();
    await page.keyboard.press("o");
    await page.waitForURL("**/#/doc/keys/a.md");
  });

  further("[WP36] keys that are faster than the browser's address change all work", async () => {
    const [first, second, third] = [
      await proposed("fast/c.md", [2]),
      await proposed("fast/b.md", [2]),
      await proposed("fast/a.md", [2]),
    ];
    const page = await openPage(daemon, { to: `/proposals/${third}` });
    await page.locator(`a[href="#/proposals/${first}"]`).waitFor();
    const press = (keys: string) =>
      page.evaluate(`for (const key of "${keys}") dispatchEvent(new KeyboardEvent("keydown", { key }))`);
    await press("jj");
    await page.waitForURL(`**/#/proposals/${first}`);
    await press("kkj");
    await page.waitForURL(`**/#/proposals/${second}`);
  });

  test("[WP76] the shown proposal stays when a newer one arrives", async () => {
    await proposed("first.md", [2]);
    const page = await openPage(daemon, { to: "/proposals" });
    const shown = page.locator("#proposal-title");
    await shown.getByText("first.md").waitFor();
    const newer = await proposed("newer.md", [2]);
    await page.locator(`a[href="#/proposals/${newer}"]`).waitFor();
    expect(await shown.textContent()).toBe("first.md");
  });

  test("[WP38] a reader sees the proposal, and why they cannot decide", async () => {
    const id = await proposed("read.md", [2, 20]);
    const token = await tokenFor(folder.root, "reader", "**=read");
    const page = await openPage(daemon, { token, to: `/proposals/${id}` });
    await page.getByText("You have only read permission for read.md. This needs write permission.").waitFor();
    for (const name of ["Approve all", "Reject …"]) expect(await button(page, name).isDisabled()).toBe(true);
    await page.keyboard.press("a");
    await page.keyboard.press("r");
    expect(await page.getByLabel("Why do you reject it?").count()).toBe(0);
    expect(await writer.request("proposal.get", { id })).toMatchObject({ status: "pending" });
  });
});

test("[WP71] a long diff is cut until the person asks for more, and is copied without numbers and signs", async () => {
  const text = (word: string) => Array.from({ length: 1200 }, (_, i) => `${word} ${i}\n`).join("");
  await writer.request("doc.create", { path: "long.md", text: text("old") });
  const wish = { path: "long.md", operation: "full_replace", proposed_value: text("new") } as const;
  const { id } = await writer.request("proposal.create", wish);
  const page = await openPage(daemon, { to: `/proposals/${id}` });
  const lines = page.locator(".diff-line");
  await page.getByText("new 799", { exact: true }).waitFor();
  expect(await lines.count()).toBe(2000);
  await button(page, "Show all 2400 lines").click();
  await expect.poll(() => lines.count()).toBe(2400);
  const copied = await page.evaluate<string>(`
    getSelection().selectAllChildren(document.querySelector(".diff-lines"));
    getSelection().toString();
  `);
  expect(copied.trim().split(/\n+/)).toEqual(`${text("old")}${text("new")}`.trim().split("\n"));
});

describe("edits to confirm", () => {
  const patch = "@@ -1,3 +1,3 @@\n line 29\n-line 30\n+LINE 30\n line 31\n";

  further("[WP37] are shown with their warnings, and applied under their author's name", async () => {
    await writer.request("doc.create", { path: "confirm.md", text: LINES });
    const page = await openPage(daemon, { to: "/proposals" });
    const asking = writer.request("edit.patch", { path: "confirm.md", patch, message: "Louder" });
    await expect(asking).rejects.toMatchObject({ code: "CONFIRMATION_REQUIRED" });
    const rows = page.getByLabel("Proposals", { exact: true });
    await rows.getByText("Edits to confirm").waitFor();
    await rows.getByText("min left").click();
    await page.getByText("hunk 1 (line 29) was found 28 lines from where the patch says").waitFor();
    await button(page, "Apply (a)").click();
    await page.getByText(/^Applied by /).waitFor();
    expect(await read("confirm.md")).toBe(LINES.replace("line 30\n", "LINE 30\n"));
    const { changes } = await writer.request("history.list", { path: "confirm.md", limit: 1 });
    expect(changes[0]).toMatchObject({
      author: "writer",
      message: expect.stringMatching(/^Louder \(confirmed by /),
    });
    await button(page, "Undo").click();
    await page.getByText("Undid writer’s change in confirm.md").waitFor();
    expect(await read("confirm.md")).toBe(LINES);
  });

  test("[WP37] end when their document changes, and the page says so", async () => {
    await writer.request("doc.create", { path: "gone.md", text: LINES });
    const made = await writer.request("preview.create", {
      method: "edit.patch",
      params: { path: "gone.md", patch },
    });
    const page = await openPage(daemon, { to: `/proposals/${made.patch_id}` });
    await button(page, "Apply (a)").waitFor();
    await writer.request("edit.append", { path: "gone.md", text: "more\n" });
    await page.getByText("This edit is no longer pending").waitFor();
  });
});

/** Opens a page that never gets some notifications, as if they were still on their way. */
async function openPageWithout(methods: readonly string[], to: string): Promise<Page> {
  const page = await openPage(daemon, { alone: true });
  await page.routeWebSocket(/\/rpc$/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      const { method } = JSON.parse(String(message)) as { method?: string };
      if (method === undefined || !methods.includes(method)) socket.send(message);
    });
  });
  await page.goto(`${daemon.located.url}/?again#${to}`);
  return page;
}
