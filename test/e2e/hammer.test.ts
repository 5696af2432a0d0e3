import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { further } from "../helpers/further.ts";
import { type CarefulSave, carefulByRename, carefulInPlace } from "./editor.ts";
import { makeFolder } from "./folder.ts";
import { Ledger, NOTHING_AMISS } from "./ledger.ts";
import { chosenSeed, type Random, seeded } from "./seed.ts";
import { serveFolder } from "./served.ts";
import { until } from "./until.ts";

const PATH = "shared.md";
const LINES = 40;
const START = Array.from({ length: LINES }, (_, i) => `line ${i}:\n`).join("");
const HAMMER_MS = 3_000;

/** The daemon and the ledger of a run, and the end of its time. */
interface Hammering {
  readonly ledger: Ledger;
  readonly random: Random;
  /** In milliseconds of `performance.now()`. */
  readonly end: number;
}

/** Runs an agent that inserts markers behind random lines, with three requests under way at once. */
async function agentHammers(client: Client, name: string, { ledger, random, end }: Hammering): Promise<void> {
  const one = async () => {
    while (performance.now() < end) {
      const marker = ledger.marker(name);
      const ack = random.pick(["durable", "mirrored"] as const);
      const line = `line ${random.below(LINES)}:`;
      await client.request("edit.replace", { path: PATH, old: line, new: `${line} ${marker}`, ack });
      ledger.note(marker);
    }
  };
  await Promise.all([one(), one(), one()]);
}

/** Runs an editor that reads, inserts a marker behind a line and saves at once, in each of its ways. */
async function editorHammers(
  save: (turn: number, change: (text: string) => string) => boolean,
  pauseMs: number,
  { ledger, random, end }: Hammering,
): Promise<void> {
  for (let turn = 0; performance.now() < end; turn++) {
    const marker = ledger.marker("editor");
    const line = `line ${random.below(LINES)}:`;
    if (save(turn, (text) => text.replace(line, `${line} ${marker}`))) ledger.note(marker);
    await pause(random.below(pauseMs + 1));
  }
}

describe("agents and an editor on one file", () => {
  const EDITORS: [how: string, pauseMs: number, recipes: (pid: number) => CarefulSave[]][] = [
    ["in place and by rename, every 0–40 ms", 40, (pid) => [carefulInPlace, carefulByRename(pid)]],
    ["by rename, every 0–4 ms", 4, (pid) => [carefulByRename(pid)]],
  ];

  for (const [how, pauseMs, recipesFor] of EDITORS)
    (pauseMs === 40 ? test : further)(
      `[I3] saving ${how}: every edit acknowledged and every save done is there exactly once`,
      async () => {
        const folder = makeFolder({ [PATH]: START });
        const daemon = await serveFolder(folder.root);
        const agents = [
          await daemon.connect({ name: "ann" }),
          await daemon.connect({ name: "bob" }),
        ] as const;
        await agents[0].request("doc.open", { path: PATH });
        const ledger = new Ledger();
        const hammering = {
          ledger,
          random: seeded(chosenSeed(20_261_121)),
          end: performance.now() + HAMMER_MS,
        };
        const recipes = recipesFor(daemon.pid);
        const save = (turn: number, change: (text: string) => string) =>
          recipes[turn % recipes.length]!(folder.at(PATH), change);
        await Promise.all([
          agentHammers(agents[0], "ann", hammering),
          agentHammers(agents[1], "bob", hammering),
          editorHammers(save, pauseMs, hammering),
        ]);
        const { text } = await agents[0].request("doc.read", { path: PATH });
        const did = ["ann", "bob", "editor"].map((author) => ledger.notedBy(author));
        console.info(`hammer: ${did[0]} + ${did[1]} edits, ${did[2]} saves`);
        expect(ledger.audit(text), `seed ${hammering.random.seed}`).toEqual(NOTHING_AMISS);
        await until("the file holds what memory does", () => folder.read(PATH) === text);
        expect(Math.min(...did), "everybody gets on").toBeGreaterThan(0);
      },
    );
});
