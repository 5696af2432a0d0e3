import { spawn } from "node:child_process";
import { closeSync, existsSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Located, locateDaemon } from "../client/index.ts";
import { openState } from "../state/folder.ts";
import { createOwn } from "../state/own.ts";
import { CommandError, EXIT } from "./output.ts";

/** Returns the absolute path of a folder as typed. @throws CommandError when there is no such folder */
export function workspaceFolder(folder: string): string {
  const root = resolve(folder);
  if (!existsSync(root)) throw new CommandError(EXIT.usage, `${root}: no such folder`);
  if (!statSync(root).isDirectory()) throw new CommandError(EXIT.usage, `${root} is not a folder`);
  return root;
}

/** Starts a daemon that outlives this process, and resolves once it is ready. @throws CommandError with its error */
export async function startInBackground(
  root: string,
  options: { readonly config?: string; readonly port?: number } = {},
): Promise<Located> {
  const state = openState(root);
  // The name has this process's number, because other commands may be starting a daemon here, too.
  const output = join(state, `start.${process.pid}.log`);
  rmSync(output, { force: true });
  const fd = createOwn(output);
  const args = [process.argv[1]!, "run", root, "--json"];
  if (options.config !== undefined) args.push("--config", resolve(options.config));
  if (options.port !== undefined) args.push("--port", String(options.port));
  const child = spawn(process.execPath, [...process.execArgv, ...args], {
    cwd: root,
    detached: true,
    stdio: ["ignore", fd, fd],
  });
  closeSync(fd);
  let ended: number | undefined;
  child.once("exit", (code) => {
    ended = code ?? EXIT.refused;
  });
  let located = locateDaemon(root);
  while (located?.pid !== child.pid && ended === undefined) {
    await wait(10);
    located = locateDaemon(root);
  }
  child.unref();
  if (ended !== undefined || located === undefined) {
    const reason = errorIn(output);
    rmSync(output, { force: true });
    throw new CommandError(ended ?? EXIT.refused, reason);
  }
  renameSync(output, join(state, "start.log"));
  return located;
}

/** Returns the error that a daemon printed before it ended, without the leading `error:`. */
function errorIn(output: string): string {
  const printed = readFileSync(output, "utf8").trim();
  return printed.replace(/^error: /, "") || "the daemon ended at once, without an error; see .spliced/log";
}
