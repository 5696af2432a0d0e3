// The README's picture of the page, from a real run: `npm run pictures`.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import chromium from "@sparticuz/chromium";
import { type Page, chromium as playwright } from "playwright-core";
import { connect } from "../../src/client/index.ts";
import { startDaemon } from "../../src/daemon/daemon.ts";

const PLAN = `# Launch plan

We announce on Monday. Everything below is done by Friday noon, or it waits for
the next release.

## Before the announcement

- [ ] The installer runs on a fresh laptop, offline.
- [ ] The first minute of the guide was typed by somebody who never saw it.
- [ ] Prices are agreed on.

## The words

One file, many hands: you write in your editor, agents write beside you, and
nobody's work is lost.

## After it

- Answer every question within a day.
- Collect what people stumble over, and mend the three worst things.
`;

const FILES: Readonly<Record<string, string>> = {
  "launch/plan.md": PLAN,
  "launch/press.md": "# Press\n\nDraft of the announcement.\n",
  "launch/questions.md": "# Questions\n\n- Does it work offline?\n",
  "guide/first-minute.md": "# The first minute\n\nOpen a file, and let an agent edit it.\n",
  "guide/agents.md": "# Agents\n\nConnect yours over MCP.\n",
  "site/index.html": "<h1>spliced</h1>\n",
  "site/style.css": "body { margin: 0 }\n",
  "src/price.ts": "export const PRICE = 12;\n",
  "src/price.test.ts": 'import { PRICE } from "./price.ts";\n',
  "settings.toml": 'name = "launch"\n',
  "README.md": "# Launch\n",
};

const parent = realpathSync(mkdtempSync(join(tmpdir(), "spliced-")));
const root = join(parent, "launch");
for (const [path, text] of Object.entries(FILES)) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
const daemon = await startDaemon({ root, port: 0 });
try {
  await beginWork();
  await takePictures();
} finally {
  await daemon.close();
  rmSync(parent, { recursive: true, force: true });
}

/** Two agents and a person at their editor, as on any morning. */
async function beginWork(): Promise<void> {
  const claude = await connect({ folder: root, name: "claude" });
  const codex = await connect({ folder: root, name: "codex" });
  const path = "launch/plan.md";
  await claude.edit.replace({
    path,
    old: "on Monday",
    new: "on Tuesday, at ten",
    message: "The press asked for a day more",
  });
  await codex.edit.replace({
    path,
    old: "- [ ] Prices are agreed on.\n",
    new: "- [x] Prices are agreed on: see src/price.ts.\n- [ ] The page loads at once with ten thousand files.\n",
    message: "Prices are in, and one more check",
  });
  execFileSync("sed", ["-i", "s/within a day/within two hours, on the first day/", join(root, path)]);
  await claude.doc.read({ path });
  await codex.edit.replace({
    path: "src/price.ts",
    old: "12",
    new: "9",
    message: "As agreed on in the plan",
  });
  await claude.edit.append({
    path: "launch/questions.md",
    text: "- Can two agents edit one file? Yes.\n",
    message: "Answers from the forum",
  });
  await claude.proposal.create({
    path,
    operation: "replace",
    old_content: "nobody's work is lost.",
    proposed_value: "nobody's work is lost, not even an unsaved minute of it.",
    reasoning: "Readers asked what happens to text that is not saved yet.",
    confidence: "high",
  });
  await codex.proposal.create({
    path: "launch/press.md",
    operation: "append",
    proposed_value: "\nAvailable today, for Linux and macOS.\n",
    reasoning: "The draft does not say where it runs.",
  });
  await Promise.all([claude.close(), codex.close()]);
}

async function takePictures(): Promise<void> {
  const executablePath = await chromium.executablePath();
  const browser = await playwright.launch({ executablePath, args: ["--no-sandbox", "--headless=shell"] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, deviceScaleFactor: 1.5 });
  await page.goto(daemon.invite());
  await go(page, "#/doc/launch/plan.md");
  await page.locator(".cm-content").click();
  await page.keyboard.press("Alt+b");
  await page.locator(".cm-blame-mark time").first().waitFor();
  const claude = await connect({ folder: root, name: "claude" });
  await claude.edit.replace({
    path: "launch/plan.md",
    old: "One file, many hands",
    new: "One folder, many hands",
    message: "It is about folders",
  });
  await page.getByText("One folder, many hands").waitFor();
  await page.getByText("Saved", { exact: true }).waitFor();
  await page.screenshot({ path: join(import.meta.dirname, "page-document.png") });
  await claude.close();
  await go(page, "#/proposals");
  await page.screenshot({ path: join(import.meta.dirname, "page-proposals.png") });
  await browser.close();
}

async function go(page: Page, to: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(to)}`);
  await page.waitForLoadState("networkidle");
}
