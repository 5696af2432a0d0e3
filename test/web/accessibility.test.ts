import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import type { ServedFolder } from "../e2e/daemon.ts";
import { type Folder, makeFolder } from "../e2e/folder.ts";
import { LONG } from "../e2e/long.ts";
import { serveFolder } from "../e2e/served.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { COLOUR_RULES, loadAxe, RULES, showIn, violations } from "./axe.ts";
import { openPage } from "./browser.ts";

const LINES = `${Array.from({ length: 60 }, (_, i) => `line ${i + 1}`).join("\n")}\n`;

/** The greatest sum of movements, as browsers measure them; 0.1 is still called good. */
const MOST_SHIFT = 0.05;

let folder: Folder;
let daemon: ServedFolder;
let writer: Client;
const ids = { open: "", approved: "", rejected: "", conflict: "", thread: "", loose: "" };

beginShared(async () => {
  folder = makeFolder({
    "plan.md": LINES,
    "other.md": LINES,
    "deep/in/folders/notes.md": "hello\n",
    "picture.png": "\u0000\u0001",
  });
  daemon = await serveFolder(folder.root);
  writer = await daemon.connect({ name: "writer" });
  const other = await daemon.connect({ name: "other" });
  for (const path of ["plan.md", "other.md"]) await writer.doc.read({ path });
  const louder = (path: string, lines: readonly number[]) =>
    writer.proposal.create({
      path,
      operation: "full_replace",
      proposed_value: lines.reduce((text, n) => text.replace(`line ${n}\n`, `LINE ${n}\n`), LINES),
      reasoning: "Louder",
      source_query: "Can it be louder?",
    });
  ids.conflict = (await louder("plan.md", [20, 40])).id;
  ids.open = (await louder("other.md", [2, 30, 58])).id;
  ids.approved = (await louder("other.md", [4])).id;
  ids.rejected = (await louder("other.md", [6])).id;
  await other.proposal.approve({ id: ids.approved });
  await other.proposal.reject({ id: ids.rejected, reason: "not now" });
  await writer.edit.replace({ path: "plan.md", old: "line 20\n", new: "Line twenty\n", message: "Words" });
  await writer.checkpoint.create({ name: "before" });
  const { changeId } = await other.edit.append({ path: "plan.md", text: "more\n" });
  await other.undo({ changeId: changeId! });
  await other.presence.set({ path: "plan.md", from: 3, to: 3 });
  ids.thread = await answered(writer);
  ids.loose = (await writer.thread.append({ bundle: "day", role: "user", text: "What is first?" })).thread;
});

/** Adds a thread about a line, with an answer that has each kind of part, a change and a proposal. */
async function answered(client: Client): Promise<string> {
  const { thread, messageId } = await client.thread.append({
    path: "deep/in/folders/notes.md",
    role: "user",
    text: "Is this polite enough?",
    anchor: { from: 0, to: 5 },
  });
  const answers = { thread, messageId };
  const { leaseId } = await client.thread.lease({ thread });
  await client.thread.part({
    leaseId,
    parts: [
      { kind: "thought", text: "It could be warmer." },
      { kind: "tool", id: "1", title: "Reads the style guide", status: "completed" },
      { kind: "tool", id: "2", title: "Looks into the archive", status: "failed", paths: ["plan.md"] },
      {
        kind: "plan",
        steps: [
          { text: "Greet", status: "completed" },
          { text: "Sign", status: "in_progress" },
          { text: "Send", status: "pending" },
        ],
      },
      { kind: "text", text: "I made it warmer, and propose" },
    ],
  });
  await client.edit.append({ path: "deep/in/folders/notes.md", text: "dear reader\n", ...answers });
  await client.proposal.create({
    path: "deep/in/folders/notes.md",
    operation: "replace",
    old_content: "dear reader\n",
    proposed_value: "dear friend\n",
    reasoning: "Even warmer",
    ...answers,
  });
  await client.thread.release({ leaseId, incomplete: "failed" });
  return thread;
}

/** Shows a thread while somebody answers. */
async function showAnswering(page: Page): Promise<void> {
  const { thread } = await writer.thread.append({ path: "other.md", role: "user", text: "Shorten it." });
  const { leaseId } = await writer.thread.lease({ thread });
  const parts = [
    { kind: "thought", text: "Which lines?" },
    { kind: "tool", id: "1", title: "Reads other.md", status: "in_progress" },
    { kind: "text", text: "I begin" },
  ] as const;
  await writer.thread.part({ leaseId, parts: [...parts] });
  await page.goto(`${daemon.located.url}/#/doc/other.md?thread=${thread}`);
  await page.getByText("I begin").waitFor();
}

