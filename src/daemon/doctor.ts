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
import { replacingIn } from "../mirror/replace.ts";
import { writersProbe } from "../mirror/system.ts";
import { checkState, checkWorkspace, STATE_FOLDER } from "../state/folder.ts";
import { isTrustedByName, StateError } from "../state/trust.ts";
import { ConfigError, configIn } from "./config.ts";

/** One thing that a folder and its machine can or cannot do for the daemon, and what follows from it. */
export interface DoctorFinding {
  readonly what: string;
  /** `limited`: it works, with less than is promised elsewhere. */
  readonly state: "ok" | "limited" | "bad";
  readonly found: string;
  readonly means: string;
}

/** Tries out what the daemon relies on, in a folder of its own that is gone afterwards. */
export function examine(root: string): DoctorFinding[] {
  let probes: string;
  try {
    probes = mkdtempSync(join(root, ".spliced-doctor-"));
  } catch (error) {
    return [trust(root), unwritable(error)];
  }
  try {
    return [
      trust(root),
      replacing(probes),
      writers(probes),
      fileSystem(root),
      space(root),
      ...watching(),
      node(),
    ];
  } finally {
    rmSync(probes, { recursive: true, force: true });
  }
}

/** Whether a daemon would use what lies in the folder (I17); nothing of it is run or changed but modes of our own. */
function trust(root: string): DoctorFinding {
  const what = "whose it is";
  try {
    checkWorkspace(root);
    const state = join(root, STATE_FOLDER);
    if (existsSync(state)) checkState(state);
    configIn(root);
  } catch (error) {
    if (!(error instanceof StateError || error instanceof ConfigError)) throw error;
    return { what, state: "bad", found: "not served as it is", means: error.message };
  }
  return isTrustedByName(root)
    ? {
        what,
        state: "limited",
        found: "SPLICED_TRUST names it",
        means: "whoever can write the folder can change its configuration, which the daemon runs as you",
      }
    : {
        what,
        state: "ok",
        found: "nobody else can write it",
        means: "the daemon runs its configuration, if there is one: look at that first in a download",
      };
}

function unwritable(error: unknown): DoctorFinding {
  return {
    what: "writing",
    state: "bad",
    found: String(error instanceof Error ? error.message : error),
    means: "the daemon needs to write in the folder: it keeps its state in .spliced",
  };
}

function replacing(probes: string): DoctorFinding {
  const { by } = replacingIn(probes);
  const means = {
    exchange: "a file is replaced in one step that hands back what was there: no save is displaced unseen",
    "hard link":
      "what is replaced is kept by a second name; a save by rename within microseconds of the look can be lost",
    rename: "what is replaced is gone: a save within microseconds of the look can be lost",
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
  const told = probe(reading) === true;
  closeSync(writing);
  const free = probe(reading) === false;
  closeSync(reading);
  return told && free
    ? {
        what: "open files",
        state: "ok",
        found: "who writes is told",
        means: "a file that somebody has open for writing is left alone until it is whole",
      }
    : {
        what: "open files",
        state: "limited",
        found: "who writes is not told",
        means: "a save that is written in place and pauses for long may be taken in half way, then completed",
      };
}

/** File systems by the number that statfs gives (linux/magic.h), where nothing is promised. */
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
        means: "taken for local",
      }
    : {
        what: "file system",
        state: "limited",
        found: network,
        means:
          "saves made on other machines come without an event and are found by looking; nothing is promised",
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
    means: free < LITTLE_BYTES ? "edits are refused once it is full; free some" : "enough to work with",
  };
}

const FEW_WATCHES = 8192;

function watching(): DoctorFinding[] {
  if (process.platform !== "linux") return [];
  const limit = (name: string) => Number(readFileSync(`/proc/sys/fs/inotify/${name}`, "utf8"));
  const watches = limit("max_user_watches");
  const means = "one watch is taken for each folder with an open document; folders without one are looked at";
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
