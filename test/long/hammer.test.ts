import { watch } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { atEnd } from "../e2e/cleanup.ts";
import { type Daemon, startDaemon } from "../e2e/daemon.ts";
import { carefulByRename } from "../e2e/editor.ts";
import { makeFolder } from "../e2e/folder.ts";
import { chosenSeed, seeded } from "../e2e/seed.ts";
import { until } from "../e2e/until.ts";

/** How often the daemon is to write the file. */
const WRITES = Number(process.env["LONG_WRITES"] ?? 20_000);
const PATH = "counters.md";
const AGENTS = ["ann", "bob", "cyd", "dan"];
const LINES = [...AGENTS, "editor"];
const line = (who: string, count: number) => `${who}: ${count}.`;

/** Counts a line up for as long as it is told to; each edit names what the one before it left. */
async function agentCounts(daemon: Daemon, who: string, going: () => boolean): Promise<number> {
  const client = await daemon.connect({ name: who });
  for (let count = 0; ; count++) {
    if (!going()) return count;
    await client.request("edit.replace", { path: PATH, old: line(who, count), new: line(who, count + 1) });
  }
}

/** How often a file was swapped so far: of each exchange the folder is told that the name left and came. */
function swapsOf(root: string): () => number {
  let events = 0;
  const watcher = watch(root, (event, name) => {
    if (event === "rename" && name === PATH) events++;
  });
  atEnd(() => watcher.close());
  return () => events / 2;
}

test(`[I3] ${WRITES} writes by the daemon against a save every 0–4 ms: nobody ever misses what they wrote last`, async () => {
  const folder = makeFolder({ [PATH]: LINES.map((who) => `${line(who, 0)}\n\n\n`).join("") });
  const daemon = await startDaemon(folder.root);
  const random = seeded(chosenSeed(20_261_121));
  const swaps = swapsOf(folder.root);
  let saves = 0;
  // A save by rename is told of once, an exchange twice.
  const writes = () => Math.floor(swaps() - saves / 2);
  let failed = false;
  const going = () => !failed && writes() < WRITES;
  const agents = Promise.all(AGENTS.map((who) => agentCounts(daemon, who, going)));
  agents.catch(() => {
    failed = true;
  });
  const save = carefulByRename(daemon.pid);
  const started = performance.now();
  while (going()) {
    save(folder.at(PATH), (text) => {
      expect(text, `save ${saves}, seed ${random.seed}`).toContain(line("editor", saves));
      return text.replace(line("editor", saves), line("editor", saves + 1));
    });
    saves++;
    await pause(random.below(5));
  }
  const counts = await agents;
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  const edits = counts.reduce((sum, count) => sum + count, 0);
  console.info(`${writes()} writes of ${edits} edits against ${saves} saves in ${seconds} s`);
  const expected = [...counts, saves].map((count, i) => `${line(LINES[i]!, count)}\n\n\n`).join("");
  const client = await daemon.connect();
  await until(
    "everything is in memory and in the file",
    async () => [(await client.request("doc.read", { path: PATH })).text, folder.read(PATH)],
    ([text, file]) => text === expected && file === expected,
  );
});
