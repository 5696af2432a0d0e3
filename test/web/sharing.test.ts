import { writeFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { localTime } from "../../src/cli/terminal/times.ts";
import type { Lane, SharedMachines } from "../../src/web/state/health/sharing.ts";
import { laneTrouble, linkTrouble } from "../../src/web/state/health/sharing.ts";
import { atEnd } from "../e2e/cleanup.ts";
import { cli } from "../e2e/cli.ts";
import type { ServedFolder } from "../e2e/daemon.ts";
import { type Folder, folderAt, makeFolder } from "../e2e/folder.ts";
import { serveFolder } from "../e2e/served.ts";
import { until } from "../e2e/until.ts";
import { further } from "../helpers/further.ts";
import { NatsServer, natsMissing } from "../helpers/nats-server.ts";
import { beginShared } from "../helpers/shared.ts";
import { COLOUR_RULES, loadAxe, RULES, showIn, violations } from "./axe.ts";
import { openPage } from "./browser.ts";

const missing = natsMissing();
if (missing !== undefined) console.log(`left out, because ${missing}: the page of a shared workspace`);

/** Runs a command that must succeed; returns what it printed. */
async function run(folder: Folder, ...args: string[]): Promise<string> {
  const { code, out, err } = await cli(folder.root, args);
  if (code !== 0) throw new Error(`spliced ${args[0]} ended with ${code}: ${err}${out}`);
  return out;
}

/** Waits while the page asks for the daemon's health twice a second, as when somebody comes back to it. */
async function untilShown(what: string, page: Page, isShown: () => Promise<boolean>): Promise<void> {
  const look = async () => {
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    return isShown();
  };
  await until(what, look, Boolean, 30_000, 500);
}

/** Returns what axe finds in the page, light and dark. */
async function found(page: Page): Promise<string[]> {
  await loadAxe(page);
  const light = await violations(page, RULES);
  await showIn(page, "dark");
  return [...light, ...(await violations(page, COLOUR_RULES))];
}

/** Returns what `/health` says to a holder of a token. */
async function healthOf(
  { located }: ServedFolder,
  token = located.token,
): Promise<{ readonly machines: SharedMachines; readonly lanes?: readonly Lane[] }> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${located.url}/health?role=person`, { headers });
  return (await answer.json()) as { machines: SharedMachines; lanes?: Lane[] };
}

describe.skipIf(missing !== undefined)("the page of a workspace that machines share", () => {
  let nats: NatsServer;
  let folder: Folder;
  let other: Folder;
  let daemon: ServedFolder;

  beforeAll(async () => {
    nats = await NatsServer.start();
    folder = makeFolder({ "plan.md": "one\n" });
    other = makeFolder({});
    daemon = await serveFolder(folder.root);
    const { line } = JSON.parse(await run(folder, "share", "--nats", nats.url, "--json")) as { line: string };
    atEnd(() => cli(other.root, ["stop"]));
    await run(other, "join", line, other.root, "--name", "laptop", "--yes");
  });

  test("[WP136, MA37] lists the machines, and what their levels are", async () => {
    const page = await openPage(daemon, { to: "/health" });
    const machines = page.getByRole("region", { name: "Machines" });
    await machines.getByText("laptop").waitFor();
    await machines.getByText("this machine").waitFor();
    expect(await machines.getByText("write", { exact: true }).count()).toBe(1);
    expect(await machines.getByText("admin", { exact: true }).count()).toBe(1);
    expect(await page.locator(".banner").count()).toBe(0);
    expect(await run(folder, "status")).toMatch(/laptop +write +here/);
  });

  test("[WP140, MA94] a change of another machine has that machine's name, in the history and among the active", async () => {
    await run(other, "append", "plan.md", "two", "--agent", "claude");
    writeFileSync(other.at("plan.md"), "ONE\ntwo\n");
    const page = await openPage(daemon);
    await page.locator(".change-who").getByText("claude on laptop").waitFor();
    await page.locator(".change-who").getByText("editor (disk) on laptop").waitFor();
    await page.locator(".change-what").getByText("Saved in an editor").waitFor();
    const active = page.getByRole("region", { name: "Active in the last hour" });
    await active.getByText("claude on laptop").waitFor();
    await run(other, "checkpoint", "create", "theirs");
    await until(
      "the checkpoint",
      () => run(folder, "checkpoint", "list"),
      (shown) => shown.includes("theirs"),
    );
    await page.goto(`${daemon.located.url}/#/activity`);
    await page.getByRole("button", { name: "Checkpoints" }).click();
    await page.locator(".checkpoint").getByText("on laptop").waitFor();
  });

  further(
    "[WP100, WP137, WP136, MA37, MA38] says in each view that the server is away, what waits and since when; then that all is sent",
    async () => {
      const page = await openPage(daemon);
      await page.getByText("Recent changes").waitFor();
      await nats.kill();
      const before = Date.now();
      await until(
        "away",
        () => run(folder, "machines"),
        (shown) => shown.includes("away from"),
      );
      await run(folder, "append", "plan.md", "three");
      const banner = page.locator(".banner").getByText("is away since");
      const later = page.getByText("1 message will be sent later.");
      await untilShown("the banner", page, async () => (await banner.count()) * (await later.count()) === 1);
      await page.getByRole("link", { name: "Show the machines" }).click();
      const machines = page.getByRole("region", { name: "Machines" });
      await machines.getByText("No connection to").waitFor();
      await machines.getByText(/1 message to send, the oldest since/).waitFor();
      await machines.getByText("1 message behind").waitFor();
      expect(await found(page)).toEqual([]);
      const health = await healthOf(daemon);
      expect(health.machines).toMatchObject({ connected: false, waiting: 1 });
      const since = Date.parse(health.machines.waitingSince!);
      expect(since).toBeGreaterThanOrEqual(before);
      expect(since).toBeLessThanOrEqual(Date.now());
      const shown = localTime(health.machines.waitingSince!);
      expect(await run(folder, "status")).toContain(`1 message waits for the server since ${shown}`);
      await nats.start();
      const sent = machines.getByText("Everything is sent.");
      await untilShown("all is sent", page, async () => (await sent.count()) === 1);
      expect(await page.locator(".banner").count()).toBe(0);
    },
  );
});

