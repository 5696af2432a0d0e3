import { existsSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import type { ServedFolder } from "../e2e/daemon.ts";
import { type Folder, makeFolder } from "../e2e/folder.ts";
import { serveFolder } from "../e2e/served.ts";
import { until } from "../e2e/until.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { openPage } from "./browser.ts";

const LINES = `${Array.from({ length: 40 }, (_, i) => `line ${i + 1}`).join("\n")}\n`;
const LOUD = LINES.replace("line 2\n", "LINE 2\n").replace("line 38\n", "LINE 38\n");

let folder: Folder;
let daemon: ServedFolder;
let writer: Client;

beginShared(async () => {
  folder = makeFolder();
  daemon = await serveFolder(folder.root);
  writer = await daemon.connect({ name: "writer" });
  await writer.subscribe({ threads: true });
});

const button = (page: Page, name: string) => page.getByRole("button", { name });

/** The changes of a set in a folder of its own, whose documents this creates. */
async function filesIn(at: string) {
  await writer.doc.create({ path: `${at}/a.md`, text: LINES });
  await writer.doc.create({ path: `${at}/b.md`, text: "bee\n" });
  await writer.doc.create({ path: `${at}/c.md`, text: "sea\n" });
  return [
    { path: `${at}/a.md`, operation: "edit" as const, text: LOUD, version: "latest" },
    { path: `${at}/new.md`, operation: "create" as const, text: "quite new\n" },
    { path: `${at}/b.md`, operation: "delete" as const },
    { path: `${at}/c.md`, operation: "rename" as const, to: `${at}/d.md` },
  ];
}

const isThere = (...paths: string[]) => paths.map((path) => existsSync(folder.at(path)));

describe("a proposal of several files", () => {
  further(
    "[WP130] is one row, shows each file, and is approved in part, as a whole, and undone as one",
    async () => {
      const { id } = await writer.proposal.create({ files: await filesIn("set"), reasoning: "Tidy up" });
      const page = await openPage(daemon, { to: "/proposals" });
      const row = page.locator(`a[href="#/proposals/${id}"]`);
      for (const words of ["writer", "Tidy up", "4 files"]) await row.getByText(words).waitFor();
      await row.click();
      const pane = page.locator(".proposal-pane");
      await pane.getByRole("heading", { name: "4 files" }).waitFor();
      await pane.locator("ins", { hasText: "quite new" }).waitFor();
      await pane.locator("del", { hasText: "bee" }).waitFor();
      await pane.locator(".proposed-rename", { hasText: "set/c.md → set/d.md" }).waitFor();
      expect(await pane.getByRole("checkbox").count()).toBe(5);

      await pane.getByLabel("Change 2").uncheck();
      await pane.getByLabel("Include set/b.md").uncheck();
      await pane.getByLabel("Include set/c.md").uncheck();
      await button(page, "Approve 2 of 5 changes").click();
      await page.getByText("approved part of this").waitFor();
      expect(folder.read("set/a.md")).toBe(LINES.replace("line 2\n", "LINE 2\n"));
      expect(isThere("set/new.md", "set/b.md", "set/d.md")).toEqual([true, true, false]);

      await pane.getByRole("region", { name: "new file: set/new.md" }).getByText("approved").waitFor();
      await page.keyboard.press("a");
      await pane.getByText("Approved by").waitFor();
      expect(folder.read("set/a.md")).toBe(LOUD);
      expect(isThere("set/new.md", "set/b.md", "set/d.md")).toEqual([true, false, true]);
      await pane.getByRole("button", { name: "Undo" }).click();
      await expect.poll(() => isThere("set/b.md", "set/c.md", "set/d.md")).toEqual([true, true, false]);
      await expect.poll(() => folder.read("set/a.md")).toBe(LINES.replace("line 2\n", "LINE 2\n"));
    },
  );

  test("[WP130, WP36] with a file that does not fit names it, and the keyboard excludes it", async () => {
    const files = (await filesIn("keys")).slice(1, 3);
    const { id } = await writer.proposal.create({ files, reasoning: "Two" });
    const page = await openPage(daemon, { to: `/proposals/${id}` });
    await writer.edit.append({ path: "keys/b.md", text: "more\n" });
    await page.getByText("was changed since").first().waitFor();
    await expect.poll(() => button(page, "Approve all").isDisabled()).toBe(true);
    await page.keyboard.press("n");
    await page.keyboard.press("n");
    await page.keyboard.press("x");
    await button(page, "Approve 1 of 2 changes").waitFor();
    await page.keyboard.press("a");
    await page.getByText("approved part of this").waitFor();
    expect(isThere("keys/new.md", "keys/b.md")).toEqual([true, true]);
  });

  test("[WP131] names the proposals that its approval made obsolete", async () => {
    const [edit] = await filesIn("old");
    const { id } = await writer.proposal.create({ files: [edit!], reasoning: "First" });
    const other = { ...edit!, text: LINES.replace("line 2\n", "second\n") };
    await writer.proposal.create({ files: [other], reasoning: "Second" });
    const page = await openPage(daemon, { to: `/proposals/${id}` });
    await button(page, "Approve all").click();
    await page.getByText("1 other proposal does not fit any more: writer’s for old/a.md.").waitFor();
  });
});

describe("changes that stand together", () => {
  test("[WP134] are split, and decided one by one", async () => {
    await writer.doc.create({ path: "near.md", text: LINES });
    const { id } = await writer.proposal.create({
      path: "near.md",
      operation: "full_replace",
      proposed_value: LINES.replace("line 2\n", "LINE 2\n").replace("line 4\n", "LINE 4\n"),
      version: "latest",
    });
    const page = await openPage(daemon, { to: `/proposals/${id}` });
    await button(page, "Split changes to decide on each alone").click();
    await page.getByLabel("Change 1").uncheck();
    await button(page, "Approve 1 of 2 changes").click();
    await page.getByText("approved part of this").waitFor();
    expect(folder.read("near.md")).toBe(LINES.replace("line 4\n", "LINE 4\n"));
    await button(page, "Join changes and show the lines around them").click();
    await page.locator(".diff-line.same").first().waitFor();
  });
});

describe("comments", () => {
  test("[WP133] on a proposal are seen by its author, and the answer appears below", async () => {
    const { id } = await writer.proposal.create({ files: await filesIn("talk"), reasoning: "Discuss" });
    const page = await openPage(daemon, { to: `/proposals/${id}` });
    const comments = page.getByRole("region", { name: "Comments" });
    await comments.getByRole("textbox").fill("Is b.md not needed?");
    await comments.getByRole("button", { name: "Send" }).click();
    const thread = await until("the comment is there", async () => {
      return (await writer.thread.list({ proposal: id })).threads[0]?.id;
    });
    await comments.getByText("Is b.md not needed?").waitFor();
    await writer.thread.append({ thread: thread!, role: "assistant", text: "Nobody reads it." });
    await comments.getByText("Nobody reads it.").waitFor();
    await page.reload();
    await comments.getByText("Nobody reads it.").waitFor();
  });
});

describe("an answer that changes several files", () => {
  further("[WP132] shows each difference of its proposal, which is approved and undone as one", async () => {
    const files = await filesIn("bundle");
    const { thread, messageId } = await writer.thread.append({
      path: "bundle/a.md",
      role: "user",
      text: "Tidy up, please.",
    });
    const { leaseId } = await writer.thread.lease({ thread });
    await writer.proposal.create({ files, reasoning: "All at once", thread, messageId });
    await writer.thread.append({ thread, role: "assistant", text: "See here.", leaseId });
    const page = await openPage(daemon, { to: `/doc/bundle/a.md?thread=${thread}` });
    const proposal = page.getByRole("region", { name: "Proposal for bundle/a.md and 3 more files" });
    await proposal.locator("ins", { hasText: "quite new" }).waitFor();
    await proposal.locator("ins", { hasText: "LINE 38" }).waitFor();
    await proposal.getByRole("button", { name: "Approve all" }).click();
    await proposal.getByText("approved", { exact: true }).first().waitFor();
    expect(isThere("bundle/new.md", "bundle/b.md", "bundle/d.md")).toEqual([true, false, true]);
    await proposal.getByRole("button", { name: "Undo" }).click();
    await expect
      .poll(() => isThere("bundle/new.md", "bundle/b.md", "bundle/d.md"))
      .toEqual([false, true, false]);
    await expect.poll(() => folder.read("bundle/a.md")).toBe(LINES);
  });

  further(
    "[WP141] one hunk of two is approved where the answer stands, and the other rejected with the reason",
    async () => {
      const [edit] = await filesIn("drawer");
      const { thread, messageId } = await writer.thread.append({
        path: "drawer/a.md",
        role: "user",
        text: "Louder, please.",
      });
      const { leaseId } = await writer.thread.lease({ thread });
      const answers = { thread, messageId };
      const { id } = await writer.proposal.create({ files: [edit!], reasoning: "Louder", ...answers });
      await writer.thread.append({ thread, role: "assistant", text: "Like this?", leaseId });
      const page = await openPage(daemon, { to: `/doc/drawer/a.md?thread=${thread}` });
      const proposal = page.getByRole("region", { name: "Proposal for drawer/a.md" });
      await proposal.getByLabel("Change 2").uncheck();
      await proposal.getByRole("button", { name: "Approve 1, reject the rest …" }).click();
      await proposal.getByRole("textbox", { name: "Why do you reject the rest?" }).fill("38 is a quotation");
      await proposal.getByRole("button", { name: "Approve 1, reject the rest (Enter)" }).click();
      await proposal.getByText("partly approved", { exact: true }).first().waitFor();
      expect(folder.read("drawer/a.md")).toBe(LINES.replace("line 2\n", "LINE 2\n"));
      expect(await writer.proposal.get({ id })).toMatchObject({
        status: "rejected",
        reason: "38 is a quotation",
        approvals: [{ reviewer: expect.any(String) }],
      });
      await proposal.getByText("38 is a quotation").waitFor();
    },
  );

  further("[WP141] keys of the document do not decide the proposals in the drawer", async () => {
    const [edit] = await filesIn("keyless");
    const { thread, messageId } = await writer.thread.append({
      path: "keyless/a.md",
      role: "user",
      text: "Louder, please.",
    });
    const { id } = await writer.proposal.create({ files: [edit!], thread, messageId });
    const page = await openPage(daemon, { to: `/doc/keyless/a.md?thread=${thread}` });
    const proposal = page.getByRole("region", { name: "Proposal for keyless/a.md" });
    await proposal.getByLabel("Change 1").focus();
    for (const key of ["x", "r", "a"]) await page.keyboard.press(key);
    await proposal.getByRole("button", { name: "Approve all" }).waitFor();
    expect(await proposal.getByRole("textbox").count()).toBe(0);
    expect((await writer.proposal.get({ id })).status).toBe("pending");
  });

  further(
    "[WP132, UN9] shows the differences of its changes, which are undone as one or not at all",
    async () => {
      await filesIn("edits");
      const { thread, messageId } = await writer.thread.append({
        path: "edits/a.md",
        role: "user",
        text: "Change both.",
      });
      const { leaseId } = await writer.thread.lease({ thread });
      const answers = { thread, messageId, version: "latest" };
      await writer.edit.replace({ path: "edits/a.md", old: "line 5\n", new: "five\n", ...answers });
      await writer.edit.replace({ path: "edits/b.md", old: "bee", new: "wasp", ...answers });
      await writer.thread.append({ thread, role: "assistant", text: "Done.", leaseId });
      const page = await openPage(daemon, { to: `/doc/edits/a.md?thread=${thread}` });
      const other = await daemon.connect({ name: "other" });
      await other.edit.replace({ path: "edits/b.md", old: "wasp", new: "hornet" });
      await button(page, "Undo all changes of this answer").click();
      await page.getByText("Could not undo the change").waitFor();
      expect([folder.read("edits/a.md").includes("five"), folder.read("edits/b.md")]).toEqual([
        true,
        "hornet\n",
      ]);
      await other.undo({});
      await button(page, "Undo all changes of this answer").click();
      await until("both are undone", async () => folder.read("edits/b.md") === "bee\n");
      expect(folder.read("edits/a.md")).toBe(LINES);
      await button(page, "Make all changes of this answer again").click();
      await until("both are made again", async () => folder.read("edits/b.md") === "wasp\n");
      expect(folder.read("edits/a.md")).toContain("five");
    },
  );
});
