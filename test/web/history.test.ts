import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, rmSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { HELD_BACK, type ServedFolder, startDaemon } from "../e2e/daemon.ts";
import { type Folder, makeFolder } from "../e2e/folder.ts";
import { serveFolder } from "../e2e/served.ts";
import { until } from "../e2e/until.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { openPage } from "./browser.ts";

const LINES = "one\ntwo\nthree\nfour\nfive\n";

let folder: Folder;
let daemon: ServedFolder;
let ann: Client;
let bob: Client;

beginShared(async () => {
  folder = makeFolder({
    "live.md": LINES,
    "patched.md": LINES,
    "run.md": LINES,
    "batch/a.md": LINES,
    "batch/b.md": LINES,
    "versions.md": LINES,
    "plain.lua": LINES,
    "gone.md": LINES,
    "stale.md": "# Plan\n\nfirst line\n\nsecond line\n",
    "cat.md": "the cat sat on the mat\n",
    "refused.md": LINES,
    "checked.md": LINES,
    "night.md": LINES,
    "closed/doc.md": LINES,
    "keys.md": LINES,
  });
  daemon = await startDaemon(folder.root, HELD_BACK);
  ann = await daemon.connect({ name: "ann" });
  bob = await daemon.connect({ name: "bob" });
});

/** Returns the line of the activity that contains this text. */
function change(page: Page, text: string | RegExp): Locator {
  return page.locator("article.change").filter({ hasText: text }).first();
}

/** Makes the page wait for all reports of its observers until `passOn`, which passes those of each observer on at once. */
const HOLD_REPORTS = `
  const held = new Map();
  let pass = false;
  window.reportsOf = (selector) =>
    [...held.values()].flat().filter(({ target }) => target.matches(selector)).length;
  window.passOn = () => {
    pass = true;
    for (const [deliver, entries] of held) deliver(entries);
  };
  window.IntersectionObserver = class extends IntersectionObserver {
    constructor(callback, options) {
      super((entries) => {
        if (pass) deliver(entries);
        else held.set(deliver, [...(held.get(deliver) ?? []), ...entries]);
      }, options);
      const deliver = (entries) => callback(entries, this);
    }
  };
`;

