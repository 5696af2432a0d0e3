import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, renameSync, rmSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { atEnd } from "./cleanup.ts";
import { crowd } from "./crowd.ts";
import { type ServedFolder, startDaemon } from "./daemon.ts";
import { whileStopped } from "./editor.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { listen } from "./heard.ts";
import { NOTHING_AMISS } from "./ledger.ts";
import { times } from "./long.ts";
import { chosenSeed, seeded } from "./seed.ts";
import { serveFolder } from "./served.ts";
import { until } from "./until.ts";

let folder: Folder;
let daemon: ServedFolder;
let client: Client;

beginShared(async () => {
  folder = makeFolder({ "daemon.config.ts": "export default { timing: { verifyMs: 500 } };\n" });
  daemon = await serveFolder(folder.root);
  client = await daemon.connect();
});

const textOf = async (path: string) => (await client.request("doc.read", { path })).text;
const shell = (script: string) => execFileSync("sh", ["-c", script], { cwd: folder.root, stdio: "pipe" });
/** The outcome of a request on a document: `ok`, or the code of its refusal. */
const codeOf = (path: string) =>
  client.request("doc.read", { path }).then(
    () => "ok",
    (error: { code: string }) => error.code,
  );
/** Waits until file and memory are this, and then still are after an agent's edit. */
async function settles(path: string, text: string) {
  await until(
    `${path} is taken in`,
    () => textOf(path),
    (seen) => seen === text,
  );
  await client.request("edit.append", { path, text: "an agent goes on\n" });
  expect(folder.read(path)).toBe(`${text}an agent goes on\n`);
}

describe("a file whose stamp does not tell", () => {
  const LONG_AGO = new Date("2001-02-03T04:05:06Z");
  const stamped = (file: string, text: string) => {
    writeFileSync(file, text);
    utimesSync(file, LONG_AGO, LONG_AGO);
  };

  further("[EE34] other content of the same size, its time set back, is found each time", async () => {
    stamped(folder.at("stamp.md"), "000\n");
    for (let i = 0; i < 40; i++) {
      const text = `${String(i).padStart(3, "0")}\n`;
      stamped(folder.at("stamp.md"), text);
      await until(
        "it is found",
        () => textOf("stamp.md"),
        (seen) => seen === text,
      );
    }
    await settles("stamp.md", "039\n");
  });

  test("[EE34] and so when it came by a rename", async () => {
    stamped(folder.at("moved.md"), "one\n");
    const heard = await listen(client, "moved.md");
    stamped(folder.at("moved.new"), "two\n");
    renameSync(folder.at("moved.new"), folder.at("moved.md"));
    expect(await heard.count(1)).toMatchObject([{ author: "disk" }]);
    await settles("moved.md", "two\n");
  });

  test("[EE34] what no event tells of is found within one verify scan", async () => {
    const elsewhere = makeFolder();
    stamped(elsewhere.at("alias.md"), "one\n");
    linkSync(elsewhere.at("alias.md"), folder.at("linked.md"));
    const heard = await listen(client, "linked.md");
    stamped(elsewhere.at("alias.md"), "two\n");
    expect(await heard.count(1)).toMatchObject([{ author: "disk" }]);
    await settles("linked.md", "two\n");
  });
});

