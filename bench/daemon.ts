import type { Client } from "../src/client/client.ts";
import { locateDaemon } from "../src/client/locate.ts";
import { connect } from "../src/client/node.ts";
import type { Bench } from "./bench.ts";
import { startNode } from "./child.ts";
import { PROJECT } from "./places.ts";

export interface Daemon {
  /** The workspace. */
  readonly root: string;
  readonly url: string;
  connect(name: string): Promise<Client>;
}

/** Starts the real daemon in a child process. It serves `root` until the bench's scope closes. */
export async function startDaemon({ scope, bin, nodeArgs }: Bench, root: string): Promise<Daemon> {
  const child = startNode(scope, [...nodeArgs, ...daemonArgs(bin, root)], PROJECT);
  await child.ready;
  const located = locateDaemon(root);
  if (located === undefined) throw new Error(`the daemon was ready, but ${root} has no daemon.json`);
  return {
    root,
    url: located.url,
    async connect(name) {
      const client = await connect({ ...located, name, reconnect: false });
      scope.defer(() => client.close());
      return client;
    },
  };
}

/** Returns the arguments with which Node runs the daemon. */
export function daemonArgs(bin: string, root: string): string[] {
  return [bin, "run", root, "--json", "--port", "0"];
}
