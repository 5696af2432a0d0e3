import { spawn } from "node:child_process";
import { existsSync, watch } from "node:fs";
import { basename } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { further } from "../helpers/further.ts";
import { beginShared } from "../helpers/shared.ts";
import { atEnd } from "./cleanup.ts";
import { cli } from "./cli.ts";
import type { ServedFolder } from "./daemon.ts";
import { type Folder, folderIn, makeFolder } from "./folder.ts";
import { serveFolder } from "./served.ts";
import { inTerminal, openTerminal } from "./terminal.ts";
import { until, within } from "./until.ts";

const installed = inTerminal("vim");

/**
 * The answers to vim's questions whether to write a file that has changed since vim read it. For each answer vim reads up
 * to 150 characters.
 */
const YES = "y\n".repeat(10_000);

/** Runs a script in a real vim on a file to its end. */
function vim(cwd: string, file: string, script: readonly string[]): Promise<number | null> {
  // By default vim makes no backup of a file below /tmp.
  const commands = ["set noswapfile nomore autoread backupskip=", ...script, "quitall!"].flatMap((line) => [
    "-c",
    line,
  ]);
  const child = spawn("vim", ["-es", "-u", "NONE", "-i", "NONE", ...commands, file], {
    cwd,
    stdio: ["pipe", "ignore", "pipe"],
  });
  child.stdin.end(YES);
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (part) => {
    said += part;
  });
  child.once("close", (code) => code !== 0 && console.error(`vim ended with ${code}: ${said}`));
  atEnd(() => child.kill("SIGKILL"));
  return within("vim ends", new Promise((done) => child.once("close", done)));
}

/** Saves as a person would: again when vim refuses because the file changed as the save began. */
const saving = (write: "write" | "write!") =>
  `while 1 | try | ${write} | break | catch /E949/ | endtry | endwhile`;

const ROUNDS = 4;
/** Repeats: reads the saves of others, as autoread does, then adds a line and saves. */
const TYPING = `for i in range(${ROUNDS}) | checktime | call append('$', 'vim ' . i) | ${saving("write")} | sleep 150m | endfor`;

/** Notes whether somebody makes vim's backup of this file while the test runs. */
function backups(folder: Folder, file: string): () => boolean {
  let isMade = false;
  const watcher = watch(folder.root, (_, name) => {
    isMade ||= name === `${file}~`;
  });
  onTestFinished(() => watcher.close());
  return () => isMade;
}

describe.runIf(installed)("a real vim", () => {
  let served: Folder;
  let daemon: ServedFolder;

  beginShared(async () => {
    served = makeFolder();
    daemon = await serveFolder(served.root);
  });

  for (const recipe of ["no", "yes"])
    test(`[EE21] saving with backupcopy=${recipe} while agents replace: both are in the file`, async () => {
      const folder = folderIn(served, { "notes.md": "hello Monday 0\n" });
      const isBackedUp = backups(folder, "notes.md");
      const typed = vim(folder.root, "notes.md", [`set backupcopy=${recipe}`, TYPING]);
      for (let i = 0; i < ROUNDS; i++)
        expect(
          await cli(folder.root, ["replace", "notes.md", `Monday ${i}`, `Monday ${i + 1}`]),
        ).toMatchObject({ code: 0 });
      expect(await typed).toBe(0);
      await until("vim made its backup", isBackedUp);
      const lines = Array.from({ length: ROUNDS }, (_, i) => `vim ${i}\n`).join("");
      expect((await cli(folder.root, ["cat", "notes.md"])).out).toBe(`hello Monday ${ROUNDS}\n${lines}`);
      expect(folder.read("notes.md")).toBe(`hello Monday ${ROUNDS}\n${lines}`);
    });

  for (const recipe of ["no", "yes"])
    test(`[EE21] a stale buffer written with :w!, backupcopy=${recipe}: what agents did meanwhile is given back`, async () => {
      const folder = folderIn(served, { "notes.md": "one\ntwo\nthree\n" });
      const path = `${basename(folder.root)}/notes.md`;
      const client = await daemon.connect();
      const rescued: string[] = [];
      client.on("doc.rescued", ({ path }) => rescued.push(path));
      await client.request("subscribe", { path });
      const script = [
        `set noautoread backupcopy=${recipe}`,
        "call append('$', 'typed')",
        "call writefile([], 'opened')",
        "while !filereadable('edited') | sleep 20m | endwhile",
        saving("write!"),
      ];
      const saved = vim(folder.root, "notes.md", script);
      await until("vim has it open", () => existsSync(folder.at("opened")));
      await client.request("edit.replace", { path, old: "one", new: "ONE, by an agent" });
      folder.write("edited", "");
      expect(await saved).toBe(0);
      const both = "ONE, by an agent\ntwo\nthree\ntyped\n";
      await until("both are in the file", () => folder.read("notes.md") === both);
      expect((await client.request("doc.read", { path })).text).toBe(both);
      await until("it is told of", () => rescued.length > 0);
    });

  further(
    "[EE21] vim that asks refuses a file which an agent edits before the answer; through a program it is saved",
    async () => {
      const folder = folderIn(served, { "notes.md": "Monday 0\nlast line\n" });
      const path = `${basename(folder.root)}/notes.md`;
      const client = await daemon.connect();
      const replace = (old: string, now: string) => client.request("edit.replace", { path, old, new: now });
      const terminal = openTerminal(folder.root, ["vim", "-u", "NONE", "-i", "NONE", "notes.md"]);
      await terminal.shows("last line");
      terminal.type("Gotyped");
      terminal.press("Escape");
      await terminal.shows("typed");
      await replace("Monday 0", "Monday 1");
      terminal.type(":w");
      terminal.press("Enter");
      await terminal.shows("(y/n)?");
      await replace("Monday 1", "Monday 2");
      terminal.type("y");
      await terminal.shows("E949");
      expect(folder.read("notes.md")).toBe("Monday 2\nlast line\n");
      terminal.press("Enter");
      terminal.type(":w !cat > %");
      terminal.press("Enter");
      const both = "Monday 2\nlast line\ntyped\n";
      await until("both are in the file", () => folder.read("notes.md") === both);
      expect((await client.request("doc.read", { path })).text).toBe(both);
    },
  );

  test("[EE21] what agents did is there when vim reads the file again, and vim's undo is an edit like another", async () => {
    const folder = folderIn(served, { "notes.md": "one\ntwo\n" });
    const path = `${basename(folder.root)}/notes.md`;
    const client = await daemon.connect();
    await client.request("edit.append", { path, text: "agent\n" });
    const script = [
      "call append(0, 'typed')",
      saving("write"),
      "undo",
      "call setline(1, 'ONE')",
      saving("write"),
    ];
    expect(await vim(folder.root, "notes.md", script)).toBe(0);
    expect((await client.request("doc.read", { path })).text).toBe("ONE\ntwo\nagent\n");
    expect(folder.read("notes.md")).toBe("ONE\ntwo\nagent\n");
  });
});