describe("the page of a workspace with lanes", () => {
  let folder: Folder;
  let daemon: ServedFolder;

  beginShared(async () => {
    folder = makeFolder({ "notes/a.md": "one\n", "notes/b.md": "two\n" });
    daemon = await serveFolder(folder.root);
  });

  test("[WP100, WP138, WP139, LV33] lists the lanes, and what waits in them with the reason", async () => {
    const at = (name: string) => `${folder.root}.lanes/${name}`;
    const reader = await run(folder, "token", "add", "reader", "--allow", "**=read", "--json");
    await run(folder, "lane", "add", "looks", "--token", "reader", "--at", at("looks"));
    await run(folder, "lane", "add", "asks", "--propose", "--at", at("asks"));
    folderAt(at("looks")).write("notes/a.md", "mine\n");
    folderAt(at("asks")).write("notes/b.md", "TWO\n");
    const page = await openPage(daemon, { to: "/health" });
    const lanes = page.getByRole("region", { name: "Lanes" });
    const [refused, proposed] = ["refused", "proposed"].map((state) =>
      lanes.getByText(state, { exact: true }),
    );
    const count = async () => (await refused!.count()) * (await proposed!.count());
    await untilShown("both writes", page, async () => (await count()) === 1);
    await lanes.getByText("live", { exact: true }).waitFor();
    await lanes.getByText("proposes", { exact: true }).waitFor();
    await lanes.getByText(at("looks")).waitFor();
    expect(await found(page)).toEqual([]);
    const { token } = JSON.parse(reader) as { token: string };
    expect((await healthOf(daemon)).lanes).toMatchObject([{ name: "asks" }, { name: "looks" }]);
    expect((await healthOf(daemon, token)).lanes).toBeUndefined();
    const status = () => run(folder, "status");
    await expect.poll(status).toMatch(/looks .*live, as reader[\s\S]*refused +notes\/a\.md/);
    expect(await page.getByRole("link", { name: "Health" }).textContent()).toContain("1");
    await lanes.getByRole("link", { name: "Review the proposal" }).click();
    await page.getByText("notes/b.md").first().waitFor();
    await page.goto(`${daemon.located.url}/#/`);
    const task = page.getByRole("link", { name: /The lane looks/ });
    await task.waitFor();
    expect(await task.textContent()).toContain("1 file has text that the workspace does not have");
  });
});

const AT = Date.parse("2026-05-05T12:00:00.000Z");
const ago = (ms: number) => new Date(AT - ms).toISOString();

describe("what the page says of a link", () => {
  const shared = { status: "shared", connected: true, since: ago(0), waitingSince: null } as SharedMachines;

  test("[WP137] an absence or a message counts once it is no passing one", () => {
    const away = (ms: number) => linkTrouble({ ...shared, connected: false, since: ago(ms) }, AT);
    expect([away(0), away(9_000), away(10_000)]).toEqual([undefined, undefined, "away"]);
    const waits = (ms: number) => linkTrouble({ ...shared, waitingSince: ago(ms) }, AT);
    expect([waits(0), waits(59_000), waits(60_000)]).toEqual([undefined, undefined, "slow"]);
    expect(linkTrouble({ ...shared, status: "alone", connected: false }, AT)).toBeUndefined();
  });

  test("[WP139] a lane needs somebody if it does not live, or has files that are not only proposed", () => {
    const file = (status: string) => ({ path: "a.md", status, deleted: false, why: null });
    const lane = (...waiting: object[]) => ({ problem: null, waiting }) as unknown as Lane;
    expect(laneTrouble(lane(file("proposed")))).toBeUndefined();
    expect(laneTrouble(lane(file("refused"), file("blocked")))).toMatch(/^2 files have/);
    expect(laneTrouble({ ...lane(), problem: "its folder is missing" })).toBe("its folder is missing");
  });
});
