import { watch } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "../src/client/client.ts";
import { Joining } from "../src/daemon/machines/join.ts";
import { parseLine } from "../src/link/members/line.ts";
import type { Bench } from "./bench.ts";
import { type Daemon, startDaemon } from "./daemon.ts";

/** One of several machines that share a workspace: its daemon, in a process of its own, and a client of it. */
export interface MachineDaemon {
  readonly daemon: Daemon;
  readonly client: Client;
}

/** Starts a daemon on a folder and shares the folder through a broker. */
export async function shareFolder(bench: Bench, root: string, broker: string): Promise<MachineDaemon> {
  const daemon = await startDaemon(bench, root);
  const client = await daemon.connect("bench");
  await client.request("workspace.share", { broker });
  return { daemon, client };
}

/** Joins an empty folder to a shared workspace, and starts its daemon. */
export async function joinFolder(
  bench: Bench,
  { client }: MachineDaemon,
  name: string,
  root = bench.scope.folder(),
): Promise<MachineDaemon> {
  const line = parseLine((await client.request("workspace.share", {})).line, Date.now());
  if ("refused" in line) throw new Error(line.message);
  await new Joining(root, line, {}, name).join(() => undefined);
  const daemon = await startDaemon(bench, root);
  const joined = { daemon, client: await daemon.connect("bench") };
  while ((await joined.client.request("machine.list", {})).status !== "shared") await wait(20);
  return joined;
}

/** Resolves once a check succeeds, which is made again at each change of an entry of a folder. */
export function atChange(folder: string, isDone: () => boolean, ms = 600_000): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (!isDone()) return;
      end();
      resolve();
    };
    const late = setTimeout(() => {
      end();
      reject(new Error(`${folder} did not become as expected`));
    }, ms);
    const watcher = watch(folder, look);
    const end = () => {
      clearTimeout(late);
      watcher.close();
    };
    look();
  });
}
