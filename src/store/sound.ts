import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isMarkedClosed } from "./mark.ts";

/** How long looking through a database may take: so long, and so much more for each of its megabytes. */
const CHECK_MS = 20_000;
const CHECK_MS_A_MEGABYTE = 100;

/** Where the store is in a state folder. */
export function storeIn(state: string): string {
  return join(state, "store");
}

/**
 * Sets a damaged store aside, with the versions of files that were on their way; answers where to and why. Only
 * one that was not closed in order, or is not what it was then, is looked through. That is done by a process of
 * its own, because reading a damaged database can end whoever reads it.
 */
export async function setAsideIfDamaged(
  state: string,
  now: Date,
): Promise<{ readonly to: string; readonly reason: string } | undefined> {
  const store = storeIn(state);
  if (!existsSync(join(store, "data.mdb")) || isMarkedClosed(store)) return undefined;
  const reason = await damageOf(store);
  if (reason === undefined) return undefined;
  const to = join(state, `${ASIDE}${now.toISOString().replaceAll(/[-:]|\.\d+/g, "")}`);
  mkdirSync(to, { mode: 0o700 });
  renameSync(store, join(to, "store"));
  const staged = join(state, "tmp");
  if (existsSync(staged)) renameSync(staged, join(to, "tmp"));
  return { to, reason };
}

/** The damaged stores that were set aside and are still there, and when each was; none while the folder is away. */
export function setAside(state: string): { readonly at: string; readonly since: Date }[] {
  try {
    return readdirSync(state)
      .filter((name) => name.startsWith(ASIDE))
      .map((name) => ({ at: join(state, name), since: statSync(join(state, name)).mtime }));
  } catch {
    return [];
  }
}

/** The exit code that says that a database is damaged; 0 says that it is not. */
export const DAMAGED = 3;
const ASIDE = "store.damaged-";

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
