import { spawn } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ownerDoubt } from "../state/trust.ts";
import { isMarkedClosed } from "./mark.ts";
import { originOf } from "./origin.ts";

/** How long looking through a database may take: so long, and so much more for each of its megabytes. */
const CHECK_MS = 20_000;
const CHECK_MS_A_MEGABYTE = 100;

/** Where the store is in a state folder. */
export function storeIn(state: string): string {
  return join(state, "store");
}

/** Why a store is set aside: it cannot be read, nobody knows who made it, or another was adopted in its place. */
export type AsideKind = "damaged" | "unknown" | "replaced";

export interface SetAside {
  readonly at: string;
  readonly kind: AsideKind;
  readonly since: Date;
}

/**
 * Sets a store aside that is damaged, or that this user's daemon did not make (I17), with the versions of files that
 * were on their way; answers where to and why. One that was sealed and closed in order is not looked through. That
 * is done by a process of its own, because reading a damaged database can end whoever reads it.
 */
export async function setAsideIfUnfit(
  state: string,
  now: Date,
): Promise<{ readonly to: string; readonly reason: string } | undefined> {
  const store = storeIn(state);
  const origin = originOf(store);
  if (origin === undefined) return undefined;
  if (origin === "unknown")
    return {
      to: moveAside(state, "unknown", now),
      reason: "no daemon of yours made it here; if it is yours: spliced adopt",
    };
  if (!existsSync(join(store, "data.mdb")) || (origin === "here" && isMarkedClosed(store))) return undefined;
  const reason = await damageOf(store);
  return reason === undefined ? undefined : { to: moveAside(state, "damaged", now), reason };
}

/** Moves the store, and what was on its way to files, into a folder of its own; answers which. */
export function moveAside(state: string, kind: AsideKind, now: Date): string {
  const to = freeName(join(state, `${PREFIX}${kind}-${now.toISOString().replaceAll(/[-:]|\.\d+/g, "")}`));
  mkdirSync(to, { mode: 0o700 });
  for (const name of ["store", "tmp"])
    if (existsSync(join(state, name))) renameSync(join(state, name), join(to, name));
  return to;
}

/** The stores that were set aside and are still there, oldest first; none while the folder is away. */
export function setAside(state: string): SetAside[] {
  try {
    return readdirSync(state)
      .sort()
      .flatMap((name) => {
        const kind = KINDS.find((kind) => name.startsWith(`${PREFIX}${kind}-`));
        const at = join(state, name);
        const stats = lstatSync(at);
        // What lies there under such a name and is no folder of this user's was not set aside by a daemon (I17).
        const foreign = !stats.isDirectory() || ownerDoubt(stats) !== undefined;
        return kind === undefined || foreign ? [] : [{ at, kind, since: stats.mtime }];
      });
  } catch {
    return [];
  }
}

/** The exit code that says that a database is damaged; 0 says that it is not. */
export const DAMAGED = 3;
const PREFIX = "store.";
const KINDS: readonly AsideKind[] = ["damaged", "unknown", "replaced"];

function freeName(wanted: string): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? wanted : `${wanted}-${n}`;
    if (lstatSync(name, { throwIfNoEntry: false }) === undefined) return name;
  }
}

/** What is wrong with a database; undefined when nothing is, or when it could not be looked through. */
async function damageOf(store: string): Promise<string | undefined> {
  const main = fileURLToPath(new URL("./check-main.js", import.meta.url));
  const child = spawn(process.execPath, [main, store], { stdio: ["ignore", "pipe", "ignore"] });
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ended = new Promise<number | string | null>((done) => {
    child.once("error", () => done(null));
    child.once("close", (code, signal) => done(code ?? signal));
  });
  const size = statSync(join(store, "data.mdb")).size;
  const enough = new AbortController();
  const limit = CHECK_MS + (size / 1e6) * CHECK_MS_A_MEGABYTE;
  const late = pause(limit, "late" as const, { signal: enough.signal }).catch(() => "late" as const);
  const end = await Promise.race([ended, late]);
  enough.abort();
  if (end === "late") {
    child.kill("SIGKILL");
    return "it cannot be read to its end";
  }
  if (end === DAMAGED) return said.trim();
  return typeof end === "string" ? `reading it ends a process (${end})` : undefined;
}
