import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { type ServedFolder, startDaemon } from "../e2e/daemon.ts";
import { type Folder, makeFolder } from "../e2e/folder.ts";
import { serveFolder } from "../e2e/served.ts";
import { until } from "../e2e/until.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { openPage } from "./browser.ts";

const TEXT = "# Plan\n\nWe meet on Monday.\nWe eat on Tuesday.\nWe leave on Friday.\n";

let folder: Folder;
let daemon: ServedFolder;
let agent: Client;
let made = 0;

beginShared(async () => {
  folder = makeFolder();
  daemon = await serveFolder(folder.root);
  agent = await daemon.connect({ name: "claude" });
  await agent.subscribe({ threads: true });
});

/** Opens the threads of a new document on a page. */
async function shown(to = "?thread=all"): Promise<{ readonly path: string; readonly page: Page }> {
  const path = `plan${made++}.md`;
  await agent.doc.create({ path, text: TEXT });
  const page = await openPage(daemon, { to: `/doc/${path}${to}` });
  return { path, page };
}

const drawer = (page: Page) => page.getByRole("complementary", { name: "Threads" });
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const composer = (page: Page) => drawer(page).getByRole("textbox", { name: /message/ });

/** Returns the thread of a document once it waits. */
async function waiting(path: string): Promise<string> {
  const found = await until("the thread waits", async () => {
    const { threads } = await agent.thread.list({ path, status: "waiting" });
    return threads[0]?.id;
  });
  return found!;
}

const text = (leaseId: string, words: string, author = agent) =>
  author.thread.part({ leaseId, parts: [{ kind: "text", text: words }] });

/** Returns a module that sets the clock of its process forward. */
const clockOf = (days: number) =>
  `data:text/javascript,${encodeURIComponent(`const now=Date.now;Date.now=()=>now()+${days * 86_400_000}`)}`;

