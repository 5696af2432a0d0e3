import { join } from "node:path";
import { WebSocket } from "ws";
import { startNode } from "../child.ts";
import { PEERS, PROJECT } from "../places.ts";
import type { Scope } from "../scope.ts";

/** Starts one of the servers beside this file in its own process, and connects to the address that it prints. */
export async function connectToPeer(
  scope: Scope,
  script: string,
  ...args: readonly string[]
): Promise<WebSocket> {
  const child = startNode(scope, [join(PEERS, script), ...args], PROJECT);
  const ws = new WebSocket(await child.ready, { perMessageDeflate: false });
  await new Promise((resolve, reject) => {
    ws.once("open", resolve);
    ws.once("error", reject);
  });
  scope.defer(() => ws.terminate());
  return ws;
}
