import { WebSocket } from "ws";
import { type Client, makeClient } from "./client.ts";
import { DisconnectedError, RefusedError, unauthenticated } from "./errors.ts";
import { locateDaemon } from "./locate.ts";
import type { ClientOptions } from "./options.ts";
import { provenDaemon } from "./prove.ts";
import type { Dial, Hearer, Wire } from "./wire.ts";

export interface ConnectOptions extends ClientOptions {
  /** The daemon's `rpc` address; without it, that of the workspace which `folder` is in. */
  readonly rpc?: string | undefined;
  /** Without it, the owner's, as `.spliced/daemon.json` has it. */
  readonly token?: string | undefined;
  /** A folder in the workspace; by default the current one. */
  readonly folder?: string | undefined;
}

/**
 * Connects to a daemon. What is not given is read from the workspace's `.spliced/daemon.json`, at each attempt
 * anew: a daemon that was started again has another address and token.
 *
 * @throws DisconnectedError when no daemon answers, RefusedError when it does not take the token or the name
 */
export async function connect(options: ConnectOptions): Promise<Client> {
  const client = makeClient(dialing(options), options);
  await client.ready();
  return client;
}

/** Opens wires to the daemon that the options name. */
export function dialing(options: Pick<ConnectOptions, "rpc" | "token" | "folder">): Dial {
  return async (hearer, signal) => {
    const { rpc, token } = await whereabouts(options, signal);
    try {
      return await open(rpc, token, hearer, signal);
    } catch (error) {
      // The file may have been that of a daemon which another one has taken over from just now.
      if (error instanceof RefusedError && isMoved(options, rpc, token))
        throw new DisconnectedError(error.message, { cause: error });
      throw error;
    }
  };
}

interface Whereabouts {
  readonly rpc: string;
  readonly token: string;
}

/** Where to go with which token. What is read from the workspace goes to its daemon, proven, and nowhere else. */
async function whereabouts(
  { rpc, token, folder = "." }: Pick<ConnectOptions, "rpc" | "token" | "folder">,
  signal: AbortSignal,
): Promise<Whereabouts> {
  if (rpc !== undefined && token !== undefined) return { rpc, token };
  const located = await provenDaemon(folder, signal);
  if (located === undefined)
    throw new DisconnectedError(`no daemon serves ${folder === "." ? "this folder" : folder}`);
  if (rpc !== undefined && rpc !== located.rpc)
    throw new DisconnectedError(`the owner's token is for ${located.rpc} only; name a token for ${rpc}, too`);
  return { rpc: located.rpc, token: token ?? located.token };
}

function isMoved(
  options: Pick<ConnectOptions, "rpc" | "token" | "folder">,
  rpc: string,
  token: string,
): boolean {
  if (options.rpc !== undefined && options.token !== undefined) return false;
  const now = locateDaemon(options.folder ?? ".");
  return now === undefined || now.rpc !== rpc || (options.token ?? now.token) !== token;
}

function open(rpc: string, token: string, hearer: Hearer, signal: AbortSignal): Promise<Wire> {
  const ws = new WebSocket(rpc, {
    headers: { authorization: `Bearer ${token}` },
    perMessageDeflate: false,
    maxPayload: 0,
  });
  return new Promise((resolve, reject) => {
    const giveUp = () => ws.terminate();
    signal.addEventListener("abort", giveUp, { once: true });
    let opened = false;
    ws.once("open", () => {
      opened = true;
      signal.removeEventListener("abort", giveUp);
      resolve({ send: (frame) => ws.send(frame), close: () => ws.close() });
    });
    ws.once("unexpected-response", (request, response) => {
      request.destroy();
      reject(turnedAway(rpc, response.statusCode ?? 0));
    });
    ws.on("message", (data) => hearer.frame(data.toString()));
    ws.on("error", (error) =>
      reject(new DisconnectedError(`no daemon answers at ${rpc}: ${error.message}`, { cause: error })),
    );
    ws.once("close", (code, reason) => {
      signal.removeEventListener("abort", giveUp);
      if (opened) hearer.end(code, reason.toString());
    });
    if (signal.aborted) giveUp();
  });
}

const UNAUTHORIZED = 401;

function turnedAway(rpc: string, status: number): Error {
  return status === UNAUTHORIZED
    ? unauthenticated(
        `the daemon at ${rpc} does not take the token (401)`,
        "Use the one in .spliced/daemon.json, or make one with: spliced token add",
      )
    : new DisconnectedError(`the daemon at ${rpc} turned the connection away (${status})`);
}