describe("a file that comes and goes", () => {
  further(
    "[EE35] made, removed and made again in a loop: one document, never deleted, with the last text",
    async () => {
      folder.write("loop.md", "0\n");
      const deleted: string[] = [];
      client.on("doc.deleted", ({ path }) => deleted.push(path));
      const { docId } = await client.request("doc.open", { path: "loop.md" });
      const random = seeded(chosenSeed(20_261_121));
      for (let i = 1; i <= 40; i++) {
        unlinkSync(folder.at("loop.md"));
        await pause(random.below(15));
        folder.write("loop.md", `${i}\n`);
        await pause(random.below(15));
      }
      await settles("loop.md", "40\n");
      expect((await client.request("doc.open", { path: "loop.md" })).docId).toBe(docId);
      expect(deleted).not.toContain("loop.md");
    },
  );

  further(
    "[EE35] removed and made again while agents edit: every edit and every save is there once",
    async () => {
      const anchors = ["one:", "two:", "three:"];
      folder.write("gone.md", anchors.map((anchor) => `${anchor}\n`).join(""));
      const random = seeded(chosenSeed(20_261_121));
      const agents = await crowd(daemon, "gone.md", anchors, random);
      const turns = times(8, 6_000);
      for (let turn = 0; turn < turns; turn++) {
        await agents.more(3);
        const marker = agents.ledger.marker("person");
        const next = await whileStopped(daemon.pid, () => {
          const now = folder.read("gone.md");
          unlinkSync(folder.at("gone.md"));
          return `${now}${marker}\n`;
        });
        await pause(random.below(40));
        writeFileSync(folder.at("gone.md"), next, { flag: "wx" });
        agents.ledger.note(marker);
      }
      await agents.stop();
      const text = await textOf("gone.md");
      expect(agents.ledger.audit(text), `seed ${random.seed}`).toEqual(NOTHING_AMISS);
      await until(
        "the file holds what memory does",
        () => folder.read("gone.md"),
        (seen) => seen === text,
      );
    },
  );

  further("[EE35] removed for good, it is deleted once; made again, its document goes on", async () => {
    folder.write("back.md", "one\n");
    const told: string[] = [];
    client.on("doc.deleted", ({ path }) => path === "back.md" && told.push("deleted"));
    const { docId } = await client.request("doc.open", { path: "back.md" });
    await client.request("subscribe", { path: "back.md" });
    shell("rm back.md");
    await until("it is told of", () => told.length > 0);
    expect(await codeOf("back.md")).toBe("DELETED");
    folder.write("back.md", "two\n");
    await settles("back.md", "two\n");
    expect((await client.request("doc.open", { path: "back.md" })).docId).toBe(docId);
    expect(told).toEqual(["deleted"]);
  });

  test("[EE35] renamed in nothing but case, and back: the document goes along", async () => {
    folder.write("case.md", "one\n");
    const { docId } = await client.request("doc.open", { path: "case.md" });
    await client.request("edit.append", { path: "case.md", text: "two\n" });
    shell("mv case.md Case.md");
    await until("the old name is gone", async () => (await codeOf("case.md")) === "NOT_FOUND");
    await settles("Case.md", "one\ntwo\n");
    shell("mv Case.md case.md");
    await settles("case.md", "one\ntwo\nan agent goes on\n");
    expect((await client.request("doc.open", { path: "case.md" })).docId).toBe(docId);
  });

  test("[EE35] renamed in nothing but case by an agent: the document goes along", async () => {
    folder.write("agent.md", "one\n");
    const { docId } = await client.request("doc.open", { path: "agent.md" });
    await client.request("doc.rename", { path: "agent.md", to: "Agent.md" });
    await settles("Agent.md", "one\n");
    expect((await client.request("doc.open", { path: "Agent.md" })).docId).toBe(docId);
  });

  test("[EE35] two files swapped while agents edit both: each has the other's text, and its own agent's", async () => {
    folder.write("left.md", "left\n");
    folder.write("right.md", "right\n");
    await textOf("left.md");
    await textOf("right.md");
    const edits = await whileStopped(daemon.pid, () => {
      const answers = ["left", "right"].map((side) =>
        client.request("edit.append", { path: `${side}.md`, text: `agent of ${side}\n` }),
      );
      shell("mv left.md aside && mv right.md left.md && mv aside right.md");
      return { answers };
    });
    await Promise.all(edits.answers);
    await settles("left.md", "right\nagent of left\n");
    await settles("right.md", "left\nagent of right\n");
  });

  further("[EE35] replaced by a folder, whose files are served, and back again", async () => {
    folder.write("turns.md", "one\n");
    await textOf("turns.md");
    shell("rm turns.md; mkdir turns.md; echo inside > turns.md/inside.md");
    await until("it is a folder", async () => (await codeOf("turns.md")) === "INVALID_ARGUMENT");
    await settles("turns.md/inside.md", "inside\n");
    shell("rm -r turns.md; echo two > turns.md");
    await settles("turns.md", "two\n");
    expect(await codeOf("turns.md/inside.md")).not.toBe("ok");
  });

  test("[EE35] a folder moved away, another in its place: the documents of both are followed", async () => {
    folder.write("docs/a.md", "a\n");
    await textOf("docs/a.md");
    // The document follows its file, or stays at its path: that depends on which of both the daemon sees first.
    shell("mv docs moved; mkdir docs; echo other > docs/a.md");
    await settles("moved/a.md", "a\n");
    await settles("docs/a.md", "other\n");
    shell("rm -r docs; mv moved docs");
    await settles("docs/a.md", "a\nan agent goes on\n");
  });

  test("[EE35] removed with its folder and made again: new files there are told of", async () => {
    folder.write("inbox/a.md", "a\n");
    const created: string[] = [];
    client.on("doc.created", ({ path }) => created.push(path));
    await client.request("subscribe", { pattern: "inbox/*.md" });
    shell("rm -r inbox; mkdir inbox; echo other > inbox/a.md");
    await until(
      "it is taken in",
      () => textOf("inbox/a.md"),
      (seen) => seen === "other\n",
    );
    folder.write("inbox/b.md", "new\n");
    await until("the new file is told of", () => created.includes("inbox/b.md"));
  });

  test("[FS17] replaced by a link inside the root, it leads there", async () => {
    folder.write("linked-to.md", "target\n");
    folder.write("becomes-link.md", "one\n");
    await textOf("becomes-link.md");
    shell("ln -sf linked-to.md becomes-link.md");
    await until(
      "the link is followed",
      () => textOf("becomes-link.md"),
      (seen) => seen === "target\n",
    );
    await client.request("edit.append", { path: "becomes-link.md", text: "an agent goes on\n" });
    expect(folder.read("linked-to.md")).toBe("target\nan agent goes on\n");
    shell("rm becomes-link.md; echo two > becomes-link.md");
    await settles("becomes-link.md", "two\n");
  });
});

