import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { atEnd } from "./cleanup.ts";
import { cli } from "./cli.ts";
import { BIN } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { ALL } from "./long.ts";
import { serveFolder } from "./served.ts";
import { inTerminal, openTerminal } from "./terminal.ts";

/** Returns whether a shell is installed, and prints a note if it is not. */
function has(shell: string): boolean {
  const found = spawnSync(shell, ["--version"]).status === 0;
  if (!found) console.warn(`${shell} is not installed: its completion is not tried`);
  return found;
}

const scripts = new Map<string, Promise<Folder>>();

/** Returns a folder with a document and the script for a shell, which the command prints once for all tests. */
function scriptFor(shell: string): Promise<Folder> {
  const known = scripts.get(shell) ?? writeScript(shell);
  scripts.set(shell, known);
  return known;
}

async function writeScript(shell: string): Promise<Folder> {
  const folder = makeFolder({ "notes.md": "" });
  const { code, out } = await cli(folder.root, ["completion", shell]);
  expect(code).toBe(0);
  folder.write("script", out);
  return folder;
}

function linesOf(shell: string, args: readonly string[], cwd: string): string[] {
  const ran = spawnSync(shell, [...args], { cwd, encoding: "utf8" });
  expect(ran).toMatchObject({ status: 0, stderr: "" });
  return ran.stdout.split("\n").filter((line) => line !== "");
}

/** Returns the completions of the last word of a command line. */
type Complete = (...words: string[]) => Promise<string[]>;

const inBash: Complete = async (...words) => {
  const { root } = await scriptFor("bash");
  const ask = `source ./script; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    _spliced; printf "%s\\n" "\${COMPREPLY[@]}"`;
  return linesOf("bash", ["--norc", "-c", ask, "bash", "spliced", ...words], root);
};

const inFish: Complete = async (...words) => {
  const { root } = await scriptFor("fish");
  const ask = ["--no-config", "-c", "source ./script; complete -C $argv[1]", ["spliced", ...words].join(" ")];
  return linesOf("fish", ask, root).map((line) => line.split("\t")[0]!);
};

/** Returns true for a shell that this run tries: the other shells are further tests. */
const runs = (shell: string) => ALL || shell === "bash";

for (const [shell, complete] of [
  ["bash", inBash],
  ["fish", inFish],
] as const)
  describe.skipIf(!has(shell) || !runs(shell)).concurrent(`completion in ${shell}`, () => {
    test("[PK4] completes commands and their subcommands", async () => {
      expect((await complete("pro")).sort()).toEqual(["proposals", "propose"]);
      expect((await complete("token", "re")).sort()).toEqual(["remove", "revoke"]);
      expect(await complete("--json", "--agent", "bob", "checkpoint", "cr")).toEqual(["create"]);
    });

    test("[PK4] completes the options of a command and the common options", async () => {
      expect(await complete("cat", "notes.md", "--vi")).toEqual(["--view"]);
      expect(await complete("token", "add", "--al")).toEqual(["--allow"]);
      expect(await complete("cat", "--js")).toEqual(["--json"]);
      expect(await complete("cat", "--allo")).toEqual([]);
    });

    test("[PK4] completes the choices of options and arguments", async () => {
      expect((await complete("cat", "--view", "")).sort()).toEqual(["markdown", "text"]);
      expect(await complete("proposals", "--status", "sup")).toEqual(["superseded"]);
      expect(await complete("completion", "fi")).toEqual(["fish"]);
    });

    test("[PK4] does not mistake an argument for a command", async () => {
      expect(await complete("cat", "token", "revo")).toEqual([]);
    });
  });

for (const [shell, complete] of [
  ["bash", inBash],
  ["fish", inFish],
] as const)
  describe.skipIf(!has(shell) || !runs(shell))(`completion in ${shell} beside a daemon`, () => {
    test("[PK29, PK34] completes documents, also with spaces, and the ids of changes", async () => {
      const { root, write } = await scriptFor(shell);
      write("bin/spliced", `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
      chmodSync(join(root, "bin/spliced"), 0o755);
      const path = process.env["PATH"];
      process.env["PATH"] = `${join(root, "bin")}:${path}`;
      atEnd(() => {
        process.env["PATH"] = path;
      });
      write("my notes.md", "");
      const daemon = await serveFolder(root);
      const made = await cli(root, ["append", "notes.md", "x", "--json"]);
      const { changeId } = JSON.parse(made.out) as { changeId: string };
      expect(await complete("undo", changeId.slice(0, 8))).toEqual([changeId]);
      expect((await complete("cat", "my")).map((word) => word.replaceAll("\\", ""))).toEqual(["my notes.md"]);
      expect(await complete("approve", "")).not.toContain(changeId);
      expect(await complete("history", "--before", changeId.slice(0, 8))).toEqual([changeId]);
      expect(await complete("undo", "--in", "not")).toEqual(["notes.md"]);
      await cli(root, ["--agent", "ada", "append", "notes.md", "y"]);
      expect(await complete("history", "--by", "ad")).toEqual(["ada"]);
      expect(await complete("history", "--limit", "chg_")).toEqual([]);
      await daemon.stop();
    });
  });

/** Starts a shell in its own terminal, with the completion loaded. */
async function shellOf(shell: "bash" | "zsh") {
  const { root } = await scriptFor(shell);
  const plain = { bash: ["bash", "--norc"], zsh: ["zsh", "-f"] }[shell];
  const load = { bash: "source ./script", zsh: "autoload -U compinit; compinit -D; source ./script" }[shell];
  const terminal = openTerminal(root, plain);
  terminal.type(`PS1='$ '; ${load}; clear; echo rea''dy`);
  terminal.press("Enter");
  await terminal.shows("ready");
  return terminal;
}

for (const shell of ["bash", "zsh"] as const)
  describe.skipIf(!has(shell) || !runs(shell) || !inTerminal(shell))(
    `completion in ${shell}, at its prompt`,
    () => {
      test("[PK4] completes commands, options and choices", async () => {
        const terminal = await shellOf(shell);
        terminal.type("spliced tok");
        terminal.press("Tab");
        await terminal.shows("spliced token");
        terminal.type("revo");
        terminal.press("Tab");
        await terminal.shows("spliced token revoke");
        terminal.press("C-u");
        terminal.type("spliced cat --vie");
        terminal.press("Tab");
        await terminal.shows("spliced cat --view");
        terminal.type("mar");
        terminal.press("Tab");
        await terminal.shows("spliced cat --view markdown");
      });

      test("[PK4] completes files where there are no choices", async () => {
        const terminal = await shellOf(shell);
        terminal.type("spliced cat no");
        terminal.press("Tab");
        await terminal.shows("spliced cat notes.md");
      });
    },
  );

test("[PK4] an unknown shell is refused with the list of known shells", async () => {
  const ran = await cli(makeFolder().root, ["completion", "tcsh"]);
  expect(ran).toMatchObject({ code: 2, out: "", err: expect.stringContaining("bash, zsh, fish") });
});
