import type { LanePorts } from "../../src/lanes/disk/lane-ports.ts";
import { systemClock } from "../../src/mirror/clock.ts";
import { FULL_RIGHTS } from "../../src/workspace/access/rights.ts";
import { FakeDisk } from "./fake-disk.ts";
import { FakeFiles } from "./fake-files.ts";

const OWNER = { id: "owner", name: "owner", rights: FULL_RIGHTS };

/** Lanes that are empty folders in memory, with the owner's token alone. */
export const LANE_PORTS: LanePorts = {
  disk: {
    makeFolder: (_root, wanted) => wanted,
    isFolderOf: () => true,
    removeFolder: async () => [],
    writersLook: () => () => false,
    removeRemains() {},
    markLane() {},
    async *fill() {},
    addWorktree: () => undefined,
    looseCommit: () => undefined,
    removeWorktree() {},
    bootId: () => undefined,
  },
  openFiles: () => new FakeFiles(new FakeDisk(systemClock)),
  tokenNamed: (name) => (name === OWNER.name ? OWNER : undefined),
  tokenOf: (id) => (id === OWNER.id ? OWNER : undefined),
  ignored: { copy: [], skip: [] },
};
