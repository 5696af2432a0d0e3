import { subprotocolsOf } from "../transport/page-secret.ts";
import { type Client, makeClient, whenReady } from "./client.ts";
import { DisconnectedError, unauthenticated } from "./errors.ts";
import type { ClientOptions } from "./options.ts";
import { fetchAsPage, pageSecret } from "./page-secret.ts";
import type { Dial } from "./wire.ts";

export type { Change } from "./changes.ts";
export type { Client } from "./client.ts";
export { DisconnectedError, LostEditError, RefusedError } from "./errors.ts";
export type { LiveChange, LiveEnd, LiveEvents } from "./live-events.ts";
export type { LiveText } from "./live-text.ts";
export type { ClientEvents, ClientState } from "./options.ts";
export { fetchAsPage, keepPageSecret, pageSecret } from "./page-secret.ts";
export { filesOf, type ProposalFile } from "./proposal-files.ts";

export interface ConnectOptions extends ClientOptions {
  /**
   * Address of the daemon's `rpc`. Default: the origin of the page, which alone receives the page's secret.
   */
  readonly rpc?: string | undefined;
}

/**
 * Connects a page to its daemon with the cookie of the browser's sign-in and the secret of the page's origin.
 *
 * @throws RefusedError (UNAUTHENTICATED) when the page is not signed in, DisconnectedError when no daemon answers
 */
export function connect(options: ConnectOptions): Promise<Client> {
  return whenReady(makeClient(dialing(options.rpc ?? ownAddress()), options));
}

/** The parts of a browser that this file uses: the build compiles it without the browser's types. */
declare const location: { readonly protocol: string; readonly host: string };
declare const WebSocket: new (
  url: string,
  subprotocols: readonly string[],
) => {
  onopen: (() => void) | null;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null;
  send(frame: string): void;
  close(): void;
};

function ownAddress(): string {
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/rpc`;
}

function isOwn(rpc: string): boolean {
  return new URL(rpc).host === location.host;
}

function dialing(rpc: string): Dial {
  return (listener, signal) =>
    new Promise((resolve, reject) => {
      const ws = new WebSocket(rpc, subprotocolsOf(isOwn(rpc) ? pageSecret() : undefined));
      const abort = () => ws.close();
      signal.addEventListener("abort", abort, { once: true });
      let opened = false;
      ws.onopen = () => {
        opened = true;
        signal.removeEventListener("abort", abort);
        resolve({ send: (frame) => ws.send(frame), close: () => ws.close() });
      };
      ws.onmessage = ({ data }) => listener.frame(String(data));
      ws.onclose = ({ code, reason }) => {
        signal.removeEventListener("abort", abort);
        if (opened) listener.end(code, reason);
        else connectionError(rpc).then(reject, reject);
      };
    });
}

/**
 * Returns why a connection failed. A browser hides the reason from the page, so the page asks for its
 * session.
 */
async function connectionError(rpc: string): Promise<Error> {
  const noAnswer = new DisconnectedError(`no daemon answers at ${rpc}`);
  try {
    const session = new URL("/session", rpc.replace(/^ws/, "http"));
    const { status } = await (isOwn(rpc) ? fetchAsPage(session) : fetch(session));
    return status === 401
      ? unauthenticated(
          "this page is not signed in",
          "Run `spliced open` and open the address that it prints.",
        )
      : noAnswer;
  } catch {
    return noAnswer; // the request for the session failed, too
  }
}
