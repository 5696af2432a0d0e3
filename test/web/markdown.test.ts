import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { ServedFolder } from "../e2e/daemon.ts";
import { type Folder, makeFolder } from "../e2e/folder.ts";
import { serveFolder } from "../e2e/served.ts";
import { tokenFor } from "../e2e/token.ts";
import { until } from "../e2e/until.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { openPage } from "./browser.ts";

let folder: Folder;
let daemon: ServedFolder;

const STUDENT = [
  "# Who the student is.",
  "[personal]",
  'full_name = "Alex"  # as on the pass',
  "age = 1_8",
  "",
  "[academic]",
  'strengths = ["maths", "chess"]',
  "",
].join("\r\n");

beginShared(async () => {
  folder = makeFolder();
  daemon = await serveFolder(folder.root);
});

async function shown(name: string, text: string, token?: string): Promise<Page> {
  folder.write(name, text);
  return openPage(daemon, { to: `/markdown/${name}`, ...(token !== undefined && { token }) });
}

/** Selects the first line of the view that has exactly this text, and types over it. */
async function retype(page: Page, line: string, text: string): Promise<void> {
  await page.locator(".cm-line").getByText(line, { exact: true }).first().click();
  await page.keyboard.press("End");
  await page.keyboard.press("Shift+Home");
  await page.keyboard.type(text);
}

const file = (name: string, content: string) =>
  until(
    `${name} holds it`,
    () => folder.read(name),
    (seen) => seen === content,
  );
const save = (page: Page) => page.getByRole("button", { name: "Save" }).click();
const linesOf = (page: Page) => page.locator(".cm-line").allTextContents();

describe("a TOML document as Markdown on the page", () => {
  further("[WP89] an edited value is saved, and all other bytes stay, also after a reload", async () => {
    folder.write("student.toml", STUDENT);
    const page = await openPage(daemon, { to: "/doc/student.toml" });
    await page.getByRole("link", { name: "Markdown" }).click();
    await retype(page, "Alex", "Alex Chen");
    await page.keyboard.press("Control+s");
    const saved = STUDENT.replace("Alex", "Alex Chen");
    await file("student.toml", saved);
    await page.reload();
    await page.getByText("Alex Chen").waitFor();
    expect(await linesOf(page)).toEqual([
      ...["---", "block: student", "---", "", "## Personal", "", "### Full Name", "Alex Chen", "", "### Age"],
      ...["1_8", "", "## Academic", "", "### Strengths", "- maths", "- chess", ""],
    ]);
  });

  further("[WP89] an edit is merged with the changes that others made meanwhile", async () => {
    const page = await shown("merged.toml", STUDENT);
    await retype(page, "- chess", "- go");
    const agent = await daemon.connect({ name: "writer" });
    await agent.request("edit.set", { path: "merged.toml", key: ["personal", "age"], value: 19 });
    await page.getByText("The document has changed since.").waitFor();
    await save(page);
    await file("merged.toml", STUDENT.replace("1_8", "19").replace("chess", "go"));
    await page.locator(".cm-line").getByText("19", { exact: true }).waitFor();
  });

  test("[WP89] a view without an edit follows the document", async () => {
    const page = await shown("followed.toml", "a = 1\n");
    await page.locator(".cm-line").getByText("1", { exact: true }).waitFor();
    folder.write("followed.toml", "a = 2\n");
    await page.locator(".cm-line").getByText("2", { exact: true }).waitFor();
  });

  test("[WP90, MV11] a refused edit stays on the page with its reason, also in other views", async () => {
    const page = await shown("refused.toml", "a = 1\n");
    await retype(page, "block: refused", "block: other");
    await save(page);
    await page.getByText("block is the name of the file").waitFor();
    expect(await linesOf(page)).toContain("block: other");
    await page.getByRole("link", { name: "Timeline" }).click();
    await page.getByRole("link", { name: "Markdown" }).click();
    await page.locator(".cm-line").getByText("block: other").waitFor();
    await page.getByRole("button", { name: "Discard" }).click();
    await page.locator(".cm-line").getByText("block: refused").waitFor();
    await retype(page, "1", "one");
    await save(page);
    await page.getByText("this field is a number").waitFor();
    expect(folder.read("refused.toml")).toBe("a = 1\n");
  });

  further("[WP89] a person who may only propose makes a proposal, and a reader changes nothing", async () => {
    const proposer = await tokenFor(folder.root, "proposer", "**=propose");
    const page = await shown("proposed.toml", "a = 1\n", proposer);
    await retype(page, "1", "2");
    await page.getByRole("button", { name: "Propose" }).click();
    await page.getByText("Proposed. The document changes").waitFor();
    const owner = await daemon.connect({ name: "owner" });
    const { proposals } = await owner.request("proposal.list", { path: "proposed.toml" });
    expect(proposals).toMatchObject([{ status: "pending" }]);
    const reader = await shown("proposed.toml", "a = 1\n", await tokenFor(folder.root, "reader", "**=read"));
    await reader.getByText("You can read this document but not edit it here.").waitFor();
    await reader.locator(".cm-line").getByText("1", { exact: true }).click();
    await reader.keyboard.type("2");
    expect(await linesOf(reader)).toContain("1");
  });

  test("[WP91] a document without a Markdown view says why, and leads to its text", async () => {
    folder.write("plain.md", "# Text\n");
    const page = await openPage(daemon, { to: "/doc/plain.md" });
    await page.getByRole("link", { name: "Timeline" }).waitFor();
    expect(await page.getByRole("link", { name: "Markdown" }).count()).toBe(0);
    await page.goto(`${daemon.located.url}/#/markdown/plain.md`);
    await page.getByText("only .toml documents have a Markdown view").waitFor();
    const large = await shown("large.toml", `# ${"x".repeat(1 << 20)}\na = 1\n`);
    await large.getByText("No Markdown for this document").waitFor();
    expect(await large.locator(".cm-content").count()).toBe(0);
    await large.getByRole("link", { name: "Edit its text" }).click();
    await large.locator(".cm-content").waitFor();
  });

  further("[WP89] invalid TOML is shown as it is, and mended there", async () => {
    const page = await shown("broken.toml", "a = \n");
    await retype(page, "a =", "a = 1");
    await save(page);
    await file("broken.toml", "a = 1\n");
    await page.getByText("## A").waitFor();
  });
});