describe("the threads beside a document", () => {
  test("[WP120, WP121, WP123] a whole conversation: a question about selected text, an answer in parts with a change and a proposal, and the decisions", async () => {
    const { path, page } = await shown("");
    await page.getByText("We meet on Monday.").dblclick({ position: { x: 100, y: 8 } });
    await button(page, "Ask about this").click();
    const quote = drawer(page).locator(".composer .thread-quote");
    await quote.getByText(/^\w+$/).waitFor();
    const word = (await quote.textContent())!;
    await page.keyboard.type("Is this day right?");
    await page.keyboard.press("Control+Enter");
    const thread = await waiting(path);
    await drawer(page).getByText("Waits for an answer").waitFor();
    await expect.poll(() => page.locator(".cm-anchor.open").textContent()).toBe(word);

    const { leaseId, messageId } = await agent.thread.lease({ thread });
    await drawer(page).getByText("answers …").waitFor();
    const answers = { thread, messageId };
    await agent.thread.part({
      leaseId,
      parts: [
        { kind: "tool", id: "1", title: "Reads the calendar", status: "completed" },
        { kind: "plan", steps: [{ text: "Move the meeting", status: "in_progress" }] },
        { kind: "text", text: "It is " },
      ],
    });
    await text(leaseId, "a holiday.");
    await drawer(page).getByText("It is a holiday.").waitFor();
    await drawer(page).getByText("Reads the calendar").waitFor();
    await drawer(page).getByText("Plan, 0 of 1 done").waitFor();
    await agent.edit.replace({ path, old: "Monday", new: "Wednesday", ...answers });
    await agent.proposal.create({
      path,
      operation: "replace",
      old_content: "We leave on Friday.",
      proposed_value: "We leave on Saturday.",
      reasoning: "One day more",
      ...answers,
    });
    await agent.thread.append({ thread, role: "assistant", leaseId });
    await expect.poll(() => drawer(page).getByText("answers …").count()).toBe(0);
    await drawer(page).getByText("It is a holiday.").waitFor();

    await drawer(page)
      .getByRole("button", { name: /^claude/ })
      .click();
    await drawer(page).locator("del", { hasText: "We meet on Monday." }).waitFor();
    await button(page, "Undo all changes of this answer").click();
    await until("the change is undone", async () => (await agent.doc.read({ path })).text.includes("Monday"));
    await button(page, "Make all changes of this answer again").click();
    await until("it is made again", async () => (await agent.doc.read({ path })).text.includes("Wednesday"));

    const proposal = drawer(page).getByRole("region", { name: `Proposal for ${path}` });
    // An approval of an outdated difference would change nothing.
    await proposal.getByText("We meet on Wednesday.").waitFor();
    await proposal.getByRole("button", { name: "Approve" }).click();
    await until("the proposal is made", async () =>
      (await agent.doc.read({ path })).text.includes("Saturday"),
    );
    await proposal.getByText("approved", { exact: true }).waitFor();
    await drawer(page).getByText("2 changes").waitFor();
  });

  further(
    "[WP121] a reload in the middle of an answer shows what was sent before, and what follows",
    async () => {
      const { path, page } = await shown();
      await composer(page).fill("Shorten it.");
      await button(page, /^Send/).click();
      const thread = await waiting(path);
      const { leaseId } = await agent.thread.lease({ thread });
      await text(leaseId, "First half, ");
      await drawer(page).getByText("First half,").waitFor();
      await page.reload();
      await drawer(page).getByText("First half,").waitFor();
      await text(leaseId, "second half.");
      await drawer(page).getByText("First half, second half.").waitFor();
      await agent.thread.append({ thread, role: "assistant", leaseId });
      await expect.poll(() => drawer(page).getByText("answers …").count()).toBe(0);
      expect(await drawer(page).getByText("First half, second half.").count()).toBe(1);
    },
  );

  further(
    "[WP122] a draft outlives a refusal, a reload and a restart of the daemon, and leaves when it is sent",
    async () => {
      const own = makeFolder({ "a.md": TEXT });
      const first = await startDaemon(own.root);
      const page = await openPage(first, { to: "/doc/a.md?thread=all" });
      await composer(page).fill("x".repeat(1_100_000));
      await button(page, /^Send/).click();
      await drawer(page).getByText("Your text is kept.").waitFor();
      expect((await composer(page).inputValue()).length).toBe(1_100_000);
      await composer(page).fill("Half a mess");
      await page.reload();
      await expect.poll(() => composer(page).inputValue()).toBe("Half a mess");
      await first.kill();
      await drawer(page).getByText("Disconnected. Your text is kept").waitFor();
      await composer(page).press("End");
      await page.keyboard.type("age");
      expect(await button(page, /^Send/).isDisabled()).toBe(true);
      const second = await serveFolder(own.root, Number(new URL(first.located.url).port));
      await drawer(page).getByText("Ctrl Enter sends").waitFor();
      expect(await composer(page).inputValue()).toBe("Half a message");
      await composer(page).press("Control+Enter");
      await drawer(page).getByText("Waits for an answer").waitFor();
      const client = await second.connect();
      const { threads } = await client.thread.list({ path: "a.md" });
      expect(threads).toMatchObject([{ title: "Half a message", messages: 1 }]);
      await button(page, "All threads").click();
      await drawer(page).getByText("Half a message").waitFor();
      expect(await composer(page).inputValue()).toBe("");
    },
  );

  test("[WP122] a draft about selected text is sent with that text, also after edits of others and a reload", async () => {
    const { path, page } = await shown("");
    await page.locator(".cm-line", { hasText: "Tuesday" }).click();
    await page.keyboard.press("Home");
    await page.keyboard.press("Shift+End");
    await page.keyboard.press("Alt+a");
    await drawer(page).locator(".composer .thread-quote", { hasText: "We eat on Tuesday." }).waitFor();
    await page.reload();
    await drawer(page).locator(".composer .thread-quote", { hasText: "We eat on Tuesday." }).waitFor();
    await agent.edit.replace({ path, old: "# Plan", new: "# The whole plan" });
    await composer(page).fill("Where?");
    await composer(page).press("Control+Enter");
    await expect.poll(() => page.locator(".cm-anchor").allTextContents()).toEqual(["We eat on Tuesday."]);
  });

  test("[WP124] a person stops an answer, which then says that it is incomplete", async () => {
    const { path, page } = await shown();
    await composer(page).fill("Write a lot.");
    await composer(page).press("Control+Enter");
    const thread = await waiting(path);
    const { leaseId } = await agent.thread.lease({ thread });
    const end = agent.on("thread.stop", (asked) => {
      if (asked.leaseId === leaseId) void agent.thread.release({ leaseId, incomplete: "stopped" });
    });
    await text(leaseId, "Chapter one");
    await button(page, "Stop this answer").click();
    await drawer(page).getByText("This answer was stopped before its end.").waitFor();
    await drawer(page).getByText("Chapter one").waitFor();
    expect(await button(page, "Stop this answer").count()).toBe(0);
    end();
  });

  further(
    "[WP124] what the page shows of an answer is there after a kill -9 of the daemon, and says that it was cut off",
    async () => {
      const own = makeFolder({ "a.md": TEXT });
      const first = await startDaemon(own.root);
      const page = await openPage(first, { to: "/doc/a.md?thread=all" });
      await composer(page).fill("Write a lot.");
      await composer(page).press("Control+Enter");
      const bot = await first.connect({ name: "bot" });
      const { threads } = await until(
        "the thread is there",
        () => bot.thread.list({}),
        ({ threads }) => threads.length > 0,
      );
      const { leaseId } = await bot.thread.lease({ thread: threads[0]!.id });
      await text(leaseId, "Chapter one", bot);
      await drawer(page).getByText("Chapter one").waitFor();
      await first.kill();
      await serveFolder(own.root, Number(new URL(first.located.url).port));
      await drawer(page).getByText("This answer was cut off").waitFor();
      expect(await drawer(page).getByText("Chapter one").count()).toBe(1);
    },
  );

  further(
    "[TH3] thirty days after its last message a thread is gone from the page, and one day before it is there",
    async () => {
      const own = makeFolder({ "a.md": TEXT });
      let running = await serveFolder(own.root);
      const bot = await running.connect({ name: "bot" });
      await bot.thread.append({ path: "a.md", role: "user", text: "Who brings the cake?" });
      const laterBy = async (days: number) => {
        await running.stop();
        running = await startDaemon(own.root, { through: ["env", `NODE_OPTIONS=--import ${clockOf(days)}`] });
        return drawer(await openPage(running, { to: "/doc/a.md?thread=all" }));
      };
      await (await laterBy(29)).getByText("Who brings the cake?").waitFor();
      const expired = await laterBy(30.1);
      await expired.getByText("No threads yet").waitFor();
      expect(await expired.getByText("Who brings the cake?").count()).toBe(0);
    },
  );

  further(
    "[WP135] a person asks about several documents; each of them lists the thread, which leads to all of them",
    async () => {
      const { path, page } = await shown("");
      const [other, third] = [`other${made++}.md`, `third${made++}.md`];
      for (const one of [other, third]) await agent.doc.create({ path: one, text: TEXT });
      await page.locator(".cm-line", { hasText: "Tuesday" }).click();
      await page.keyboard.press("Home");
      await page.keyboard.press("Shift+End");
      await page.keyboard.press("Alt+a");
      await composer(page).fill("Do these agree?");
      await button(page, "Ask about another document").click();
      for (const wanted of [third, other]) {
        await page.keyboard.type(wanted.slice(0, -3));
        await drawer(page).getByRole("list", { name: "Documents to add" }).getByText(wanted).waitFor();
        await page.keyboard.press("Enter");
      }
      const chosen = drawer(page)
        .getByRole("list", { name: "Documents of the new thread" })
        .getByRole("listitem");
      await expect.poll(() => chosen.allTextContents()).toEqual([path, third, other]);
      await page.keyboard.press("Escape");
      await page.reload();
      await expect.poll(() => chosen.allTextContents()).toEqual([path, third, other]);
      await button(page, `Do not ask about ${third}`).click();
      await composer(page).press("Control+Enter");
      const thread = await waiting(other);
      const opened = await agent.thread.get({ thread });
      expect(opened.thread.paths).toEqual([path, other]);
      expect(opened.anchors).toMatchObject([{ path, quote: "We eat on Tuesday." }]);
      const links = drawer(page)
        .getByRole("navigation", { name: "Documents of the thread" })
        .getByRole("link");
      await expect.poll(() => links.allTextContents()).toEqual([path, other]);
      await links.getByText(other).click();
      await expect.poll(() => page.url()).toContain(`/doc/${other}?thread=${thread}`);
      await drawer(page).getByText("Do these agree?").first().waitFor();
      await button(page, "All threads").click();
      await drawer(page).getByText("2 documents").waitFor();
    },
  );

  test("[WP132, WP135] an answer about several documents shows their differences, is approved as one and undone as one", async () => {
    const { path, page } = await shown();
    const other = `other${made++}.md`;
    await agent.doc.create({ path: other, text: TEXT });
    await page.getByText("We meet on Monday.").waitFor(); // the text takes the focus when it appears
    await button(page, "Ask about another document").click();
    await page.keyboard.type(other);
    await drawer(page).getByText(other, { exact: true }).waitFor(); // the page learns a moment later that it was made
    await page.keyboard.press("Enter");
    await composer(page).fill("Meet a day later.");
    await composer(page).press("Control+Enter");
    const thread = await waiting(other);
    const { leaseId, messageId } = await agent.thread.lease({ thread });
    const files = [path, other].map((each) => ({
      path: each,
      operation: "edit" as const,
      replace: { old: "Monday", new: "Tuesday" },
    }));
    await agent.proposal.create({ files, thread, messageId });
    await agent.thread.append({ thread, role: "assistant", leaseId, text: "A day later." });
    const proposal = drawer(page).getByRole("region", { name: /^Proposal for/ });
    await expect.poll(() => proposal.locator("ins", { hasText: "Tuesday" }).count()).toBeGreaterThan(1);
    const texts = async () => [
      (await agent.doc.read({ path })).text,
      (await agent.doc.read({ path: other })).text,
    ];
    await proposal.getByRole("button", { name: "Approve" }).click();
    await until("both are changed", async () => (await texts()).every((each) => !each.includes("Monday")));
    await proposal.getByRole("button", { name: /Undo/ }).click();
    await until("both are as before", async () => (await texts()).every((each) => each === TEXT));
  });

  further("[WP124] an answer whose author goes away stays, and says so", async () => {
    const { path, page } = await shown();
    await composer(page).fill("Write a lot.");
    await composer(page).press("Control+Enter");
    const thread = await waiting(path);
    const other = await daemon.connect({ name: "fleeting" });
    const { leaseId } = await other.thread.lease({ thread });
    await other.thread.part({ leaseId, parts: [{ kind: "text", text: "Chapter" }] });
    await drawer(page).getByText("Chapter").waitFor();
    await other.close();
    await drawer(page).getByText("was cut off: its author went away").waitFor();
    await drawer(page).getByText("Chapter").waitFor();
  });

  test("[WP125] says that nobody is there to answer, and how to start an agent", async () => {
    const { path, page } = await shown();
    await composer(page).fill("Anybody?");
    await composer(page).press("Control+Enter");
    await drawer(page).getByText("No agent is there to answer.").waitFor();
    await drawer(page).getByText("spliced agent claude").waitFor();
    const { leaseId } = await agent.thread.lease({ thread: await waiting(path) });
    await expect.poll(() => drawer(page).getByText("No agent is there to answer.").count()).toBe(0);
    await agent.thread.release({ leaseId });
  });

  further(
    "[WP120] a click leads from marked text to its thread, and from the thread to the text, until the text is deleted",
    async () => {
      const { path, page } = await shown("");
      const from = TEXT.indexOf("Tuesday");
      const anchor = { from, to: from + "Tuesday".length };
      await agent.thread.append({ path, role: "user", text: "Which one?", anchor });
      await page.locator(".cm-anchor", { hasText: "Tuesday" }).click();
      await drawer(page).getByText("Which one?").last().waitFor();
      await page.locator(".cm-line").first().click();
      await drawer(page).getByRole("button", { name: "Tuesday" }).click();
      await expect.poll(() => page.evaluate<string>("String(getSelection())")).toBe("Tuesday");
      await agent.edit.replace({ path, old: "We eat on Tuesday.\n", new: "" });
      await drawer(page).getByText("This text is deleted now:").waitFor();
      await drawer(page).locator("del", { hasText: "Tuesday" }).waitFor();
      await expect.poll(() => page.locator(".cm-anchor").count()).toBe(0);
    },
  );

  test("[WP126] threads are listed with their state, resolved, opened again and deleted", async () => {
    const { path, page } = await shown();
    await drawer(page).getByText("No threads yet").waitFor();
    const { thread } = await agent.thread.append({ path, role: "user", text: "Shorten the plan" });
    await drawer(page).getByText("waits for an answer").waitFor();
    const { leaseId } = await agent.thread.lease({ thread });
    await drawer(page).getByText("claude answers …").waitFor();
    await agent.thread.append({ thread, role: "assistant", leaseId, text: "Done." });
    await drawer(page).getByText("claude answered").waitFor();
    await drawer(page).getByRole("link", { name: "Shorten the plan" }).click();
    await button(page, "Mark as resolved").click();
    await drawer(page).getByText("resolved", { exact: true }).waitFor();
    await button(page, "All threads").click();
    await drawer(page).getByText("1 resolved thread").click();
    await drawer(page).getByRole("link", { name: "Shorten the plan" }).click();
    await button(page, "Open this thread again").click();
    await button(page, "Mark as resolved").waitFor();
    await drawer(page).getByLabel("More").click();
    await button(page, "Delete the thread").click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await drawer(page).getByText("This thread was deleted.").waitFor();
    expect((await agent.thread.list({ path })).threads).toEqual([]);
  });

  test("[WP127] the keyboard opens and closes the threads; in a narrow window they cover the text", async () => {
    const { path, page } = await shown("");
    await agent.thread.append({ path, role: "user", text: "A thread" });
    await page.locator(".cm-content").click();
    await page.keyboard.press("Alt+t");
    await drawer(page).getByText("A thread").waitFor();
    await page.keyboard.press("Alt+t");
    await drawer(page).waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    await drawer(page).getByText("A thread").waitFor();
    await composer(page).focus();
    await page.keyboard.press("Escape");
    await drawer(page).waitFor({ state: "detached" });
    await page.setViewportSize({ width: 420, height: 800 });
    await page.keyboard.press("Enter");
    const covered = (await drawer(page).boundingBox())!;
    expect(covered.width).toBe(420);
    await drawer(page).getByRole("link", { name: "A thread" }).focus();
    await page.keyboard.press("Enter");
    await drawer(page).getByText("Waits for an answer").waitFor();
    await button(page, "Close the threads").click();
    await page.locator(".cm-content").getByText("Plan").waitFor();
  });
});