describe("what is no file", () => {
  const root = process.getuid?.() === 0;
  const makeSocket = async (path: string) => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(folder.at(path), done));
    atEnd(() => void server.close());
  };
  const KINDS: [what: string, make: (path: string) => unknown, code: string][] = [
    ["a FIFO", (path) => shell(`mkfifo ${path}`), "INVALID_ARGUMENT"],
    ["a socket", makeSocket, "INVALID_ARGUMENT"],
    ...(root
      ? [
          ["a device", (path: string) => shell(`mknod ${path} c 1 5`), "INVALID_ARGUMENT"] as [
            string,
            (path: string) => unknown,
            string,
          ],
        ]
      : []),
    ["a link to an endless device", (path) => shell(`ln -s /dev/zero ${path}`), "PATH_ESCAPE"],
  ];
  if (!root) console.warn("not root: devices cannot be made here, their test is left out");

  for (const [what, make, code] of KINDS)
    test(`[EE36] ${what} in a document's place is refused, nothing waits for it, and the file is followed when it is back`, async () => {
      const path = `${what.replaceAll(" ", "-")}.md`;
      folder.write(path, "one\n");
      folder.write("bystander.md", "calm\n");
      await textOf(path);
      rmSync(folder.at(path));
      await make(path);
      expect(await codeOf(path)).toBe(code);
      await client.request("edit.append", { path: "bystander.md", text: "on\n" });
      rmSync(folder.at(path));
      folder.write(path, "two\n");
      await settles(path, "two\n");
    });

  test("[EE36] a folder full of them, subscribed to as they appear: only the files are told of", async () => {
    mkdirSync(folder.at("odd"));
    const created: string[] = [];
    client.on("doc.created", ({ path }) => path.startsWith("odd/") && created.push(path));
    await client.request("subscribe", { pattern: "odd/**" });
    folder.write("odd/first.md", "one\n");
    for (const [i, [, make]] of KINDS.entries()) await make(`odd/${i}.md`);
    folder.write("odd/last.md", "one\n");
    await until("the files are told of", () => created.length > 1);
    expect(created.sort()).toEqual(["odd/first.md", "odd/last.md"]);
    const { docs } = await client.request("doc.list", { pattern: "odd/**" });
    expect(docs.map(({ path }) => path)).toEqual(["odd/first.md", "odd/last.md"]);
  });

  further(
    "[EE36] one that took a document's place while the daemon was down does not hold up its start",
    async () => {
      const own = makeFolder({ "was.md": "one\n", "is.md": "one\n" });
      const first = await startDaemon(own.root);
      await (await first.connect()).request("edit.append", { path: "was.md", text: "two\n" });
      await first.kill();
      execFileSync("sh", ["-c", "rm was.md; mkfifo was.md"], { cwd: own.root });
      const again = await (await serveFolder(own.root)).connect();
      await expect(again.request("doc.read", { path: "was.md" })).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
      });
      await again.request("edit.append", { path: "is.md", text: "two\n" });
      expect(own.read("is.md")).toBe("one\ntwo\n");
    },
  );
});
