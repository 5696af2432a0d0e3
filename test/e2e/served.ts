import { type ChildProcess, fork } from "node:child_process";
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { locateDaemon } from "../../src/client/index.ts";
import { atEnd } from "./cleanup.ts";
import { BIN, connector, type ServedFolder } from "./daemon.ts";
import { within } from "./until.ts";

/** The part of the program under test that serves a folder. */
const PROGRAM = pathToFileURL(join(dirname(BIN), "daemon.js")).href;

/** The process that serves folders, and what waits for its answers. */
let host: ChildProcess | undefined;
let asked = 0;
const waiting = new Map<number, (failed: string | undefined) => void>();

/**
 * Serves a folder in a process that has served others, with the code of the real program. It takes a tenth of the
 * processor time of `startDaemon`. A test that ends, stops or measures a daemon's process starts its own. The next daemon
 * of that folder may be this one, also at the port of the first, so that pages and clients find it.
 */
export async function serveFolder(root: string, port = 0): Promise<ServedFolder> {
  const real = realpathSync(root);
  const running = host ?? startHost();
  await ask({ does: "serve", root: real, port });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= ask({ does: "close", root: real });
    return closed;
  };
  atEnd(close);
  const located = locateDaemon(real);
  if (located === undefined || located.pid !== running.pid)
    throw new Error(`${real} is not served: ${JSON.stringify(located)}`);
  return {
    root,
    pid: located.pid,
    located,
    connect: connector(located),
    stop: () =>
      within(
        "the daemon ends",
        close().then(() => 0),
      ),
  };
}

async function ask(work: { does: "serve" | "close"; root: string; port?: number }): Promise<void> {
  const id = asked++;
  const answer = new Promise<string | undefined>((resolve) => waiting.set(id, resolve));
  host?.send({ id, ...work });
  const failed = await within(`a daemon's process does this: ${work.does} ${work.root}`, answer);
  if (failed !== undefined) throw new Error(failed);
}

function startHost(): ChildProcess {
  const started = fork(join(import.meta.dirname, "daemon-host.js"), [PROGRAM], {
    execArgv: [],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const answered = (id: number, failed: string | undefined) => {
    waiting.get(id)?.(failed);
    waiting.delete(id);
  };
  started.on("message", (answer) => {
    const { id, failed } = answer as { id: number; failed?: string };
    answered(id, failed);
  });
  started.once("exit", (code, signal) => {
    host = undefined;
    for (const id of [...waiting.keys()]) answered(id, `the daemons' process ended (${code ?? signal})`);
  });
  started.unref();
  started.channel?.unref();
  host = started;
  return started;
}
