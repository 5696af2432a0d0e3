import { renameSync, rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { mainThreadMs, startDaemon } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { serveFolder } from "./served.ts";
import { until, within } from "./until.ts";

/**
 * The processor time that the daemon may spend on another client's large request while a small one waits. A busy machine
 * changes it little.
 */
const PATIENCE_MS = 1_000;

/**
 * Reads a small document repeatedly during `work`; returns the most processor time of the daemon's main thread, which
 * answers requests, during one read.
 */
async function longestWait(client: Client, pid: number, work: Promise<unknown>): Promise<number> {
  let longest = 0;
  let over = false;
  void work.finally(() => {
    over = true;
  });
  while (!over) {
    const before = mainThreadMs(pid);
    await client.request("doc.read", { path: "small.md" });
    longest = Math.max(longest, mainThreadMs(pid) - before);
  }
  return longest;
}

describe("work that is large or hostile", () => {
  const MB = 1 << 20;
  const SIZES: [what: string, text: string][] = [
    ["one line of 1 MB", "0".repeat(MB)],
    ["1 MB of lines", "a line of a text, as any other\n".repeat(MB / 31)],
  ];
  let folder: Folder;
  let pid: number;
  let worker: Client;
  let reader: Client;

  beginShared(async () => {
    folder = makeFolder({
      "small.md": "small\n",
      "long.md": `${"a".repeat(200_000)}\n`,
      ["a".repeat(42)]: "a\n",
      ["a".repeat(200)]: "a\n",
    });
    const daemon = await serveFolder(folder.root);
    pid = daemon.pid;
    [worker, reader] = [await daemon.connect(), await daemon.connect()];
    await reader.request("doc.read", { path: "small.md" });
  });

  for (const [i, [what, text]] of SIZES.entries())
    test(`[I14] holds nobody up: ${what} written into a small document`, async () => {
      folder.write(`${i}.md`, "start\n");
      const work = worker
        .request("edit.write", { path: `${i}.md`, text, version: "latest" })
        .then(() => worker.request("edit.append", { path: `${i}.md`, text }));
      expect(await longestWait(reader, pid, within("the large edits", work, 100_000))).toBeLessThan(
        PATIENCE_MS,
      );
    });

  for (const pattern of ["([a-z/.]+)+X", `${"*a".repeat(450)}b`, "**/".repeat(300)])
    test(`[GL3, GL4] holds nobody up: a glob that is made to be slow: ${pattern.slice(0, 30)}`, async () => {
      const work = worker.request("doc.list", { pattern }).catch(() => undefined);
      const longest = await within("another client is served", longestWait(reader, pid, work));
      expect(longest).toBeLessThan(PATIENCE_MS);
    });

  test("[I14] holds nobody up: a regex that is made to be slow, on a long line", async () => {
    const edit = { path: "long.md", old: "(a|aa)+(a+)+$x", new: "y", regex: true };
    const work = worker.request("edit.replace", edit).catch(() => undefined);
    expect(await within("another client is served", longestWait(reader, pid, work))).toBeLessThan(
      PATIENCE_MS,
    );
  });

  for (const regex of [false, true])
    test(`[RP6] a replacement that multiplies is refused and changes nothing, regex: ${regex}`, async () => {
      const path = `replaced-${regex}.md`;
      folder.write(path, "a".repeat(50_000));
      const edit = { path, old: "a", new: "x".repeat(100_000), occurrence: "all", regex } as const;
      await expect(worker.request("edit.replace", edit)).rejects.toMatchObject({ code: "TOO_LARGE" });
      expect(await worker.request("doc.read", { path })).toMatchObject({ chars: 50_000 });
    });
});

describe("a workspace that is pulled away", () => {
  further(
    "[EE25] the staging folder removed: the daemon makes it again, and edits are in the file",
    async () => {
      const folder = makeFolder({ "notes.md": "one\n" });
      const client = await (await serveFolder(folder.root)).connect();
      await client.request("edit.append", { path: "notes.md", text: "two\n" });
      rmSync(folder.at(".spliced/tmp"), { recursive: true });
      const edit = client.request("edit.append", { path: "notes.md", text: "three\n" });
      expect(await within("an answer", edit)).toMatchObject({ durable: true });
      await until("the file is brought up", () => folder.read("notes.md") === "one\ntwo\nthree\n");
    },
  );

  further(
    "[EE25] the root gone: nothing counts as deleted, health says so, and it goes on when it is back",
    async () => {
      const outer = makeFolder({ "w/notes.md": "one\n" });
      const root = outer.at("w");
      const daemon = await serveFolder(root);
      const client = await daemon.connect();
      const deleted: string[] = [];
      client.on("doc.deleted", ({ path }) => deleted.push(path));
      await client.request("subscribe", { path: "notes.md" });
      renameSync(root, outer.at("away"));
      const health = async () =>
        (await (await fetch(`${daemon.located.url}/health`)).json()) as { root: string };
      expect((await health()).root).toBe("gone");
      const edit = client.request("edit.append", { path: "notes.md", text: "two\n", ack: "durable" });
      await within(
        "an answer",
        edit.catch(() => undefined),
      );
      renameSync(outer.at("away"), root);
      await client.request("edit.append", { path: "notes.md", text: "three\n" });
      expect(outer.read("w/notes.md")).toMatch(/^one\n(two\n)?three\n$/);
      expect(deleted).toEqual([]);
    },
  );

  further(
    "[I2] its state folder gone, as after git clean -fdx: nothing is acknowledged that a restart forgets",
    async () => {
      const folder = makeFolder({ "notes.md": "one\n" });
      const daemon = await startDaemon(folder.root);
      const client = await daemon.connect();
      await client.request("edit.append", { path: "notes.md", text: "two\n" });
      rmSync(folder.at(".spliced"), { recursive: true });
      const edit = client.request("edit.append", { path: "notes.md", text: "three\n", ack: "durable" });
      const acknowledged = await within(
        "an answer",
        edit.then(
          () => true,
          () => false,
        ),
      );
      await daemon.kill();
      const next = await (await serveFolder(folder.root)).connect();
      const { text } = await next.request("doc.read", { path: "notes.md" });
      expect(text).toBe(acknowledged ? "one\ntwo\nthree\n" : "one\ntwo\n");
    },
  );
});
