import { join } from "node:path";
import type { WebSocket } from "ws";
import { DAEMON_ARGS } from "../../src/cli/connection/background.ts";
import { startNode } from "../child.ts";
import { MARKED, MarkedFile } from "../marked.ts";
import { FLOORS, PROJECT } from "../places.ts";
import type { Scope } from "../scope.ts";
import { openSocket, Wire } from "../wire.ts";

/** The least server of edits, which speaks the methods that rows use, and serves `root`. */
export interface EditFloor {
  readonly root: string;
  readonly pid: number;
  /** Opens a bare connection and says `hello`. `agent` is the id of its edits. */
  wire(name: string): Promise<{ readonly wire: Wire; readonly agent: string; readonly socket: WebSocket }>;
}

/**
 * Starts the least server of edits with the daemon's arguments for Node. The mode `watch` takes in what others save; a
 * file is that of a link to other machines.
 */
export async function startEditFloor(
  scope: Scope,
  mode = "alone",
  root = scope.folder(),
): Promise<EditFloor> {
  const args = [...DAEMON_ARGS, join(FLOORS, "edit-server.js"), root, mode];
  const { pid, ready } = startNode(scope, args, PROJECT);
  const url = await ready;
  return {
    root,
    pid,
    async wire() {
      const socket = await openSocket(url);
      scope.defer(() => socket.terminate());
      const wire = new Wire(socket);
      const { agent } = await wire.request<{ agent: { id: string } }>("hello", {});
      return { wire, agent: agent.id, socket };
    },
  };
}

/** A request to splice. */
export interface Splicing {
  readonly path: string;
  readonly version: string;
  readonly splices: { readonly from: number; readonly to: number; readonly insert: string }[];
  readonly ack: "durable";
}

/** Returns a marked file that the least server edits. */
export async function floorFile(scope: Scope, bytes: number, ack: "mirrored" | "durable") {
  const floor = await startEditFloor(scope);
  const { wire } = await floor.wire("bench");
  const file = new MarkedFile(floor.root, bytes, floor.pid, (old, updated) =>
    wire.request("edit.replace", { path: MARKED, old, new: updated, ack }),
  );
  return {
    file,
    splice: (edit: Splicing) => wire.request("edit.splice", { ...edit }),
    save: () => wire.request("doc.save", { path: MARKED }),
  };
}
