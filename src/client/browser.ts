import { subprotocolsOf } from "../transport/page-secret.ts";
import { type Client, makeClient } from "./client.ts";
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

export interface ConnectOptions extends ClientOptions {
  /** The daemon's `rpc` address; by default at the origin of the page, which alone is shown the page's secret. */
  readonly rpc?: string | undefined;
}

/**
 * Connects a page to the daemon that it came from; the cookie of its sign-in and the secret of its origin let it in.
 *
 * @throws RefusedError (UNAUTHENTICATED) when the page is not signed in, DisconnectedError when no daemon answers
 */
export async function connect(options: ConnectOptions): Promise<Client> {
  const client = makeClient(dialing(options.rpc ?? ownAddress()), options);
  await client.ready();
  return client;
}

/** What is used of a browser, as this is compiled without its types. */
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
  return (hearer, signal) =>
    new Promise((resolve, reject) => {
      const ws = new WebSocket(rpc, subprotocolsOf(isOwn(rpc) ? pageSecret() : undefined));
      const giveUp = () => ws.close();
      signal.addEventListener("abort", giveUp, { once: true });
      let opened = false;
      ws.onopen = () => {
        opened = true;
        signal.removeEventListener("abort", giveUp);
        resolve({ send: (frame) => ws.send(frame), close: () => ws.close() });
      };
      ws.onmessage = ({ data }) => hearer.frame(String(data));
      ws.onclose = ({ code, reason }) => {
        signal.removeEventListener("abort", giveUp);
        if (opened) hearer.end(code, reason);
        else whyNot(rpc).then(reject, reject);
      };
    });
}

/** A page is not told why its connection failed; whether it is signed in, it can ask. */
async function whyNot(rpc: string): Promise<Error> {
  const away = new DisconnectedError(`no daemon answers at ${rpc}`);
  try {
    const session = new URL("/session", rpc.replace(/^ws/, "http"));
    const { status } = await (isOwn(rpc) ? fetchAsPage(session) : fetch(session));
    return status === 401
      ? unauthenticated(
          "this page is not signed in",
          "Open it anew from the address that the daemon printed.",
        )
      : away;
  } catch {
    return away; // it does not answer that, either
  }
}
