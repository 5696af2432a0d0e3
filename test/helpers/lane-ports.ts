import type { LanePorts } from "../../src/lanes/lane-ports.ts";
import { openSandbox } from "../../src/mirror/sandbox.ts";
import { FULL_RIGHTS } from "../../src/workspace/access/rights.ts";

const OWNER = { id: "owner", name: "owner", rights: FULL_RIGHTS };

/** Lanes on the real disk, with the owner's token alone. */
export const LANE_PORTS: LanePorts = {
  openFiles: (folder) => openSandbox(folder, () => {}),
  tokenNamed: (name) => (name === OWNER.name ? OWNER : undefined),
  tokenOf: (id) => (id === OWNER.id ? OWNER : undefined),
  ignored: { copy: [], skip: [] },
};
