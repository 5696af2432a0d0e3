import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import type { Health } from "../../src/daemon/reports/health.ts";
import { cli } from "./cli.ts";
import { logOf, startDaemon } from "./daemon.ts";
import { whileStopped } from "./editor.ts";
import { makeFolder } from "./folder.ts";
import { until } from "./until.ts";

const WATCHES = 20;
/** A command that limits the watches of the daemon's process, in a new user namespace. */
const FEW_WATCHES = [
  "unshare",
  "-Ur",
  "sh",
  "-c",
  `echo ${WATCHES} > /proc/sys/user/max_inotify_watches; exec "$@"`,
  "sh",
];
const unshares = spawnSync(FEW_WATCHES[0]!, [...FEW_WATCHES.slice(1), "true"], { stdio: "pipe" });
const limitable = unshares.status === 0 && unshares.stderr.length === 0;
if (!limitable) console.warn(`watches cannot be limited here, their test is left out: ${unshares.stderr}`);

const QUEUE = "/proc/sys/fs/inotify/max_queued_events";
const QUEUED = 128;
/** Each save causes more than one event. */
const FILES = 200;
const queueable = process.platform === "linux" && process.getuid?.() === 0;
if (!queueable) console.warn("not root on Linux: the event queue cannot be made short, its test is left out");

/** Runs `work` while new event queues have this length. */
async function withShortQueue<T>(work: () => Promise<T>): Promise<T> {
  const usual = readFileSync(QUEUE, "utf8");
  writeFileSync(QUEUE, String(QUEUED));
  try {
    return await work();
  } finally {
    writeFileSync(QUEUE, usual);
  }
}

/** Sends a request every few milliseconds until `done`; returns the milliseconds of the slowest answer. */
async function longestAnswer(client: Client, done: Promise<unknown>): Promise<number> {
  let longest = 0;
  let going = true;
  void done.finally(() => {
    going = false;
  });
  while (going) {
    const started = performance.now();
    await client.request("doc.read", { path: "calm.md" });
    longest = Math.max(longest, performance.now() - started);
    await pause(10);
  }
  return longest;
}

async function isCovered(url: string): Promise<boolean> {
  return ((await (await fetch(`${url}/health`)).json()) as Health).cover.stage === "covered";
}

describe("more than the system watches", () => {
  test.runIf(limitable)(
    "[WA6] folders without a watch are looked at: saves and new files are told of, and it is said",
    async () => {
      const paths = Array.from({ length: WATCHES + 10 }, (_, i) => `${i}/a.md`);
      const folder = makeFolder(Object.fromEntries(paths.map((path) => [path, "one\n"])));
      const daemon = await startDaemon(folder.root, { through: FEW_WATCHES });
      const client = await daemon.connect();
      const told = new Set<string>();
      client.on("doc.changed", ({ path }) => told.add(path));
      client.on("doc.created", ({ path }) => told.add(path));
      await client.request("subscribe", { pattern: "**/*.md" });
      const headers = { authorization: `Bearer ${daemon.located.token}` };
      const health = async () =>
        (await (await fetch(`${daemon.located.url}/health?role=person`, { headers })).json()) as Health;
      // The daemon also watches the root and a folder of its own.
      const limited = { what: "watcher", message: expect.stringMatching(/cannot watch 12 folders.*ENOSPC/) };
      await until("the files are covered", () => isCovered(daemon.located.url));
      expect(await health()).toMatchObject({ status: "degraded", problems: [limited] });
      expect((await cli(folder.root, ["status"])).out).toContain("cannot watch 12 folders");
      for (const path of paths) folder.write(path, "two\n");
      for (const path of paths) folder.write(path.replace("a.md", "new.md"), "new\n");
      await until("all is told of", () => told.size === 2 * paths.length);
      // Fewer than half of all files: a busy daemon might see more of them go missing at once, and hold them.
      for (let i = 0; i < 13; i++) rmSync(folder.at(String(i)), { recursive: true });
      await until("the freed watches are used", health, ({ status }) => status === "ok");
      const logged = (event: string) => logOf(folder.root).split(`"${event}"`).length - 1;
      await until("the log says so", () => logged("watcher.watching") > 0);
      expect([logged("watcher.looking"), logged("watcher.watching")]).toEqual([1, 1]);
    },
  );

  test.runIf(queueable)(
    `[WA7] ${FILES} files changed at once, of whose events most are dropped: all are taken in, others are served meanwhile`,
    async () => {
      const paths = Array.from({ length: FILES }, (_, i) => `${i % 10}/${i}.md`);
      const folder = makeFolder({
        "calm.md": "calm\n",
        "daemon.config.ts": "export default { limits: { maxFileBytes: 5000 } };\n",
        ...Object.fromEntries(paths.map((path) => [path, `${path}\n`])),
      });
      const daemon = await withShortQueue(async () => {
        const daemon = await startDaemon(folder.root);
        const first = await daemon.connect();
        await first.request("doc.open", { path: paths[0]! });
        return daemon;
      });
      const [client, other] = [await daemon.connect(), await daemon.connect()];
      await until("the files are covered", () => isCovered(daemon.located.url));
      const told = new Set<string>();
      client.on("doc.changed", ({ path }) => told.add(path));
      await client.request("subscribe", { pattern: "**/*.md" });
      await whileStopped(daemon.pid, () => {
        for (const path of paths) folder.write(path, `${path}\nsaved\n`);
      });
      const started = performance.now();
      const all = until("all are taken in", () => told.size === paths.length, Boolean, 60_000);
      const longest = await longestAnswer(other, all);
      await all;
      const took = performance.now() - started;
      console.info(
        `${FILES} files in ${took.toFixed(0)} ms; the longest answer meanwhile took ${longest.toFixed(0)} ms`,
      );
    },
  );
});
