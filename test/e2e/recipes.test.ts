import { execFileSync } from "node:child_process";
import {
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { crowd } from "./crowd.ts";
import type { ServedFolder } from "./daemon.ts";
import { carefulInPlace, whileStopped } from "./editor.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { NOTHING_AMISS } from "./ledger.ts";
import { chosenSeed, seeded } from "./seed.ts";
import { serveFolder } from "./served.ts";
import { until } from "./until.ts";

const ANCHORS = Array.from({ length: 30 }, (_, i) => `line ${i}:`);
const START = ANCHORS.map((anchor, i) => `${"  ".repeat(1 + (i % 3))}${anchor}\n`).join("");
const TURNS = 6;
/** The least number of edits that agents make between two saves. */
const BETWEEN = 4;

let folder: Folder;
let daemon: ServedFolder;
let client: Client;

beginShared(async () => {
  folder = makeFolder();
  daemon = await serveFolder(folder.root);
  client = await daemon.connect();
});

/** Inserts text behind an anchor of the file, or at its end, and saves the file. */
type Save = (file: string, anchor: string, marker: string) => void;

const shell = (script: string, ...args: string[]) =>
  void execFileSync("sh", ["-c", script, "sh", ...args], { cwd: folder.root, stdio: "pipe" });
const changed = (file: string, anchor: string, marker: string) =>
  readFileSync(file, "utf8").replace(anchor, `${anchor} ${marker}`);

/** Each reads and saves while the daemon is stopped, so that no write comes between. */
const RECIPES: Readonly<Record<string, Save>> = {
  "the file aside, a new one in its place, the one aside removed": (file, anchor, marker) => {
    writeFileSync(`${file}.tmp`, changed(file, anchor, marker), { mode: statSync(file).mode });
    renameSync(file, `${file}.old`);
    renameSync(`${file}.tmp`, file);
    rmSync(`${file}.old`);
  },
  "emptied and written in place": (file, anchor, marker) =>
    writeFileSync(file, changed(file, anchor, marker)),
  "sed -i": (file, anchor, marker) => shell('sed -i "s/$2/$2 $3/" "$1"', file, anchor, marker),
  "a shell's >>": (file, _, marker) => shell('echo "$2" >> "$1"', file, marker),
  "cp over it": (file, anchor, marker) => {
    writeFileSync(`${file}.other`, changed(file, anchor, marker));
    shell('cp "$1.other" "$1"', file);
  },
  "cp -p of an old file over it": (file, anchor, marker) => {
    writeFileSync(`${file}.other`, changed(file, anchor, marker));
    shell('touch -d 2001-01-01 "$1.other"; cp -p "$1.other" "$1"', file);
  },
  "cp --remove-destination": (file, anchor, marker) => {
    writeFileSync(`${file}.other`, changed(file, anchor, marker));
    shell('cp --remove-destination "$1.other" "$1"', file);
  },
};

/** Runs agents and a person whose saves return whether they succeeded; no edit may be lost. */
async function together(path: string, save: (turn: number, marker: string) => boolean | Promise<boolean>) {
  const random = seeded(chosenSeed(20_261_121));
  const agents = await crowd(daemon, path, ANCHORS, random);
  await agents.more(BETWEEN);
  for (let turn = 0; turn < TURNS; turn++) {
    const marker = agents.ledger.marker("person");
    if (await save(turn, marker)) agents.ledger.note(marker);
    await agents.more(BETWEEN);
  }
  await agents.stop();
  const { text } = await client.request("doc.read", { path });
  expect(agents.ledger.audit(text), `seed ${random.seed}`).toEqual(NOTHING_AMISS);
  await until(
    "the file holds what memory does",
    () => folder.read(path),
    (seen) => seen === text,
  );
  return { text, saved: agents.ledger.notedBy("person") };
}

describe("a save while agents edit", () => {
  for (const [how, save] of Object.entries(RECIPES))
    test(`[EE32] by ${how}: every edit and every save is there once`, async () => {
      const path = `${how.replaceAll(/\W+/g, "-")}.md`;
      folder.write(path, START);
      const { saved } = await together(path, async (turn, marker) => {
        await whileStopped(daemon.pid, () => save(folder.at(path), ANCHORS[turn]!, marker));
        return true;
      });
      expect(saved).toBe(TURNS);
    });

  further(
    "[EE32] emptied, then written slowly in place: every edit and every save is there once",
    async () => {
      folder.write("slow.md", START);
      const file = folder.at("slow.md");
      await together("slow.md", async (turn, marker) => {
        const { fd, next } = await whileStopped(daemon.pid, () => {
          const next = changed(file, ANCHORS[turn]!, marker);
          return { next, fd: openSync(file, "w") };
        });
        for (let at = 0; at < next.length; at += 200) {
          writeSync(fd, next.slice(at, at + 200));
          await pause(3);
        }
        const own = fstatSync(fd).ino;
        closeSync(fd);
        expect(statSync(file).ino, "what is being written is left in its place").toBe(own);
        return true;
      });
    },
  );

  further(
    "[EE32] appended to and written in place as it comes, by who looks whether it still is the file",
    async () => {
      folder.write("live.md", START);
      const file = folder.at("live.md");
      const append = (marker: string) => {
        const fd = openSync(file, "a");
        writeSync(fd, `${marker}\n`);
        const own = fstatSync(fd).ino;
        closeSync(fd);
        return statSync(file).ino === own;
      };
      const { saved } = await together("live.md", (turn, marker) =>
        turn % 2 === 0
          ? append(marker)
          : carefulInPlace(file, (text) => text.replace(ANCHORS[turn]!, `${ANCHORS[turn]} ${marker}`)),
      );
      expect(saved).toBeGreaterThan(0);
    },
  );

  further(
    "[EE32] by a formatter that indents every line anew: its white space, and every edit once",
    async () => {
      folder.write("code.md", START);
      const FORMAT = `const fs = require("node:fs"), [, file, from, to] = process.argv;
      fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace(/^[ \\t]+/gm, (s) => to.repeat(s.length / from.length)));`;
      const units = ["  ", "\t", "    "];
      const { text } = await together("code.md", async (turn) => {
        const [from, to] = [units[turn % 3]!, units[(turn + 1) % 3]!];
        await whileStopped(daemon.pid, () =>
          execFileSync(process.execPath, ["-e", FORMAT, folder.at("code.md"), from, to]),
        );
        return false;
      });
      const indents = text.match(/^[ \t]*line \d+:/gm);
      expect(indents).toEqual(START.match(/^[ \t]*line \d+:/gm));
    },
  );
});
