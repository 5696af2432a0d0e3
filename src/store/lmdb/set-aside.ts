import { spawn } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ownerDoubt } from "../../state/trust.ts";
import { segmentsIn } from "../log/replay.ts";
import { isMarkedClosed } from "./mark.ts";
import { DATABASE_FILE, provenanceOf } from "./provenance.ts";

/** The longest time to read a database: a fixed part, and a part for each of its megabytes; milliseconds. */
const CHECK_MS = 20_000;
const CHECK_MS_A_MEGABYTE = 100;

/** Returns the folder of the store in a state folder. */
export function storeIn(state: string): string {
  return join(state, "store");
}

/**
 * The reason why a store is set aside: it is damaged, its provenance is unknown, or the user adopted another in its
 * place.
 */
type AsideKind = "damaged" | "unknown" | "replaced";

export interface SetAside {
  readonly at: string;
  readonly kind: AsideKind;
  readonly since: Date;
}

/**
 * Sets aside a store that is damaged, or that no daemon of this user made (I17), with the staged versions of files.
 * Returns its new folder and the reason. A store that was sealed and closed in order has no front log, and is not read.
 * A process of its own reads any other store, because reading a damaged database can end the process that does it.
 */
export async function setAsideIfUnfit(
  state: string,
  now: Date,
): Promise<{ readonly to: string; readonly reason: string } | undefined> {
  const store = storeIn(state);
  const provenance = provenanceOf(store);
  if (provenance === undefined) return undefined;
  if (provenance === "unknown")
    return {
      to: moveAside(state, "unknown", now),
      reason: "no daemon of yours made it here; if it is yours: spliced adopt",
    };
  const isLogged = segmentsIn(store).length > 0;
  const isThere = existsSync(join(store, DATABASE_FILE));
  if (!isLogged && (!isThere || (provenance === "here" && isMarkedClosed(store)))) return undefined;
  const reason = isThere ? await damageOf(store) : "its front log is there, and its database is not";
  return reason === undefined ? undefined : { to: moveAside(state, "damaged", now), reason };
}

/** Moves the store and the staged versions of files into a new folder, and returns that folder. */
export function moveAside(state: string, kind: AsideKind, now: Date): string {
  const to = freeName(join(state, `${PREFIX}${kind}-${now.toISOString().replaceAll(/[-:]|\.\d+/g, "")}`));
  mkdirSync(to, { mode: 0o700 });
  for (const name of ["store", "tmp"])
    if (existsSync(join(state, name))) renameSync(join(state, name), join(to, name));
  return to;
}

/** Returns the stores that were set aside and are still there, oldest first; none while the state folder is missing. */
export function storesAside(state: string): SetAside[] {
  try {
    return readdirSync(state)
      .sort()
      .flatMap((name) => {
        const kind = KINDS.find((kind) => name.startsWith(`${PREFIX}${kind}-`));
        const at = join(state, name);
        const stats = lstatSync(at);
        // A daemon set aside only folders of this user (I17).
        const foreign = !stats.isDirectory() || ownerDoubt(stats) !== undefined;
        return kind === undefined || foreign ? [] : [{ at, kind, since: stats.mtime }];
      });
  } catch {
    return [];
  }
}

/** The exit code of the reading process for a damaged database; 0 for a sound one. */
export const DAMAGED = 3;
const PREFIX = "store.";
const KINDS: readonly AsideKind[] = ["damaged", "unknown", "replaced"];

function freeName(wanted: string): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? wanted : `${wanted}-${n}`;
    if (lstatSync(name, { throwIfNoEntry: false }) === undefined) return name;
  }
}

/** Returns why a database is damaged; undefined when it is not, or when no process could read it. */
async function damageOf(store: string): Promise<string | undefined> {
  const main = fileURLToPath(new URL("./check-main.js", import.meta.url));
  const child = spawn(process.execPath, [main, store], { stdio: ["ignore", "pipe", "ignore"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  const ended = new Promise<number | string | null>((done) => {
    child.once("error", () => done(null));
    child.once("close", (code, signal) => done(code ?? signal));
  });
  const size = statSync(join(store, DATABASE_FILE)).size;
  const finished = new AbortController();
  const limit = CHECK_MS + (size / 1e6) * CHECK_MS_A_MEGABYTE;
  const late = pause(limit, "late" as const, { signal: finished.signal }).catch(() => "late" as const);
  const end = await Promise.race([ended, late]);
  finished.abort();
  if (end === "late") {
    child.kill("SIGKILL");
    return "it cannot be read to its end";
  }
  if (end === DAMAGED) return output.trim();
  return typeof end === "string" ? `reading it ends a process (${end})` : undefined;
}
