import { execFileSync } from "node:child_process";
import { on } from "node:events";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import type { Health } from "../../src/daemon/reports/health.ts";
import { NO_RULES } from "../../src/paths/outer-rules.ts";
import { further } from "../helpers/further.ts";
import { cli } from "./cli.ts";
import { BIN, type ServedFolder, startDaemon } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { times } from "./long.ts";
import { chosenSeed, seeded } from "./seed.ts";
import { serveFolder } from "./served.ts";
import { until } from "./until.ts";

const healthOf = async ({ located: { url, token } }: ServedFolder) => {
  const headers = { authorization: `Bearer ${token}` };
  return (await (await fetch(`${url}/health?role=person`, { headers })).json()) as Health;
};

async function covered(daemon: ServedFolder): Promise<Health> {
  return until(
    "the files are covered",
    () => healthOf(daemon),
    ({ cover }) => cover.stage === "covered",
    60_000,
  );
}

const changesOf = async (client: Client) => (await client.request("history.list", { limit: 1000 })).changes;

/** Resolves with the changes, as `kind path`, once there are so many. */
async function changes(client: Client, count: number): Promise<string[]> {
  const listed = await until(
    `${count} changes are listed`,
    () => changesOf(client),
    ({ length }) => length >= count,
  );
  return listed.map(({ kind, path }) => `${kind} ${path}`).sort();
}

test("[FS48] a thread that reads files in folders prints nothing", async () => {
  const { root } = makeFolder({ "a/b.md": "one\n" });
  const worker = new Worker(join(dirname(BIN), "surveyor-main.js"), { stderr: true });
  onTestFinished(async () => void (await worker.terminate()));
  let printed = "";
  worker.stderr.on("data", (data: Buffer) => {
    printed += data.toString();
  });
  const replies = on(worker, "message");
  worker.postMessage({ task: "read", args: [{ root, outer: NO_RULES }, ["a/b.md"], 1000] });
  await replies.next(); // the thread is ready
  const [{ result }] = (await replies.next()).value;
  expect(result).toMatchObject([{ is: "text", path: "a/b.md" }]);
  await worker.terminate();
  expect(printed).toBe("");
});

function project(files: number): Folder {
  return makeFolder(
    Object.fromEntries(
      Array.from({ length: files }, (_, i) => [`src/d${i % 7}/${i}.ts`, `const n = ${i};\n`]),
    ),
  );
}

test("[CV2, CV3, CV4, CV5] what tools do to files that nobody opened is in the history, and can be undone", async () => {
  const folder = project(30);
  const daemon = await serveFolder(folder.root);
  expect((await covered(daemon)).cover.files).toBe(30);
  const client = await daemon.connect();
  folder.write("src/d0/0.ts", "const n = 100;\n");
  writeFileSync(folder.at("aside.tmp"), "const n = 101;\n");
  renameSync(folder.at("aside.tmp"), folder.at("src/d1/1.ts"));
  execFileSync("sed", ["-i", "s/const/let/", folder.at("src/d2/2.ts"), folder.at("src/d3/3.ts")]);
  renameSync(folder.at("src/d4/4.ts"), folder.at("src/four.ts"));
  rmSync(folder.at("src/d5/5.ts"));
  mkdirSync(folder.at("made"));
  folder.write("made/new.ts", "const fresh = true;\n");
  const seen = ["create made/new.ts", "delete src/d5/5.ts", "edit src/d0/0.ts", "edit src/d1/1.ts"];
  seen.push("edit src/d2/2.ts", "edit src/d3/3.ts", "rename src/four.ts");
  expect(await changes(client, seen.length)).toEqual(seen);
  for (const { changeId } of await changesOf(client)) await client.request("undo", { changeId });
  await until("every file is as it was", () => {
    const texts = [0, 1, 2, 3, 4, 5].map((i) => folder.read(`src/d${i}/${i}.ts`));
    return texts.every((text, i) => text === `const n = ${i};\n`);
  });
  expect((await cli(folder.root, ["status"])).out).toContain("The daemon covers");
});

further(
  "[CV6, CV7] a pass that is killed anywhere goes on, and what changed meanwhile is one change a file",
  async () => {
    const files = times(800, 2000);
    const folder = project(files);
    const random = seeded(chosenSeed(12));
    for (let i = 0; i < times(2, 10); i++) {
      const killed = await startDaemon(folder.root);
      const some = random.below(files);
      await until(
        "the pass is somewhere",
        () => healthOf(killed),
        ({ cover }) => cover.files! >= some,
        60_000,
        1,
      );
      await killed.kill();
    }
    const daemon = await serveFolder(folder.root);
    expect((await covered(daemon)).cover.files).toBe(files);
    expect(await changesOf(await daemon.connect())).toEqual([]);
    await daemon.stop();
    for (let i = 0; i < 20; i++) folder.write(`src/d${i % 7}/${i}.ts`, `const n = ${i} + 1;\n`);
    rmSync(folder.at("src/d6/27.ts"));
    const again = await serveFolder(folder.root);
    const edits = Array.from({ length: 20 }, (_, i) => `edit src/d${i % 7}/${i}.ts`);
    expect(await changes(await again.connect(), 21)).toEqual(["delete src/d6/27.ts", ...edits].sort());
  },
);
