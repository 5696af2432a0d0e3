import { join } from "node:path";
import type { WebSocket } from "ws";
import { startNode } from "../child.ts";
import { PEERS, PROJECT } from "../places.ts";
import type { Scope } from "../scope.ts";
import { openSocket } from "../wire.ts";

/** A server beside this file in its own process. */
interface Peer {
  readonly pid: number;
  readonly url: string;
}

/** Starts one of the servers beside this file, which prints its address. */
export async function startPeer(scope: Scope, script: string, ...args: readonly string[]): Promise<Peer> {
  const child = startNode(scope, [join(PEERS, script), ...args], PROJECT);
  return { pid: child.pid, url: await child.ready };
}

/** Starts one of the servers and connects to it. */
export async function connectToPeer(
  scope: Scope,
  script: string,
  ...args: readonly string[]
): Promise<{ readonly ws: WebSocket; readonly pid: number }> {
  const { pid, url } = await startPeer(scope, script, ...args);
  const ws = await openSocket(url);
  scope.defer(() => ws.terminate());
  return { ws, pid };
}
