import type { WebSocket } from "ws";
import { DAEMON_ARGS } from "../src/cli/connection/background.ts";
import type { Client } from "../src/client/client.ts";
import { locateDaemon } from "../src/client/locate.ts";
import { connect } from "../src/client/node.ts";
import type { Bench } from "./bench.ts";
import { startNode } from "./child.ts";
import { PROJECT } from "./places.ts";
import { openSocket, Wire } from "./wire.ts";

export interface Daemon {
  /** The workspace. */
  readonly root: string;
  readonly url: string;
  readonly pid: number;
  connect(name: string): Promise<Client>;
  /** Opens a bare connection and says `hello`. `agent` is the id of its edits. */
  wire(name: string): Promise<{ readonly wire: Wire; readonly agent: string; readonly socket: WebSocket }>;
}

/** Starts the real daemon in a child process. It serves `root` until the bench's scope closes. */
export async function startDaemon({ scope, bin, nodeArgs }: Bench, root: string): Promise<Daemon> {
  const child = startNode(scope, [...nodeArgs, ...daemonArgs(bin, root)], PROJECT);
  await child.ready;
  const located = locateDaemon(root);
  if (located === undefined) throw new Error(`the daemon was ready, but ${root} has no daemon.json`);
  const { url, rpc, token } = located;
  return {
    root,
    url,
    pid: child.pid,
    async connect(name) {
      const client = await connect({ ...located, name, reconnect: false });
      scope.defer(() => client.close());
      return client;
    },
    async wire(name) {
      const socket = await openSocket(rpc, { authorization: `Bearer ${token}` });
      scope.defer(() => socket.terminate());
      const wire = new Wire(socket);
      const hello = { protocol: 1, agent: { name } };
      const { agent } = await wire.request<{ agent: { id: string } }>("hello", hello);
      return { wire, agent: agent.id, socket };
    },
  };
}

/** Returns the arguments with which Node runs the daemon. */
export function daemonArgs(bin: string, root: string): string[] {
  return [...DAEMON_ARGS, bin, "run", root, "--json", "--port", "0"];
}
