import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import type { ServedFolder } from "./daemon.ts";
import { whileStopped } from "./editor.ts";
import { type Folder, folderIn, makeFolder } from "./folder.ts";
import { serveFolder } from "./served.ts";
import { inTerminal, openTerminal, type Terminal } from "./terminal.ts";
import { until } from "./until.ts";

const START = "Monday 0\nTuesday 0\nlast line\n";
const ROUNDS = 3;

let served: Folder;
let daemon: ServedFolder;

/** Starts nano without settings. */
const nano = (cwd: string, file: string, flags: readonly string[] = []) =>
  openTerminal(cwd, ["nano", "--ignorercfiles", ...flags, file]);

/** Types a line at the end; nano adds its line break. */
function typeLine(terminal: Terminal, line: string): void {
  terminal.press("M-/");
  terminal.type(line);
}

async function quit(terminal: Terminal): Promise<void> {
  terminal.press("C-x");
  await terminal.ends();
}

/** A file that an agent has open. */
async function begin() {
  const folder = folderIn(served, { "notes.md": START });
  const path = `${basename(folder.root)}/notes.md`;
  const client = await daemon.connect();
  return {
    folder,
    replace: (old: string, now: string) => client.request("edit.replace", { path, old, new: now }),
    text: async () => (await client.request("doc.read", { path })).text,
  };
}

describe.runIf(inTerminal("nano"))("a real nano", () => {
  beginShared(async () => {
    served = makeFolder();
    daemon = await serveFolder(served.root);
  });

  for (const flags of [[], ["--backup"], ["--locking"]])
    test(`[EE30] nano ${flags.join()} saves in the moment of an agent's edit, again and again: both are there`, async () => {
      const { folder, replace, text } = await begin();
      let typed = "";
      for (let i = 0; i < ROUNDS; i++) {
        await replace(`Monday ${i}`, `Monday ${i + 1}`);
        const terminal = nano(folder.root, "notes.md", flags);
        await terminal.shows(`Monday ${i + 1}`);
        typeLine(terminal, `nano ${i}`);
        typed += `nano ${i}\n`;
        const edit = await whileStopped(daemon.pid, async () => {
          const answer = replace(`Tuesday ${i}`, `Tuesday ${i + 1}`);
          terminal.press("C-s");
          await terminal.shows("Wrote ");
          return { answer };
        });
        await edit.answer;
        await quit(terminal);
        const both = `Monday ${i + 1}\nTuesday ${i + 1}\nlast line\n${typed}`;
        await until(
          "both are in the file",
          () => folder.read("notes.md"),
          (seen) => seen === both,
        );
        expect(await text()).toBe(both);
      }
    });

  further("[EE30] nano warns that an agent edited the file, and who heeds it loses nothing", async () => {
    const { folder, replace, text } = await begin();
    const first = nano(folder.root, "notes.md");
    await first.shows("last line");
    await replace("Monday 0", "Monday 1");
    typeLine(first, "typed");
    first.press("C-s");
    await first.shows("File on disk has changed");
    first.type("n");
    first.press("C-x");
    await first.shows("Save modified buffer?");
    first.type("n");
    await first.ends();
    const second = nano(folder.root, "notes.md");
    await second.shows("Monday 1");
    typeLine(second, "typed");
    second.press("C-s");
    await second.shows("Wrote ");
    await until("it is in memory", async () => (await text()) === "Monday 1\nTuesday 0\nlast line\ntyped\n");
    expect(folder.read("notes.md")).toBe("Monday 1\nTuesday 0\nlast line\ntyped\n");
  });

  further("[EE30] nano saves over an agent's edit that it never saw: both are there", async () => {
    const { folder, replace } = await begin();
    const terminal = nano(folder.root, "notes.md");
    await terminal.shows("last line");
    await replace("Monday 0", "Monday 1");
    typeLine(terminal, "typed");
    terminal.press("C-s");
    await terminal.shows("File on disk has changed");
    terminal.type("y");
    await terminal.shows("Wrote ");
    const both = "Monday 1\nTuesday 0\nlast line\ntyped\n";
    await until(
      "both are in the file",
      () => folder.read("notes.md"),
      (text) => text === both,
    );
  });
});
