import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Health } from "../../src/daemon/reports/health.ts";
import { further } from "../helpers/further.ts";
import { cli } from "./cli.ts";
import { logOf, startDaemon } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { times } from "./long.ts";
import { chosenSeed, type Random, seeded } from "./seed.ts";
import { serveFolder } from "./served.ts";

const PATHS = ["a.md", "sub/b.md", "c.md"] as const;
const PAGE = 4096;
/** The most pages of a group. */
const LAST_PAGES = 4;
const DATABASE = ".spliced/store/data.mdb";

/** A folder whose documents have some history, and whose daemon has stopped, or was killed while its store was busy. */
async function worked(end: "stop" | "kill" = "stop"): Promise<Folder> {
  const folder = makeFolder(
    Object.fromEntries(PATHS.map((path) => [path, `${path} with é and \u{1f600}\n`])),
  );
  const killed = end === "kill" ? await startDaemon(folder.root) : undefined;
  const daemon = killed ?? (await serveFolder(folder.root));
  const client = await daemon.connect();
  for (let i = 0; i < 30; i++)
    for (const path of PATHS)
      await client.request("edit.append", { path, text: `line ${i}\n`, opId: `${path} ${i}` });
  await (killed?.kill() ?? daemon.stop());
  return folder;
}

/** Returns the segments of the log. */
function segmentsOf(folder: Folder): string[] {
  const store = ".spliced/store";
  return readdirSync(folder.at(store))
    .filter((name) => name.startsWith("front."))
    .map((name) => folder.at(`${store}/${name}`));
}

/** Cuts the end off, flips bits or zeroes a page; returns a description. The first way is never harmless. */
function harm(file: string, random: Random, way: number): string {
  const { size } = statSync(file);
  const bytes = readFileSync(file);
  const kind = way === 0 ? "cut" : random.pick(["bits", "bits", "page", "cut"] as const);
  if (kind === "cut") {
    const left = random.below(way === 0 ? size / 2 : size);
    truncateSync(file, left);
    return `cut to ${left} of ${size} bytes`;
  }
  if (kind === "page") bytes.fill(0, PAGE * random.below(size / PAGE)).subarray(0, size);
  const flips = 1 + random.below(20);
  if (kind === "bits") for (let i = 0; i < flips; i++) bytes[random.below(size)]! ^= 1 << random.below(8);
  writeFileSync(file, bytes);
  return kind === "bits" ? `${flips} bits flipped` : "zeroed from a page on";
}

/**
 * Flips bits or zeroes pages of a front log, before its last pages; returns a description. A last group that the disk
 * lost looks like one that a crash cut short.
 */
function harmLog(segment: string, random: Random): string {
  const bytes = readFileSync(segment);
  const used = Math.ceil((bytes.findLastIndex((byte) => byte !== 0) + 1) / PAGE) - LAST_PAGES;
  const count = 1 + random.below(20);
  if (random.below(2) === 0) {
    const first = random.below(used);
    bytes.fill(0, PAGE * first, PAGE * Math.min(used, first + count));
    writeFileSync(segment, bytes);
    return `pages zeroed from ${first} of ${used} on`;
  }
  for (let i = 0; i < count; i++) bytes[random.below(PAGE * used)]! ^= 1 << random.below(8);
  writeFileSync(segment, bytes);
  return `${count} bits flipped`;
}

const health = async (url: string) => (await (await fetch(`${url}/health`)).json()) as Health;

/** Starts a daemon on each folder: documents must be what their files hold, and edits go on. Returns how many stores were set aside. */
async function startAll(
  cases: number,
  make: (i: number) => { folder: Folder; which: string },
): Promise<number> {
  let aside = 0;
  for (let i = 0; i < cases; i++) {
    const { folder, which } = make(i);
    const texts = PATHS.map((path) => folder.read(path));
    const daemon = await startDaemon(folder.root);
    expect(
      PATHS.map((path) => folder.read(path)),
      which,
    ).toEqual(texts);
    const client = await daemon.connect();
    const failed = (error: unknown) => {
      throw new Error(`${which}: ${error}\n${logOf(folder.root)}`);
    };
    for (const [at, path] of PATHS.entries()) {
      expect((await client.request("doc.read", { path }).catch(failed)).text, which).toBe(texts[at]);
      await client.request("edit.append", { path, text: "after\n" }).catch(failed);
      expect(folder.read(path), which).toBe(`${texts[at]}after\n`);
    }
    if ((await health(daemon.located.url)).status !== "ok") aside++;
    await daemon.kill();
  }
  return aside;
}

function copyOf(sound: Folder): Folder {
  const folder = makeFolder();
  cpSync(sound.root, folder.root, { recursive: true });
  return folder;
}

describe("a damaged store", () => {
  const cases = times(2, 10_000);
  test(`[FA3] ${cases} ways of damage: files stay as they are, documents are what they hold, and edits go on`, {
    timeout: 60_000 + cases * 10_000,
  }, async () => {
    const random = seeded(chosenSeed(7));
    const sound = await worked();
    const aside = await startAll(cases, (i) => {
      const folder = copyOf(sound);
      return { folder, which: `seed ${random.seed}, case ${i}: ${harm(folder.at(DATABASE), random, i)}` };
    });
    console.info(`damage: ${aside} of ${cases} stores were set aside`);
    expect(aside).toBeGreaterThan(0);
  });

  further(
    `[FA3, ST30] ${cases} ways of damage of its log: the same`,
    {
      timeout: 60_000 + cases * 10_000,
    },
    async () => {
      const random = seeded(chosenSeed(8));
      const sound = await worked("kill");
      expect(segmentsOf(sound)).toHaveLength(2);
      const aside = await startAll(cases, (i) => {
        const folder = copyOf(sound);
        const [first] = segmentsOf(folder);
        if (i === 0) rmSync(folder.at(DATABASE));
        const how = i === 0 ? "its database removed" : harmLog(first!, random);
        return { folder, which: `seed ${random.seed}, case ${i}: ${how}` };
      });
      console.info(`damage: ${aside} of ${cases} stores with a log were set aside`);
      expect(aside).toBeGreaterThan(0);
    },
  );

  test("[FA3, FA8] is set aside, which log, health and status say, until the folder is removed", async () => {
    const folder = await worked();
    writeFileSync(folder.at(DATABASE), Buffer.alloc(statSync(folder.at(DATABASE)).size));
    const daemon = await startDaemon(folder.root);
    const { problems } = await health(daemon.located.url);
    expect(problems).toMatchObject([{ what: "store", kind: "damaged", since: expect.any(String) }]);
    await expect.poll(() => logOf(folder.root)).toContain("store.set_aside");
    const { out } = await cli(folder.root, ["status"]);
    expect(out).toContain("moved a damaged store to");
    const [aside] = readdirSync(folder.at(".spliced")).filter((name) => name.startsWith("store.damaged-"));
    expect(readdirSync(folder.at(`.spliced/${aside}/store`))).toContain("data.mdb");
  });
});