describe("the overview", () => {
  test("[WP129] lists the threads that wait, with links to them, until somebody answers", async () => {
    const path = `plan${made++}.md`;
    await agent.doc.create({ path, text: TEXT });
    const { thread } = await agent.thread.append({ path, role: "user", text: "Who comes along?" });
    const page = await openPage(daemon, { to: "/" });
    const waits = page.getByRole("region", { name: "Waiting threads" });
    await waits.getByRole("link", { name: "Who comes along?" }).click();
    await drawer(page).getByText("Waits for an answer").waitFor();
    await page.goBack();
    await waits.getByText("Who comes along?").waitFor();
    await agent.thread.append({ thread, role: "assistant", text: "Everybody." });
    await waits.getByText("Who comes along?").waitFor({ state: "detached" });
  });
});

describe("a thread without a document", () => {
  test("[WP142] is opened from the overview, answered and resolved in a view of its own, and stays listed", async () => {
    const { thread } = await agent.thread.append({
      bundle: "morning",
      role: "user",
      text: "What is first today?",
    });
    const page = await openPage(daemon);
    await page.getByRole("link", { name: /What is first today\?/ }).click();
    await page.getByText("Waits for an answer").waitFor();
    const { leaseId } = await agent.thread.lease({ thread });
    await text(leaseId, "I look at");
    await page.getByText("I look at").waitFor();
    await agent.thread.append({ thread, role: "assistant", text: "The letter.", leaseId });
    await page.getByText("The letter.").waitFor();
    await page.getByRole("textbox", { name: "Your message" }).fill("Thank you.");
    await page.getByRole("textbox", { name: "Your message" }).press("Control+Enter");
    await until(
      "the message is there",
      async () => (await agent.thread.get({ thread })).messages.length === 3,
    );
    await agent.thread.append({ thread, role: "assistant", text: "Gladly." });
    await page.getByText("Gladly.").waitFor();
    await button(page, "Overview").click();
    const listed = page.getByRole("region", { name: "Threads without a document" });
    await listed.getByRole("link", { name: /What is first today\?/ }).click();
    await page.getByText("Gladly.").waitFor();
    await button(page, "Mark as resolved").click();
    await page.getByText("resolved", { exact: true }).waitFor();
    await button(page, "Overview").click();
    await page.getByText("Recent changes").waitFor();
    await expect.poll(() => listed.count()).toBe(0);
  });
});

describe("the search of all texts", () => {
  test("[WP128] the palette finds text in all documents and opens the line", async () => {
    const lines = `${Array.from({ length: 300 }, (_, i) => `row ${i + 1}`).join("\n")}\n`;
    await agent.doc.create({ path: "long/rows.md", text: lines.replace("row 250", "a Needle in it") });
    const page = await openPage(daemon, { to: "/" });
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("needle");
    const found = page.getByRole("option", { name: "a Needle in it" });
    await found.getByText("long/rows.md:250").waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".cm-activeLine", { hasText: "a Needle in it" }).waitFor();
    expect(await page.locator(".cm-activeLine").isVisible()).toBe(true);
    await expect.poll(() => page.url()).not.toContain("line=");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("nothing has this");
    await page.getByText("No document, view, action or text matches.").waitFor();
  });
});
