import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { grow } from "../../bench/grown.ts";
import { makeTree, pathOf } from "../../bench/tree.ts";
import { atEnd } from "../e2e/cleanup.ts";
import { cli } from "../e2e/cli.ts";
import { startDaemon } from "../e2e/daemon.ts";
import { type Folder, makeFolder } from "../e2e/folder.ts";
import { until } from "../e2e/until.ts";
import { NatsServer, natsMissing } from "../helpers/nats-server.ts";

const missing = natsMissing();
if (missing !== undefined) console.log(`left out, because ${missing}: machines with much to share`);

const MINUTES = 60_000;

async function run(folder: Folder, ...args: string[]): Promise<string> {
  const { code, out, err } = await cli(folder.root, args, { hangsMs: 5 * MINUTES });
  if (code !== 0) throw new Error(`spliced ${args[0]} ended with ${code}: ${err}${out}`);
  return out;
}

/** Shares a folder that a daemon serves; returns an empty folder that has joined. */
async function newcomer(a: Folder): Promise<Folder> {
  const nats = await NatsServer.start();
  const b = makeFolder();
  const { line } = JSON.parse(await run(a, "share", "--nats", nats.url, "--json")) as { line: string };
  atEnd(() => cli(b.root, ["stop"]));
  await run(b, "join", line, b.root, "--name", "laptop");
  return b;
}

describe.skipIf(missing !== undefined)("machines with much to share", () => {
  test(
    "a document of 5 MB, and edits of all of it, reach the others in both directions",
    async () => {
      const line = (n: number, mark: string) => `${mark} line ${n} ${Math.sin(n)}\n`;
      const textOf = (mark: string) => Array.from({ length: 150_000 }, (_, n) => line(n, mark)).join("");
      const a = makeFolder({ "small.md": "small\n" });
      await startDaemon(a.root);
      const b = await newcomer(a);
      for (const [from, to, mark] of [
        [a, b, "first"],
        [b, a, "second"],
      ] as const) {
        const text = textOf(mark);
        expect(text.length).toBeGreaterThan(5_000_000);
        writeFileSync(from.at("large.md"), text);
        await until(
          `the ${mark} text`,
          () => to.read("large.md").startsWith(mark),
          (isThere) => isThere,
          2 * MINUTES,
        );
        expect(to.read("large.md") === text).toBe(true);
        await run(to, "append", "large.md", `and ${mark}`);
        await until(
          "the line after it",
          () => from.read("large.md").endsWith(`and ${mark}\n`),
          (isThere) => isThere,
          2 * MINUTES,
        );
      }
    },
    10 * MINUTES,
  );

  test(
    "a newcomer gets each document with its whole history from a snapshot, while others are served",
    async () => {
      const [documents, changes] = [500, 40];
      const a = makeFolder({});
      await (await startDaemon(a.root)).stop();
      await grow(a.root, documents, changes);
      const daemon = await startDaemon(a.root);
      const client = await daemon.connect();
      let answers = 0;
      let isOver = false;
      const asking = async () => {
        for (; !isOver; answers++) await client.request("doc.read", { path: pathOf(answers % documents) });
      };
      const joining = newcomer(a).finally(() => {
        isOver = true;
      });
      const [b] = await Promise.all([joining, asking()]);
      expect(answers).toBeGreaterThan(20);
      for (let n = 0; n < documents; n += 50) expect(b.read(pathOf(n))).toBe(a.read(pathOf(n)));
      const path = pathOf(documents - 1);
      expect(await run(b, "history", path, "--all")).toContain("ada");
      await run(b, "append", path, "from the newcomer");
      await until(
        "the line",
        () => a.read(path),
        (text) => text.includes("from the newcomer"),
      );
    },
    10 * MINUTES,
  );

  test(
    "a newcomer gets 10,000 files that no document has",
    async () => {
      const a = makeFolder({});
      await makeTree(a.root, 10_000);
      await startDaemon(a.root);
      const b = await newcomer(a);
      for (let n = 0; n < 10_000; n++) expect(b.read(pathOf(n))).toBe(`export const n${n} = ${n};\n`);
      await run(b, "append", pathOf(7), "// from the newcomer");
      await until(
        "the line",
        () => a.read(pathOf(7)),
        (text) => text.includes("from the newcomer"),
      );
    },
    10 * MINUTES,
  );
});
