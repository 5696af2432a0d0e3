import { watch } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { atEnd } from "../e2e/cleanup.ts";
import { type Daemon, startDaemon } from "../e2e/daemon.ts";
import { carefulByRename } from "../e2e/editor.ts";
import { makeFolder } from "../e2e/folder.ts";
import { chosenSeed, seeded } from "../e2e/seed.ts";
import { until } from "../e2e/until.ts";

/** The number of writes of the file by the daemon. */
const WRITES = Number(process.env["LONG_WRITES"] ?? 2_000);
const PATH = "counters.md";
const AGENTS = ["ann", "bob", "cyd", "dan"];
/** The number of lines in which the editor counts its saves by turns; it checks each line at its next turn. */
const SLOTS = 256;

const counter = (who: string, count: number) => `${who}: ${count}.\n`;
const FIRST = Array.from({ length: SLOTS }, (_, i) => i - SLOTS);
const textOf = (counts: readonly number[], saves: readonly number[]) =>
  [...AGENTS.map((who, i) => counter(who, counts[i] ?? 0)), ...saves.map(slotOf)].join("\n\n");
const slotOf = (save: number) => counter(`slot ${((save % SLOTS) + SLOTS) % SLOTS}`, save);

/** Counts a line up until the test ends it; each edit names the text after the previous one. */
async function agentCounts(daemon: Daemon, who: string, going: () => boolean): Promise<number> {
  const client = await daemon.connect({ name: who });
  for (let count = 0; ; count++) {
    if (!going()) return count;
    await client.request("edit.replace", {
      path: PATH,
      old: counter(who, count),
      new: counter(who, count + 1),
    });
  }
}

/** Returns the number of renames to or from a file: a save by rename gives one event, an exchange two. */
function renamesOf(root: string): () => number {
  let renames = 0;
  const watcher = watch(root, (event, name) => {
    if (event === "rename" && name === PATH) renames++;
  });
  atEnd(() => watcher.close());
  return () => renames;
}

test(`[I3] ${WRITES} writes by the daemon against a save every 0–4 ms: none of either is ever lost`, async () => {
  const folder = makeFolder({ [PATH]: textOf([], FIRST) });
  const daemon = await startDaemon(folder.root);
  const random = seeded(chosenSeed(20_261_121));
  const renames = renamesOf(folder.root);
  let saves = 0;
  const writes = () => Math.floor((renames() - saves) / 2);
  let failed = false;
  const going = () => !failed && writes() < WRITES;
  const agents = Promise.all(AGENTS.map((who) => agentCounts(daemon, who, going)));
  agents.catch(() => {
    failed = true;
  });
  const save = carefulByRename(daemon.pid);
  const lost: string[] = [];
  const started = performance.now();
  while (going()) {
    save(folder.at(PATH), (text) => {
      const before = slotOf(saves - SLOTS);
      if (!text.includes(`\n${before}`)) lost.push(before);
      return text.replace(new RegExp(`^slot ${saves % SLOTS}: .*\n`, "m"), slotOf(saves));
    });
    saves++;
    await pause(random.below(5));
  }
  const counts = await agents;
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  const edits = counts.reduce((sum, count) => sum + count, 0);
  console.info(`${writes()} writes of ${edits} edits against ${saves} saves in ${seconds} s`);
  expect(lost, `seed ${random.seed}`).toEqual([]);
  const last = FIRST.map((_, i) => saves - 1 - ((((saves - 1 - i) % SLOTS) + SLOTS) % SLOTS));
  const client = await daemon.connect();
  const expected = textOf(counts, last);
  await until(
    "everything is in memory and in the file",
    async () => [(await client.request("doc.read", { path: PATH })).text, folder.read(PATH)],
    ([text, file]) => text === expected && file === expected,
  );
});