describe("the activity", () => {
  test("[WP50, WP51] shows edits and saves as they happen, and filters by author and by document", async () => {
    const page = await openPage(daemon, { to: "/activity" });
    await page.getByRole("heading", { name: "Activity" }).waitFor();
    await ann.request("edit.replace", {
      path: "live.md",
      old: "one",
      new: "ONE",
      message: "Shout the first",
    });
    await change(page, "Shout the first").getByText("live.md").waitFor();
    folder.write("live.md", folder.read("live.md").replace("five", "five and more"));
    await change(page, "Saved in an editor").getByText("+9").waitFor();
    await page.getByLabel("Only changes by ann").click();
    await expect.poll(() => change(page, "Saved in an editor").count()).toBe(0);
    await change(page, "Shout the first").waitFor();
    await page.getByLabel("Only changes by ann").click();
    await page.getByLabel("Filter by path").fill("live.md");
    await change(page, "Existing file").waitFor();
  });

  test("[WP92] a patch is marked and its difference is shown at once, in the activity and the timeline", async () => {
    const page = await openPage(daemon, { to: "/activity" });
    const patch = "@@ -3,3 +3,3 @@\n three\n-four\n+FOUR of a patch\n five\n";
    await ann.request("edit.patch", { path: "patched.md", patch });
    const card = change(page, "patched.md");
    await card.getByText("Patched", { exact: true }).waitFor();
    await card.getByTitle("A patch: 1 hunk", { exact: true }).waitFor();
    await card.locator("ins").getByText("FOUR of a patch").waitFor();
    await ann.request("edit.replace", { path: "patched.md", old: "one", new: "ONE", message: "no patch" });
    await change(page, "no patch").waitFor();
    expect(await change(page, "no patch").getByRole("img", { name: "patch" }).count()).toBe(0);
    await page.goto(`${daemon.located.url}/#/timeline/patched.md`);
    const versions = page.locator("li.version");
    await versions.filter({ hasText: "Patched" }).getByRole("img", { name: "patch" }).waitFor();
    expect(await versions.getByRole("img", { name: "patch" }).count()).toBe(1);
  });

  test("[WP88] shows the sessions of an agent, and undoes everything of one after showing it", async () => {
    await ann.request("doc.open", { path: "night.md" });
    await ann.request("claim.open", { agent: "codex", session: "night run", path: "night.md" });
    folder.write("night.md", folder.read("night.md").replace("two", "TWO at night"));
    const page = await openPage(daemon, { to: "/activity" });
    await change(page, "Saved the file").getByText("night.md").waitFor();
    await page.getByLabel("Only changes by codex").click();
    await page.getByTitle("Session night run").click();
    await page.getByRole("button", { name: "Undo everything of this session" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("night.md").waitFor();
    await dialog.getByText("TWO at night").first().waitFor();
    expect(folder.read("night.md")).toContain("TWO at night");
    await dialog.getByRole("button", { name: "Undo everything" }).click();
    await expect.poll(() => folder.read("night.md")).toBe(LINES);
  });

  test("[WP52, WP53, WP83, WP84, WP85] a change shows its difference; undo keeps edits of others; redo works; undo is refused after a later edit of the same text", async () => {
    await ann.request("edit.replace", {
      path: "live.md",
      old: "two",
      new: "TWO",
      message: "Shout the second",
    });
    await bob.request("edit.replace", {
      path: "live.md",
      old: "three",
      new: "THREE",
      message: "And the third",
    });
    const page = await openPage(daemon, { to: "/activity" });
    const line = change(page, "Shout the second");
    await line.getByText("Shout the second").click();
    await line.locator(".diff ins", { hasText: "TWO" }).waitFor();
    await line.getByLabel("Undo this change").click();
    await page.getByText("Undid ann’s change in live.md. All other edits stay.").waitFor();
    await line.getByText("undone").waitFor();
    await until("the file has bob's", () => /two\nTHREE/.test(folder.read("live.md")));
    await page.getByRole("button", { name: "Redo" }).click();
    await until("it is there again", () => /TWO\nTHREE/.test(folder.read("live.md")));
    await expect.poll(() => line.getByText("undone").count()).toBe(0);
    await bob.request("edit.replace", {
      path: "live.md",
      old: "TWO",
      new: "second",
      message: "Another word",
    });
    await change(page, "Another word").waitFor();
    await line.getByLabel("Undo this change").click();
    await page.getByText(/^Could not undo the change: .*later/).waitFor();
    await page.getByRole("button", { name: "Timeline" }).click();
    await page.waitForURL("**/#/timeline/live.md");
  });

  further("[WP50] shows that a file is renamed and deleted as it happens", async () => {
    await bob.doc.create({ path: "passing.md", text: LINES });
    const page = await openPage(daemon, { to: "/activity" });
    await page.getByRole("link", { name: "passing.md" }).first().waitFor();
    await bob.doc.rename({ path: "passing.md", to: "passed.md" });
    const line = (title: string) => change(page, title).filter({ hasText: "passed.md" });
    await line("Renamed the file").waitFor();
    await bob.doc.delete({ path: "passed.md" });
    await line("Deleted the file").waitFor();
  });

  further("[WP52] an open line stays open when another change joins it", async () => {
    await bob.doc.create({ path: "stays.md", text: LINES });
    const add = (text: string) => bob.edit.append({ path: "stays.md", text, message: "One by one" });
    for (const text of ["six\n", "seven\n"]) await add(text);
    const page = await openPage(daemon, { to: "/activity" });
    const line = change(page, "One by one (2 edits)");
    await line.locator(".change-open").click();
    await line.locator(".diff ins", { hasText: "seven" }).waitFor();
    await add("eight\n");
    const grown = change(page, "One by one (3 edits)");
    await grown.locator(".diff ins", { hasText: "eight" }).waitFor();
  });

  further("[WP53] a batch that created documents is undone", async () => {
    const files = ["born/a.md", "born/b.md"].map((path) => ({
      path,
      operation: "create" as const,
      text: "new\n",
    }));
    const { id } = await ann.proposal.create({ files, reasoning: "Two births" });
    await bob.proposal.approve({ id });
    const page = await openPage(daemon, { to: "/activity" });
    await change(page, "Two births").getByLabel("Undo the whole batch").click();
    await page.getByText("Undid the batch in born/").waitFor();
    await until("both are gone", () => files.every(({ path }) => !existsSync(folder.at(path))));
    const undone = change(page, "Undid changes in 2 documents");
    await undone.locator(".change-open").click();
    await undone.locator(".change .change-open").first().click();
    await undone.getByText("The text did not change.").waitFor();
  });

  further(
    "[WP52, WP53] a batch and a run are one line each and are undone together; so is an author's newest change",
    async () => {
      const files = await Promise.all(
        ["batch/a.md", "batch/b.md"].map(async (docPath) => {
          const { version } = await ann.request("doc.open", { path: docPath });
          return { docPath, version, replace: { old: "two", new: "2" } };
        }),
      );
      await ann.request("batch.apply", { files, message: "Numbers as numerals" });
      for (const text of ["six\n", "seven\n"]) await bob.request("edit.append", { path: "run.md", text });
      const page = await openPage(daemon, { to: "/activity" });
      await change(page, "Numbers as numerals").getByText("and 1 more").waitFor();
      await change(page, "Numbers as numerals").getByLabel("Undo the whole batch").click();
      await until("both are back", () =>
        ["batch/a.md", "batch/b.md"].every((path) => folder.read(path) === LINES),
      );
      await change(page, "2 edits").getByLabel("Undo all 2").click();
      await until("the run is back", () => folder.read("run.md") === LINES);
      await bob.request("edit.append", { path: "run.md", text: "eight\n", message: "An eighth" });
      await page.getByLabel("Only changes by bob").click();
      await change(page, "An eighth").waitFor();
      await page.getByRole("button", { name: "Undo the newest change" }).click();
      await until("it is back", () => folder.read("run.md") === LINES);
    },
  );

  test("[WP54] a checkpoint is created, and restored after the person confirms", async () => {
    const page = await openPage(daemon, { to: "/activity" });
    await page.getByRole("button", { name: "Checkpoints" }).click();
    await page.getByLabel("Name of a new checkpoint").fill("before the edit");
    await page.keyboard.press("Enter");
    await page.getByLabel("Restore before the edit").waitFor();
    await ann.request("edit.write", { path: "checked.md", text: "all new\n", version: "latest" });
    await page.getByLabel("Restore before the edit").click();
    expect(folder.read("checked.md")).toBe("all new\n");
    await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
    await page.getByText("Restored 1 document from “before the edit”.").waitFor();
    await until("the file is as it was", () => folder.read("checked.md") === LINES);
  });

  test("[WP77] scrolling loads older changes", async () => {
    for (let i = 0; i < 130; i++)
      await ann.request("edit.append", {
        path: "keys.md",
        text: `${i}\n`,
        ack: "durable",
        message: `Number ${i}`,
      });
    const page = await openPage(daemon, { to: "/activity" });
    await change(page, "Number 129").waitFor();
    expect(await change(page, /Number 5$/).count()).toBe(0);
    await expect
      .poll(async () => {
        await page.locator(".view-body").evaluate((body) => body.scrollTo(0, body.scrollHeight));
        return page.getByText("Number 5", { exact: true }).count();
      })
      .toBe(1);
  });

  test("[WP162] a refused request for older changes is not repeated until the person asks for them", async () => {
    for (let i = 0; i < 70; i++)
      await ann.request("edit.append", { path: "keys.md", text: `${i}\n`, message: `Refused ${i}` });
    const page = await openPage(daemon, { alone: true });
    let refusals = 0;
    let isRefused = true;
    await page.routeWebSocket(/\/rpc$/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((message) => {
        const { id, method, params } = JSON.parse(String(message)) as Record<string, unknown>;
        if (!isRefused || method !== "history.list" || !("before" in (params as object)))
          return server.send(message);
        refusals++;
        const error = { code: -32000, message: "no such change", data: { code: "NOT_FOUND" } };
        socket.send(JSON.stringify({ jsonrpc: "2.0", id, error }));
      });
    });
    await page.goto(`${daemon.located.url}/?refused#/activity`);
    await change(page, "Refused 69").waitFor();
    const older = page.getByRole("button", { name: "Show older changes" });
    await older.scrollIntoViewIfNeeded();
    await expect.poll(() => refusals).toBe(1);
    await page.getByText("Could not load the history: no such change").waitFor();
    await older.click();
    await expect.poll(() => refusals).toBe(2);
    isRefused = false;
    await older.click();
    await page.getByText("Refused 5", { exact: true }).waitFor();
  });

  test("[WP77] older changes load also where a busy browser reports two movements of the list's end at once", async () => {
    for (let i = 0; i < 70; i++)
      await ann.request("edit.append", { path: "keys.md", text: `${i}\n`, message: `Later ${i}` });
    const page = await openPage(daemon, { alone: true });
    await page.addInitScript(HOLD_REPORTS);
    await page.goto(`${daemon.located.url}/?held#/activity`);
    await change(page, "Later 69").waitFor();
    const reports = () => page.evaluate<number>("reportsOf('.older')");
    await expect.poll(reports).toBe(1);
    await page.locator(".view-body").evaluate((body) => body.scrollTo(0, body.scrollHeight));
    await expect.poll(reports).toBe(2);
    expect(await page.getByText("Later 5", { exact: true }).count()).toBe(0);
    await page.evaluate("passOn()");
    await page.getByText("Later 5", { exact: true }).waitFor();
  });
});

describe("the timeline", () => {
  test("[WP55, WP56] compares any two versions, restores one after the person confirms, and undoes that", async () => {
    await ann.request("edit.replace", { path: "versions.md", old: "one", new: "ONE", message: "First" });
    await bob.request("edit.replace", { path: "versions.md", old: "two", new: "TWO", message: "Second" });
    const page = await openPage(daemon, { to: "/timeline/versions.md" });
    await page.locator(".cm-changedText", { hasText: "TWO" }).waitFor();
    const version = (text: string) => page.locator(".version", { hasText: text });
    await version("Existing file").getByRole("button", { name: "A", exact: true }).click();
    await page.locator(".cm-changedText", { hasText: "ONE" }).waitFor();
    await page.getByRole("button", { name: "Side by side" }).click();
    await page.locator(".cm-merge-a").getByText("one").waitFor();
    await page.getByRole("button", { name: "Restore A" }).click();
    await page.getByRole("dialog").getByText("erases nothing").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
    await until("it is as it was", () => folder.read("versions.md") === LINES);
    await page.getByRole("button", { name: "Undo" }).click();
    await until("that is taken back", () => folder.read("versions.md").startsWith("ONE\nTWO\n"));
  });

  test("[WP161] compares versions without colours if the file of their language does not load", async () => {
    await ann.request("edit.replace", { path: "plain.lua", old: "one", new: "ONE" });
    const page = await openPage(daemon, { alone: true });
    await page.route("**/assets/lua-*.js", (request) => request.abort());
    await page.evaluate("location.hash = '#/timeline/plain.lua'");
    await page.locator(".cm-changedText", { hasText: "ONE" }).waitFor();
    await page.getByText("Could not load the syntax colours").waitFor();
  });

  test("[WP159] compares a document with git's newest commit", async () => {
    const own = makeFolder({ "a.md": LINES });
    const git = (...args: string[]) => execFileSync("git", ["-C", own.root, ...args]);
    git("init", "-q");
    const served = await serveFolder(own.root);
    const page = await openPage(served, { to: "/timeline/a.md" });
    await page.getByText("Existing file").first().waitFor();
    expect(await page.getByRole("button", { name: "Compare with" }).count()).toBe(0);
    git("add", "a.md");
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first");
    const client = await served.connect({ name: "ann" });
    await client.request("edit.replace", { path: "a.md", old: "one", new: "ONE" });
    await page.reload();
    await page.getByRole("button", { name: "Compare with the newest commit of git" }).click();
    await page.getByText("git’s newest commit").waitFor();
    await page.locator(".cm-changedText", { hasText: "ONE" }).waitFor();
    expect(await page.getByRole("button", { name: "Restore A" }).count()).toBe(0);
  });

  further("[WP55, WP61] works by keyboard, in a narrow window, also for a deleted document", async () => {
    await ann.request("edit.append", { path: "gone.md", text: "six\n", message: "A sixth" });
    await ann.request("doc.delete", { path: "gone.md" });
    const page = await openPage(daemon, { to: "/timeline/gone.md", width: 420 });
    await page.getByText("deleted", { exact: true }).waitFor();
    await page.locator(".version-open", { hasText: "A sixth" }).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("b");
    await expect.poll(() => page.locator(".version[class~=chosen]").count()).toBe(1);
    await page.getByText("not created yet").waitFor();
    expect(await widthBeyond(page)).toBe(0);
    await page.getByRole("button", { name: "Restore the file" }).click();
    await until("the file is back", () => folder.read("gone.md").endsWith("six\n"));
  });
});

describe("notices", () => {
  test("[WP58, WP86, WP87] a merged save has one notice, also after a reload, until it is undone", async () => {
    const page = await openPage(daemon, { to: "/notices" });
    const before = folder.read("stale.md");
    await ann.request("edit.replace", {
      path: "stale.md",
      old: "first line",
      new: "the first line, as agents have it",
    });
    await ann.request("edit.replace", {
      path: "stale.md",
      old: "second line",
      new: "the second line, agents say",
    });
    folder.write("stale.md", `${before}\nfrom an old buffer\n`);
    const card = page.locator("article.notice", { hasText: "A save of stale.md was merged" });
    await card.getByText("Newer edits by ann were kept").waitFor();
    await expect
      .poll(() => page.locator(".view-link", { hasText: "Notices" }).locator(".count").innerText())
      .toBe("1");
    await page.reload();
    await card.getByText("Show the rescued edits").click();
    await card.locator(".diff").getByText("as agents have it").waitFor();
    expect(await card.count()).toBe(1);
    await card.getByRole("button", { name: "Undo the merge" }).click();
    await until("the save stands", () => folder.read("stale.md") === `${before}\nfrom an old buffer\n`);
    await card.getByText("The merge was undone").waitFor();
    await expect
      .poll(() => page.locator(".view-link", { hasText: "Notices" }).locator(".count").count())
      .toBe(0);
  });

  further(
    "[WP58] a save that removed an agent's edit has a notice in a new window too, and can be undone",
    async () => {
      await ann.request("edit.replace", { path: "cat.md", old: "cat", new: "dog" });
      folder.read("cat.md"); // who has read ann's word may replace it
      folder.write("cat.md", "the cow sat on the mat\n");
      const page = await openPage(daemon, { to: "/notices" });
      const card = page.locator("article.notice", { hasText: "A save of cat.md removed others’ edits" });
      await card.getByText("lacks edits by ann").waitFor();
      await card.getByRole("button", { name: "Restore edits" }).click();
      await until("ann's word is back", () => folder.read("cat.md") === "the dog sat on the mat\n");
      await card.getByText("The removed edits are back").waitFor();
    },
  );

  further(
    "[WP58, WP86, WP87] an edit that did not fit has one notice with the reason, until the person dismisses it",
    async () => {
      const page = await openPage(daemon, { to: "/notices" });
      await page.getByRole("heading", { name: "Notices", exact: true }).waitFor();
      const patch = "@@ -1,2 +1,2 @@\n one\n-nothing like it\n+2\n";
      for (let i = 0; i < 2; i++)
        await expect(bob.request("edit.patch", { path: "refused.md", patch })).rejects.toThrow();
      const card = page.locator("article.notice", { hasText: "A patch by bob did not fit refused.md" });
      await card.getByText("2 times").waitFor();
      await card.getByText("The document did not change").waitFor();
      await card.getByLabel("Dismiss").click();
      await expect.poll(() => card.count()).toBe(0);
    },
  );
});

describe("health", () => {
  further("[WP58, WP59] the page shows that a file cannot be written, and that it can be again", async () => {
    const page = await openPage(daemon, { to: "/health" });
    await page.getByText("no problems", { exact: true }).waitFor();
    await page
      .locator(".figure", { hasText: "Memory" })
      .getByText(/\d+ MB/)
      .waitFor();
    chmodSync(folder.at("closed"), 0o555);
    await ann.request("edit.append", { path: "closed/doc.md", text: "kept\n" });
    await page
      .locator(".problem", { hasText: "closed/doc.md" })
      .getByText("holds the edits until then")
      .waitFor();
    await page.goto(`${daemon.located.url}/#/notices`);
    await page.getByText("closed/doc.md cannot be written").waitFor();
    chmodSync(folder.at("closed"), 0o755);
    await page.getByText("The file can be written again").waitFor();
    await page.goto(`${daemon.located.url}/#/health`);
    await page.getByText("no problems", { exact: true }).waitFor();
  });
});

describe("settings", () => {
  const BOTH = "export default { capture: { hours: 1 } };\n";

  test("[WP94] are changed in the health view, and a capture is shown in each view", async () => {
    const page = await openPage(daemon, { to: "/health" });
    const cursor = page.getByLabel("Edits at the cursor");
    await cursor.uncheck();
    await page.getByText("The configuration says on.").waitFor();
    const edit = { path: "live.md", version: "latest", op: "insert", cursor: 0, content: "x" } as const;
    await expect(ann.request("edit.legacy", edit)).rejects.toThrow("disabled");
    await page.reload();
    expect(await cursor.isChecked()).toBe(false);
    await cursor.check();
    await expect.poll(() => page.getByText("The configuration says on.").count()).toBe(0);
    await ann.request("edit.legacy", edit);
    await page.getByLabel("Patch mode").waitFor();
    await page.getByText("A change counts for agents that connect after it.").waitFor();
    expect(await page.getByText("spliced captures what agents write").count()).toBe(0);
    const own = await serveFolder(makeFolder({ "a.md": LINES, "daemon.config.ts": BOTH }).root);
    const capturing = await openPage(own, { to: "/doc/a.md" });
    await capturing.getByText("spliced captures what agents write").waitFor();
  });
});

describe("many files that disappear at once", () => {
  test("[WP79] are deleted after the person confirms", async () => {
    const paths = Array.from({ length: 12 }, (_, i) => `many/${i}.md`);
    const own = makeFolder(Object.fromEntries(paths.map((path) => [path, LINES])));
    const serving = await serveFolder(own.root);
    const page = await openPage(serving, { to: "/health" });
    await page.getByText("The daemon covers 12 files").waitFor({ timeout: 30_000 });
    rmSync(own.at("many"), { recursive: true });
    await page.getByText("12 files disappeared at once").waitFor();
    await page.getByRole("button", { name: "Confirm deletion …" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Confirm deletion" }).click();
    await page.getByText("12 documents deleted").waitFor();
    await page.getByText("no problems", { exact: true }).waitFor();
  });
});

describe("the overview", () => {
  further("[WP57, WP61] shows open tasks and active authors, and fits a narrow window", async () => {
    for (const text of ["six\n", "seven\n"]) await ann.request("edit.append", { path: "live.md", text });
    await bob.request("proposal.create", {
      path: "live.md",
      operation: "append",
      proposed_value: "proposed\n",
      reasoning: "It is missing",
    });
    const named = await daemon.connect({ name: "an-agent-whose-name-is-far-too-long-for-its-card" });
    await named.request("edit.append", { path: "live.md", text: "eight\n" });
    await named.request("proposal.create", {
      path: "live.md",
      operation: "append",
      proposed_value: "nine\n",
    });
    const page = await openPage(daemon, { to: "/", width: 420 });
    await page.getByRole("link", { name: /bob proposes a change to live\.md/ }).waitFor();
    await page
      .locator(".worker", { hasText: "ann" })
      .getByText(/\d+ changes/)
      .waitFor();
    await page.getByText("Connect an agent").click();
    await page.getByText("npx spliced mcp --install claude").waitFor();
    expect(await widthBeyond(page)).toBe(0);
    expect(await rightOf(page.locator(".card"))).toBeLessThanOrEqual(420);
    await page.setViewportSize({ width: 1440, height: 900 });
    await expect.poll(() => rightOf(page.locator(".worker"))).toBeGreaterThan(1_000);
    expect(await rightOf(page.locator(".card"))).toBeLessThanOrEqual(1440);
  });

  test("[WP78] shows how to connect an agent if none has edited yet", async () => {
    const fresh = await serveFolder(makeFolder({ "notes.md": "hello\n" }).root);
    const page = await openPage(fresh);
    await page.getByText("Nothing needs your attention.").waitFor();
    await page.getByRole("button", { name: "Codex" }).click();
    await page.getByText("npx spliced mcp --install codex").waitFor();
    await page.getByText('npx spliced --agent tester append notes.md "Hello from an agent."').waitFor();
  });

  test("[WP60, WP61] continues after the daemon restarts; the activity works by keyboard", async () => {
    const own = makeFolder({ "a.md": LINES });
    const first = await serveFolder(own.root);
    const page = await openPage(first, { to: "/activity" });
    await (await first.connect({ name: "ann" })).request("edit.append", {
      path: "a.md",
      text: "6\n",
      message: "Before",
    });
    await change(page, "Before").waitFor();
    await first.stop();
    await page.getByText("Disconnected.").waitFor();
    const next = await startDaemon(own.root, { args: ["--port", new URL(first.located.url).port] });
    const again = await next.connect({ name: "ann" });
    await again.request("edit.append", { path: "a.md", text: "7\n", message: "After" });
    await change(page, "After").waitFor();
    await change(page, "Before").waitFor();
    await page.locator(".change-open").first().focus();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await change(page, "Before").locator(".diff ins").getByText("6").waitFor();
    await page.keyboard.press("u");
    await until("it is taken back", () => own.read("a.md") === `${LINES}7\n`);
  });
});

/** Returns the pixels by which the page is wider than its window. */
function widthBeyond(page: Page): Promise<number> {
  return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
}

/** Returns the right end of the widest of these elements; pixels. */
function rightOf(elements: Locator): Promise<number> {
  return elements.evaluateAll((all) => Math.max(...all.map((one) => one.getBoundingClientRect().right)));
}
