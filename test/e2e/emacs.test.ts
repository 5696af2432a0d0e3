import { existsSync } from "node:fs";
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
const BACKUPS: [how: string, setting: string][] = [
  ["by renaming", "(setq make-backup-files t)"],
  ["by copying", "(setq backup-by-copying t)"],
];
/** By default emacs makes no backups in the system's folder for temporary files, where tests are. */
const BACKS_UP = "(setq backup-enable-predicate (lambda (file) t))";
const REVERTS = "(progn (setq auto-revert-interval 0.2) (global-auto-revert-mode 1))";

let served: Folder;
let daemon: ServedFolder;

/** Starts emacs with these settings and no others. */
async function emacs(folder: Folder, settings: readonly string[]): Promise<Terminal> {
  const evals = ["(setq inhibit-startup-screen t)", BACKS_UP, ...settings].flatMap((form) => [
    "--eval",
    form,
  ]);
  const terminal = openTerminal(folder.root, ["emacs", "-Q", "-nw", ...evals, "notes.md"]);
  await terminal.shows("last line");
  return terminal;
}

/** Types a line at the end. */
function typeLine(terminal: Terminal, line: string): void {
  terminal.press("M->");
  terminal.type(line);
  terminal.press("Enter");
}

/** Returns a file that agents have open, and its expected text. */
async function begin() {
  const folder = folderIn(served, { "notes.md": START });
  const path = `${basename(folder.root)}/notes.md`;
  const client = await daemon.connect();
  return {
    folder,
    replace: (old: string, now: string) => client.request("edit.replace", { path, old, new: now }),
    async becomes(text: string) {
      await until(
        "the file holds both",
        () => folder.read("notes.md"),
        (seen) => seen === text,
      );
      expect((await client.request("doc.read", { path })).text).toBe(text);
    },
  };
}

describe.runIf(inTerminal("emacs"))("a real emacs", () => {
  beginShared(async () => {
    served = makeFolder();
    daemon = await serveFolder(served.root);
  });

  for (const [i, [how, setting]] of BACKUPS.entries()) {
    const tried = i === 0 ? test : further;
    tried(
      `[EE31] emacs, its backup made ${how}, shows what agents do, and saves in the moment of their edits`,
      async () => {
        const { folder, replace, becomes } = await begin();
        const terminal = await emacs(folder, [setting, REVERTS]);
        let typed = "";
        for (let i = 0; i < ROUNDS; i++) {
          await replace(`Monday ${i}`, `Monday ${i + 1}`);
          await terminal.shows(`Monday ${i + 1}`);
          typeLine(terminal, `emacs ${i}`);
          typed += `emacs ${i}\n`;
          const edit = await whileStopped(daemon.pid, async () => {
            const answer = replace(`Tuesday ${i}`, `Tuesday ${i + 1}`);
            terminal.press("C-x", "C-s");
            await until("it is saved", () => folder.read("notes.md").includes(typed));
            return { answer };
          });
          await edit.answer;
          await becomes(`Monday ${i + 1}\nTuesday ${i + 1}\nlast line\n${typed}`);
          await terminal.shows(`Tuesday ${i + 1}`);
        }
        const saved = typed.replace(/.*\n$/, "");
        expect(folder.read("notes.md~")).toBe(`Monday ${ROUNDS}\nTuesday ${ROUNDS - 1}\nlast line\n${saved}`);
      },
    );

    tried(
      `[EE31] emacs, its backup made ${how}, asks before it types over what an agent did, and reverts`,
      async () => {
        const { folder, replace, becomes } = await begin();
        const terminal = await emacs(folder, [setting]);
        await replace("Monday 0", "Monday 1");
        terminal.type("x");
        await terminal.shows("really edit the buffer?");
        terminal.type("r");
        await terminal.shows("Monday 1");
        typeLine(terminal, "typed");
        terminal.press("C-x", "C-s");
        await becomes("Monday 1\nTuesday 0\nlast line\ntyped\n");
      },
    );

    tried(
      `[EE31] emacs, its backup made ${how}, saves over an agent's edit that it never saw: both are there`,
      async () => {
        const { folder, replace, becomes } = await begin();
        const terminal = await emacs(folder, [setting]);
        typeLine(terminal, "typed");
        await terminal.shows("typed"); // typed after the agent's edit, Emacs would ask at once
        await replace("Monday 0", "Monday 1");
        terminal.press("C-x", "C-s");
        await terminal.shows("Save anyway?");
        terminal.type("yes");
        terminal.press("Enter");
        await terminal.shows("Wrote ");
        await becomes("Monday 1\nTuesday 0\nlast line\ntyped\n");
      },
    );
  }

  further(
    "[EE31] the lock and the autosave that emacs keeps beside a file are no concern of agents",
    async () => {
      const { folder, replace, becomes } = await begin();
      const other = await daemon.connect({ name: "other" });
      await other.request("subscribe", { pattern: "**" });
      const terminal = await emacs(folder, [REVERTS]);
      typeLine(terminal, "typed");
      terminal.press("M-x");
      terminal.type("do-auto-save");
      terminal.press("Enter");
      await until("it is autosaved", () => existsSync(folder.at("#notes.md#")));
      const at = basename(folder.root);
      const { docs } = await other.request("doc.list", { pattern: `${at}/*notes*` });
      expect(docs.map(({ path }) => path)).toEqual([`${at}/notes.md`]);
      terminal.press("C-x", "C-s");
      await becomes(`${START}typed\n`);
      await replace("Monday 0", "Monday 1");
      await terminal.shows("Monday 1");
      await becomes(`Monday 1\nTuesday 0\nlast line\ntyped\n`);
    },
  );
});
