import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Level } from "../../../src/workspace/access/rights.ts";
import { type Daemon, residentBytes, startDaemon } from "../daemon.ts";
import { type Folder, makeFolder } from "../folder.ts";
import { tokenFor } from "../token.ts";
import type { Attack, Ground } from "./attack.ts";
import { Attacker, type Verdict } from "./attacker.ts";
import { Bystander, type Witness } from "./bystander.ts";

/** The interval at which the daemon's memory is read, in milliseconds. */
const LOOK_EVERY_MS = 50;

/** The outcome of an attack, and of the other clients meanwhile. */
export interface Report {
  readonly name: string;
  readonly level: Level;
  readonly verdict: Verdict;
  /** True for an attack that could not be carried out, or that got no answer. */
  readonly failed: boolean;
  /** The duration of the attack, in milliseconds. */
  readonly took: number;
  readonly witness: Witness;
  readonly rss: { readonly before: number; readonly peak: number; readonly after: number };
  readonly alive: boolean;
  /** Documents of the attack whose files have changed. */
  readonly changed: readonly string[];
}

/** A daemon to attack, and another client of it. */
export interface Site {
  readonly folder: Folder;
  readonly daemon: Daemon;
  readonly bystander: Bystander;
  /** A token that allows this level on everything, made at the first use. */
  token(level: Level): Promise<string>;
  close(): Promise<void>;
}

export async function openSite(): Promise<Site> {
  const folder = makeFolder({ "small.txt": "small\n" });
  const daemon = await startDaemon(folder.root);
  const bystander = await Bystander.at(daemon.located, "small.txt");
  const tokens = new Map<Level, Promise<string>>();
  return {
    folder,
    daemon,
    bystander,
    token(level) {
      const known = tokens.get(level) ?? addToken(folder, level);
      tokens.set(level, known);
      return known;
    },
    async close() {
      await bystander.leave();
      await daemon.kill();
    },
  };
}

/** Attacks a daemon and returns the times of other clients. `scale` is the share of the attack's full size. */
export async function launch(attack: Attack, scale: number, site: Site): Promise<Report> {
  const { folder, daemon, bystander, token } = site;
  const ground: Ground = {
    scaled: (full) => Math.max(1, Math.round(full * scale)),
    at: (name) => `${attack.name}/${name}`,
  };
  const attacker = async (level: Level) => Attacker.with(daemon.located.rpc, await token(level));
  const files = Object.entries(attack.files?.(ground) ?? {}).map(
    ([name, text]) => [ground.at(name), text] as const,
  );
  for (const [path, text] of files) folder.write(path, text);
  const deed = await attack.prepare({ ...ground, daemon, token, attacker });
  const digests = digestsOf(folder, files);
  const memory = watchMemory(daemon);
  const started = performance.now();
  let took = 0;
  let failed = false;
  const { outcome, witness } = await bystander.during(async () => {
    const verdict = await deed().catch((error: unknown) => {
      failed = true;
      return `failed: ${String(error)}`;
    });
    took = performance.now() - started;
    return verdict;
  });
  const after = digestsOf(folder, files);
  return {
    name: attack.name,
    level: attack.level,
    verdict: outcome,
    failed,
    took,
    witness,
    rss: memory.end(),
    alive: lives(daemon),
    changed: [...digests.keys()].filter((path) => digests.get(path) !== after.get(path)),
  };
}

function addToken({ root }: Folder, level: Level): Promise<string> {
  return tokenFor(root, level, `**=${level}`);
}

/** Reads only some of the files, because all files of an attack with many are alike. */
function digestsOf({ at }: Folder, files: readonly (readonly [path: string, text: string])[]) {
  const digest = (path: string) =>
    createHash("sha256")
      .update(readFileSync(at(path)))
      .digest("hex");
  return new Map(files.slice(0, 10).map(([path]) => [path, digest(path)]));
}

function lives({ pid }: Daemon): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Reads the daemon's memory until the end; for a daemon that ended, the last value remains. */
function watchMemory(daemon: Daemon) {
  const before = residentBytes(daemon.pid);
  let peak = before;
  let last = before;
  const look = () => {
    try {
      last = residentBytes(daemon.pid);
      peak = Math.max(peak, last);
    } catch {
      clearInterval(looking);
    }
  };
  const looking = setInterval(look, LOOK_EVERY_MS);
  return {
    end() {
      look();
      clearInterval(looking);
      return { before, peak, after: last };
    },
  };
}
