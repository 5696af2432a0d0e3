import { WebSocket } from "ws";
import { type Client, makeClient, whenReady } from "./client.ts";
import { DisconnectedError, RefusedError, unauthenticated } from "./errors.ts";
import { locateDaemon } from "./locate.ts";
import type { ClientOptions } from "./options.ts";
import { provenDaemon } from "./prove.ts";
import type { Dial, Wire, WireListener } from "./wire.ts";

export interface ConnectOptions extends ClientOptions {
  /** Address of the daemon's `rpc`. Default: the daemon of the workspace that contains `folder`. */
  readonly rpc?: string | undefined;
  /** Default: the owner's token in `.spliced/daemon.json`. */
  readonly token?: string | undefined;
  /** A folder in the workspace. Default: the current folder. */
  readonly folder?: string | undefined;
}

/**
 * Connects to a daemon. Each attempt reads options that are not given from the workspace's
 * `.spliced/daemon.json`: a restarted daemon has another address and token.
 *
 * @throws DisconnectedError when no daemon answers, RefusedError when the daemon refuses the token or the name
 */
export function connect(options: ConnectOptions): Promise<Client> {
  return whenReady(makeClient(dialing(options), options));
}

/** Returns a function that opens wires to the daemon of the options. */
export function dialing(options: Pick<ConnectOptions, "rpc" | "token" | "folder">): Dial {
  return async (listener, signal) => {
    const { rpc, token } = await findDaemon(options, signal);
    try {
      return await open(rpc, token, listener, signal);
    } catch (error) {
      // Another daemon may have just replaced the one that the file named.
      if (error instanceof RefusedError && daemonChanged(options, rpc, token))
        throw new DisconnectedError(error.message, { cause: error });
      throw error;
    }
  };
}

interface DaemonAddress {
  readonly rpc: string;
  readonly token: string;
}

/** Returns the address and the token. The workspace's own token goes only to its proven daemon. */
async function findDaemon(
  { rpc, token, folder = "." }: Pick<ConnectOptions, "rpc" | "token" | "folder">,
  signal: AbortSignal,
): Promise<DaemonAddress> {
  if (rpc !== undefined && token !== undefined) return { rpc, token };
  const located = await provenDaemon(folder, signal);
  if (located === undefined)
    throw new DisconnectedError(`no daemon serves ${folder === "." ? "this folder" : folder}`);
  if (rpc !== undefined && rpc !== located.rpc)
    throw new DisconnectedError(`the owner's token is for ${located.rpc} only; name a token for ${rpc}, too`);
  return { rpc: located.rpc, token: token ?? located.token };
}

/** True when the workspace's file now names another daemon or token. */
function daemonChanged(
  options: Pick<ConnectOptions, "rpc" | "token" | "folder">,
  rpc: string,
  token: string,
): boolean {
  if (options.rpc !== undefined && options.token !== undefined) return false;
  const now = locateDaemon(options.folder ?? ".");
  return now === undefined || now.rpc !== rpc || (options.token ?? now.token) !== token;
}

function open(rpc: string, token: string, listener: WireListener, signal: AbortSignal): Promise<Wire> {
  const ws = new WebSocket(rpc, {
    headers: { authorization: `Bearer ${token}` },
    perMessageDeflate: false,
    maxPayload: 0,
  });
  return new Promise((resolve, reject) => {
    const abort = () => ws.terminate();
    signal.addEventListener("abort", abort, { once: true });
    let opened = false;
    ws.once("open", () => {
      opened = true;
      signal.removeEventListener("abort", abort);
      resolve({ send: (frame) => ws.send(frame), close: () => ws.close() });
    });
    ws.once("unexpected-response", (request, response) => {
      request.destroy();
      reject(connectionRefused(rpc, response.statusCode ?? 0));
    });
    ws.on("message", (data) => listener.frame(data.toString()));
    ws.on("error", (error) => {
      const why = isTimeout(signal.reason) ? "it did not answer in time" : error.message;
      reject(new DisconnectedError(`no daemon answers at ${rpc}: ${why}`, { cause: error }));
    });
    ws.once("close", (code, reason) => {
      signal.removeEventListener("abort", abort);
      if (opened) listener.end(code, reason.toString());
    });
    if (signal.aborted) abort();
  });
}

const UNAUTHORIZED = 401;

function connectionRefused(rpc: string, status: number): Error {
  return status === UNAUTHORIZED
    ? unauthenticated(
        `the daemon at ${rpc} refuses the token (401)`,
        "Use the token in .spliced/daemon.json, or make one with: spliced token add",
      )
    : new DisconnectedError(`the daemon at ${rpc} refused the connection (${status})`);
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === "TimeoutError";
}
