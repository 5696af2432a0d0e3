import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { tellsReads } from "../../mirror/disk/read-watch.ts";
import { replacingIn } from "../../mirror/disk/replace.ts";
import { checkState, checkWorkspace, PROBES, STATE_FOLDER } from "../../state/folder.ts";
import { systemDoubt } from "../../state/system-folder.ts";
import { isTrustedByName, StateError } from "../../state/trust.ts";
import { writersProbe } from "../../system/files.ts";
import { ConfigError, checkConfig } from "../config/config.ts";

/** The result of one check of a folder and its machine. */
export interface DoctorFinding {
  /** The name of the check. */
  readonly what: string;
  /** `limited`: the daemon serves the folder, but promises less than elsewhere. */
  readonly state: "ok" | "limited" | "bad";
  readonly found: string;
  /** The consequence for the person. */
  readonly means: string;
}

/** Checks that a folder and its machine have the features that the daemon needs. The probes leave nothing behind. */
export function examine(root: string): DoctorFinding[] {
  const system = systemDoubt(root);
  if (system !== undefined) return [notServed(system)];
  let probes: string;
  try {
    probes = mkdtempSync(join(root, PROBES));
  } catch (error) {
    return [trust(root), unwritable(error)];
  }
  try {
    return [trust(root), ...probed(probes), fileSystem(root), space(root), ...watching(), node()];
  } finally {
    rmSync(probes, { recursive: true, force: true });
  }
}

/** Checks what the daemon can do with files; a full disk takes none. */
function probed(probes: string): DoctorFinding[] {
  try {
    return [replacing(probes), writers(probes), readings(probes)];
  } catch (error) {
    return [unwritable(error)];
  }
}

const OWNERSHIP = "ownership";

/** Checks whether a daemon would serve the folder (I17). Only the modes of the daemon's own files may change. */
function trust(root: string): DoctorFinding {
  try {
    checkWorkspace(root);
    const state = join(root, STATE_FOLDER);
    if (existsSync(state)) checkState(state);
    checkConfig(root);
  } catch (error) {
    if (!(error instanceof StateError || error instanceof ConfigError)) throw error;
    return notServed(error.message);
  }
  return isTrustedByName(root)
    ? {
        what: OWNERSHIP,
        state: "limited",
        found: "SPLICED_TRUST names the folder",
        means: "anyone who can write the folder can change its configuration, which the daemon runs as you",
      }
    : {
        what: OWNERSHIP,
        state: "ok",
        found: "no other user can write the folder",
        means: "the daemon runs nothing in the folder that you have not approved",
      };
}

function notServed(reason: string): DoctorFinding {
  return { what: OWNERSHIP, state: "bad", found: "the daemon does not serve it", means: reason };
}

function unwritable(error: unknown): DoctorFinding {
  return {
    what: "writing",
    state: "bad",
    found: String(error instanceof Error ? error.message : error),
    means: "the daemon has to write in the folder, because it stores its state in .spliced",
  };
}

function replacing(probes: string): DoctorFinding {
  const { by } = replacingIn(probes);
  const means = {
    exchange: "the daemon swaps the old and the new file in one step, so it never overwrites a save unseen",
    "hard link":
      "the daemon keeps the old file under a second name; a save by rename at the same microsecond can be lost",
    rename: "the daemon overwrites the old file; a save at the same microsecond can be lost",
  };
  return {
    what: "replacing files",
    state: by === "exchange" ? "ok" : "limited",
    found: by,
    means: means[by],
  };
}

function writers(probes: string): DoctorFinding {
  const file = join(probes, "written");
  writeFileSync(file, "");
  const reading = openSync(file, "r");
  const writing = openSync(file, "a");
  const probe = writersProbe();
  const seesWriter = probe(reading) === true;
  closeSync(writing);
  const seesNoWriter = probe(reading) === false;
  closeSync(reading);
  return seesWriter && seesNoWriter
    ? {
        what: "open files",
        state: "ok",
        found: "the system reports open files",
        means: "the daemon waits while a program has a file open for writing",
      }
    : {
        what: "open files",
        state: "limited",
        found: "the system does not report open files",
        means:
          "if a program pauses while it writes a file in place, the daemon may read the save in two parts",
      };
}

function readings(probes: string): DoctorFinding {
  const what = "readings";
  const editors = "Vim, Emacs and VS Code name the version that they have loaded";
  return tellsReads(probes)
    ? {
        what,
        state: "ok",
        found: "the system shows whether a file was read",
        means: `the daemon knows that a save is stale if no process has read the newest text; ${editors}`,
      }
    : {
        what,
        state: "limited",
        found: "the system does not show whether a file was read, as with the mount option noatime",
        means: `${editors}; for other programs the daemon compares texts to find stale saves`,
      };
}

/** Network file systems, on which the daemon promises nothing, by the type that statfs gives (linux/magic.h). */
const NETWORK: Readonly<Record<number, string>> = {
  26985: "NFS",
  4283649346: "CIFS",
  4266872130: "SMB2",
  20859: "SMB",
  16914839: "9P",
  1702057286: "FUSE",
  1397703499: "AFS",
  12805120: "Ceph",
};

function fileSystem(root: string): DoctorFinding {
  const { type } = statfsSync(root);
  const network = process.platform === "linux" ? NETWORK[type >>> 0] : undefined;
  return network === undefined
    ? {
        what: "file system",
        state: "ok",
        found: `type 0x${(type >>> 0).toString(16)}`,
        means: "the daemon treats it as a local file system",
      }
    : {
        what: "file system",
        state: "limited",
        found: network,
        means:
          "the system does not report saves from other machines; the daemon checks for them, without guarantees",
      };
}

const LITTLE_BYTES = 64 << 20;

function space(root: string): DoctorFinding {
  const { bavail, bsize } = statfsSync(root);
  const free = bavail * bsize;
  return {
    what: "space",
    state: free < LITTLE_BYTES ? "limited" : "ok",
    found: `${Math.floor(free / (1 << 20))} MiB free`,
    means:
      free < LITTLE_BYTES
        ? "the daemon refuses edits once the disk is full; free some space"
        : "enough space",
  };
}

const FEW_WATCHES = 8192;

function watching(): DoctorFinding[] {
  if (process.platform !== "linux") return [];
  const limit = (name: string) => Number(readFileSync(`/proc/sys/fs/inotify/${name}`, "utf8"));
  const watches = limit("max_user_watches");
  const means = "each folder needs one watch; the daemon checks folders without one";
  return [
    {
      what: "watching",
      state: watches < FEW_WATCHES ? "limited" : "ok",
      found: `${watches} watches, ${limit("max_queued_events")} queued events`,
      means: watches < FEW_WATCHES ? `${means}; raise fs.inotify.max_user_watches` : means,
    },
  ];
}

function node(): DoctorFinding {
  return { what: "node", state: "ok", found: process.versions.node, means: `on ${process.platform}` };
}