interface Shown {
  readonly to: string;
  /** A text that appears once the view is complete. */
  readonly has: string;
  /** Brings the view into the state that is checked. */
  readonly act?: (page: Page) => Promise<void>;
}

/** Every view, in its states. */
const VIEWS = (): readonly Shown[] => [
  { to: "/", has: "Active in the last hour" },
  { to: "/doc/plan.md", has: "line 3" },
  { to: "/doc/plan.md?thread=all", has: "No threads yet" },
  { to: "/doc/deep/in/folders/notes.md?thread=all", has: "incomplete answer" },
  { to: "/doc/plan.md?thread=thr_none", has: "No such thread" },
  {
    to: `/doc/deep/in/folders/notes.md?thread=${ids.thread}`,
    has: "Even warmer",
    act: async (page) => {
      await page.locator(".answer-work .change-open").first().click();
      await page.locator(".answer-work .diff").first().waitFor();
    },
  },
  { to: "/doc/other.md", has: "line 3", act: showAnswering },
  {
    to: "/doc/plan.md",
    has: "line 3",
    act: async (page) => {
      await page.locator(".cm-line").nth(2).click();
      await page.keyboard.press("Shift+Home");
      await page.getByRole("button", { name: "Ask about this" }).waitFor();
    },
  },
  { to: "/doc/plan.md", has: "line 3", act: (page) => page.keyboard.press("Alt+b") },
  { to: "/doc/none.md", has: "No such document" },
  { to: "/doc/picture.png", has: "This is not a text file" },
  { to: "/timeline/plan.md", has: "unchanged lines" },
  { to: `/proposals/${ids.open}`, has: "Change 3" },
  { to: `/proposals/${ids.conflict}`, has: "Proposed" },
  { to: `/proposals/${ids.approved}`, has: "Approved by" },
  { to: `/proposals/${ids.rejected}`, has: "not now" },
  { to: "/activity", has: "These are all changes" },
  {
    to: "/activity",
    has: "These are all changes",
    act: async (page) => {
      await page.getByRole("button", { name: "Checkpoints" }).click();
      await page.getByText("before", { exact: true }).waitFor();
    },
  },
  { to: `/threads/${ids.loose}`, has: "What is first?" },
  { to: "/notices", has: "did not fit" },
  { to: "/health", has: "This workspace" },
  {
    to: "/health",
    has: "This workspace",
    act: async (page) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("option", { name: "Overview" }).waitFor();
      await page.keyboard.type("twenty");
      await page.getByRole("option", { name: "plan.md:20" }).waitFor();
    },
  },
];

/** Returns how far the parts of the page have moved since it was loaded. */
function shiftOf(page: Page): Promise<number> {
  return page.evaluate(`new Promise((resolve) => {
    let sum = 0;
    const add = (list) => {
      for (const { value } of list.getEntries()) sum += value;
    };
    new PerformanceObserver(add).observe({ type: "layout-shift", buffered: true });
    setTimeout(() => resolve(sum), 50);
  })`);
}

describe("accessibility", () => {
  // Each view is light and dark, the views by turns wide and narrow; in the long form each is both.
  for (const { width, loaded, switched, turn } of [
    { width: 1440, loaded: "light", switched: "dark", turn: 0 },
    { width: 420, loaded: "dark", switched: "light", turn: 1 },
  ] as const)
    (width === 420 ? test : further)(
      `[WP100, WP101] every view passes axe, light and dark, and does not move while it loads: ${width} px`,
      async () => {
        const page = await openPage(daemon, { width, height: 900 });
        await page.getByText("Active in the last hour").waitFor();
        const late = await daemon.connect({ name: "late" });
        await late.edit.replace({ path: "plan.md", old: "not there", new: "x" }).catch(() => undefined);
        await page.getByRole("main").getByText("did not fit").waitFor();
        for (const [i, { to, has, act }] of VIEWS().entries()) {
          if (!LONG && i % 2 !== turn) continue;
          await showIn(page, loaded);
          // Another query makes the browser load the page anew, in the process that has it.
          await page.goto(`${daemon.located.url}/?${i}#${to}`);
          await page.locator("main").getByText(has).first().waitFor();
          expect(await shiftOf(page), `movement of ${to}`).toBeLessThan(MOST_SHIFT);
          await act?.(page);
          await loadAxe(page);
          expect(await violations(page, RULES), `${to}, ${loaded}`).toEqual([]);
          await showIn(page, switched);
          expect(await violations(page, COLOUR_RULES), `${to}, ${switched}`).toEqual([]);
        }
      },
    );
});
