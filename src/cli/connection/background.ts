import { spawn } from "node:child_process";
import { closeSync, existsSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Located, locateDaemon } from "../../client/locate.ts";
import { processLives } from "../../client/process.ts";
import { openState } from "../../state/folder.ts";
import { createOwn } from "../../state/own.ts";
import { systemDoubt } from "../../state/system-folder.ts";
import { CommandError, EXIT, remark } from "../terminal/output.ts";

/**
 * Node's arguments for a daemon. V8's space for new objects would grow to 32 MB after the first burst of work, or to
 * 128 MB with Node 24. With halves of 4 MB the daemon is as fast, and a thousand connections need half of the memory. It
 * begins with such halves, because growing into them takes a part of the start.
 */
export const DAEMON_ARGS: readonly string[] = ["--max-semi-space-size=4", "--min-semi-space-size=4"];

/**
 * The variable from which glibc has the number of parts of its heap. It reads the variable before Node starts threads. The
 * daemon's own `shareHeap` comes after them, when some have parts of their own.
 */
const HEAPS = { MALLOC_ARENA_MAX: "2" };

/** Returns the absolute path of a folder as typed. @throws CommandError when there is no such folder */
export function workspaceFolder(folder: string): string {
  const root = resolve(folder);
  if (!existsSync(root)) throw new CommandError(EXIT.usage, `${root}: no such folder`);
  if (!statSync(root).isDirectory()) throw new CommandError(EXIT.usage, `${root} is not a folder`);
  return root;
}

/**
 * Refuses to serve a whole home folder that the person did not name, and every system folder. Terminals, and clients that
 * run outside a project, start there. @throws CommandError
 */
export function refuseWholeHome(folder: string, root: string, command: string): void {
  refuseSystemFolder(root, command);
  if (folder !== "." || root !== homedir()) return;
  throw new CommandError(
    EXIT.usage,
    `no folder was named, so spliced would serve all of ${root}`,
    nameFolder(command),
  );
}

/** Refuses to serve the root of the file system and the folders of the kernel. @throws CommandError */
export function refuseSystemFolder(root: string, command: string): void {
  const doubt = systemDoubt(root);
  if (doubt !== undefined)
    throw new CommandError(EXIT.usage, `spliced does not serve ${root}: ${doubt}`, nameFolder(command));
}

function nameFolder(command: string): string {
  return `name the project's folder: spliced ${command} <folder>`;
}

/** Starts a daemon that outlives this process, and resolves once it is ready. @throws CommandError with its error */
export async function startInBackground(
  root: string,
  options: {
    readonly config?: string;
    readonly port?: number;
    readonly untilUnused?: boolean;
    readonly inside?: boolean;
  } = {},
): Promise<Located> {
  const state = openState(root);
  // The name has this process's number, because other commands may be starting a daemon here, too.
  const output = join(state, `start.${process.pid}.log`);
  rmSync(output, { force: true });
  const fd = createOwn(output);
  const args = [process.argv[1]!, "run", root, "--json"];
  if (options.config !== undefined) args.push("--config", resolve(options.config));
  if (options.port !== undefined) args.push("--port", String(options.port));
  if (options.untilUnused) args.push("--until-unused");
  if (options.inside) args.push("--inside");
  try {
    const words = [process.execPath, ...process.execArgv, ...DAEMON_ARGS, ...args];
    const pid = await spawnOrphan(words, root, fd).finally(() => closeSync(fd));
    const located = pid === undefined ? undefined : await readyDaemon(root, state, pid);
    if (located === undefined) throw new CommandError(EXIT.refused, errorIn(output));
    renameSync(output, join(state, "start.log"));
    return located;
  } catch (error) {
    rmSync(output, { force: true });
    throw error;
  }
}

/** The time between two looks for the daemon, and the time after which the person hears what a start waits for; ms. */
const LOOK_MS = 10;
const LONG_MS = 5_000;

/**
 * Returns a daemon once it is ready; undefined if its process ends before. Tells the person after some time what it waits
 * for: a daemon may be long with a damaged store or a slow disk.
 */
async function readyDaemon(root: string, state: string, pid: number): Promise<Located | undefined> {
  let located = locateDaemon(root);
  for (let waited = 0; located?.pid !== pid && processLives(pid); waited += LOOK_MS) {
    if (waited === LONG_MS)
      remark(
        `the daemon (process ${pid}) is not ready yet, and this command waits for it. Log: ${join(state, "log")}`,
      );
    await wait(LOOK_MS);
    located = locateDaemon(root);
  }
  return located?.pid === pid ? located : undefined;
}

/**
 * Starts a program without a parent process, because some clients end all descendants of their servers. A shell in a
 * session of its own starts it and ends at once. Returns the program's process id; undefined if the shell could not
 * start it, as where the user has too many processes.
 */
async function spawnOrphan(
  words: readonly string[],
  cwd: string,
  output: number,
): Promise<number | undefined> {
  const shell = spawn("/bin/sh", ["-c", '"$@" 3>&- & echo $! >&3', "sh", ...words], {
    cwd,
    detached: true,
    env: { ...HEAPS, ...process.env },
    stdio: ["ignore", output, output, "pipe"],
  });
  const failed = new Promise<never>((_, reject) => shell.once("error", reject));
  let printed = "";
  const told = new Promise<void>((resolve) => {
    shell.stdio[3]!.on("data", (part: Buffer) => {
      printed += part.toString();
    });
    shell.once("close", () => resolve());
  });
  await Promise.race([told, failed]);
  return Number(printed) || undefined;
}

/** Returns the error that a daemon printed before it ended, without its JSON and the leading `error:`. */
function errorIn(output: string): string {
  const printed = readFileSync(output, "utf8")
    .replace(/^\{\n[\s\S]*?\n\}\n/, "")
    .trim();
  return printed.replace(/^error: /, "") || "the daemon ended at once, without an error; see .spliced/log";
}
