import { Machines } from "../../src/link/machines.ts";
import type { Workspace } from "../../src/workspace/folder/workspace.ts";

/** Returns the machines of a workspace that is not shared, and has no broker to be shared through. */
export function alone(workspace: Workspace): Machines {
  return new Machines({
    workspace,
    file: "/nonexistent/link.json",
    host: "host",
    site: () => ({ host: "host", inode: "1", device: "1", path: "/nonexistent" }),
    openCarrier: () => {
      throw new Error("there is no broker");
    },
  });
}
