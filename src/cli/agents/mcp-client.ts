import { setTimeout as wait } from "node:timers/promises";
import { type Client, makeClient } from "../../client/client.ts";
import { DisconnectedError } from "../../client/errors.ts";
import { givenToken } from "../../client/given-token.ts";
import { lookForDaemon } from "../../client/locate.ts";
import { dialing } from "../../client/node.ts";
import { challenge, doubted } from "../../client/prove.ts";
import type { Wire } from "../../client/wire.ts";
import { startInBackground } from "../connection/background.ts";
import { foreignToken, isForeignToken } from "../connection/session.ts";
import { CommandError, EXIT } from "../terminal/output.ts";

/** The longest time to try to reach a daemon that runs or starts. */
const PATIENCE_MS = 15_000;
const LONGEST_PAUSE_MS = 1_000;

/** Returns a client that finds or starts the workspace's daemon whenever it needs one. */
export function clientOf(root: string, name: string): Client {
  const token = givenToken();
  const dial = dialing({ folder: root, token });
  return makeClient((hearer, signal) => dialOrStart(root, () => dial(hearer, signal), signal), {
    name,
    reconnect: "on demand",
    lasting: true,
  });
}

/** Dials the daemon, and starts it if none runs. Other clients may be starting it at the same time. */
async function dialOrStart(root: string, dial: () => Promise<Wire>, signal: AbortSignal): Promise<Wire> {
  const started = performance.now();
  for (let pause = 20; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      if (!(await isThere(root))) await startInBackground(root, { untilUnused: true });
      return await dial();
    } catch (error) {
      if (isForeignToken(error)) throw foreignToken();
      const another = error instanceof CommandError && error.message.startsWith(ANOTHER);
      if (!(another || error instanceof DisconnectedError)) throw error;
      if (signal.aborted || performance.now() - started > PATIENCE_MS) {
        const found = lookForDaemon(root);
        throw another && found.kind === "doubtful"
          ? new CommandError(EXIT.noDaemon, `${error.message}; ${doubted(found)}`)
          : error;
      }
    }
    await wait(pause);
  }
}

/** Returns true for a folder with a daemon whose process this one sees, or that answers from outside of a sandbox. */
async function isThere(root: string): Promise<boolean> {
  const found = lookForDaemon(root);
  if (found.kind === "ended") return (await challenge(found.located)).kind === "proven";
  return found.kind === "located";
}

/** The beginning of the error of a daemon that finds another daemon on its workspace. */
const ANOTHER = "a daemon already serves";
