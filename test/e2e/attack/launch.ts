import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Level } from "../../../src/workspace/rights.ts";
import { cli } from "../cli.ts";
import { type Daemon, residentBytes, startDaemon } from "../daemon.ts";
import { type Folder, makeFolder } from "../folder.ts";
import type { Attack, Scene } from "./attack.ts";
import { Attacker, type Verdict } from "./attacker.ts";
import { Bystander, type Witness } from "./bystander.ts";

/** How often the daemon's memory is looked at. */
const LOOK_EVERY_MS = 50;

/** What became of an attack, and of the others meanwhile. */
export interface Report {
  readonly name: string;
  readonly level: Level;
  readonly verdict: Verdict;
  /** How long the attack was under way, in milliseconds. */
  readonly took: number;
  readonly witness: Witness;
  readonly rss: { readonly before: number; readonly peak: number; readonly after: number };
  readonly alive: boolean;
  /** Documents of the attack whose files are not what they were. */
  readonly changed: readonly string[];
}

/** Starts a daemon, attacks it, and tells how others fared. `scale` is the share of the full size. */
export async function launch(attack: Attack, scale: number): Promise<Report> {
  const scaled = (full: number) => Math.max(1, Math.round(full * scale));
  const files = attack.files?.(scaled) ?? {};
  const folder = makeFolder({ ...files, "small.txt": "small\n" });
  const daemon = await startDaemon(folder.root);
  const bystander = await Bystander.at(daemon.located, "small.txt");
  const deed = await attack.prepare(sceneIn(folder, daemon, scaled));
  const digests = digestsOf(folder, Object.keys(files));
  const memory = watchMemory(daemon);
  const started = performance.now();
  let took = 0;
  const { outcome, witness } = await bystander.during(async () => {
    const verdict = await deed().catch((error: unknown) => `failed: ${String(error)}`);
    took = performance.now() - started;
    return verdict;
  });
  const rss = memory.end();
  const alive = lives(daemon);
  await bystander.leave();
  const after = digestsOf(folder, Object.keys(files));
  const changed = Object.keys(files).filter((path) => digests.get(path) !== after.get(path));
  await daemon.kill();
  return { name: attack.name, level: attack.level, verdict: outcome, took, witness, rss, alive, changed };
}

function sceneIn(folder: Folder, daemon: Daemon, scaled: Scene["scaled"]): Scene {
  const tokens = new Map<Level, Promise<string>>();
  const token = (level: Level) => {
    const known = tokens.get(level) ?? addToken(folder, level);
    tokens.set(level, known);
    return known;
  };
  const attacker = async (level: Level) => Attacker.with(daemon.located.rpc, await token(level));
  return { folder, daemon, scaled, token, attacker };
}

async function addToken({ root }: Folder, level: Level): Promise<string> {
  const { code, out, err } = await cli(root, ["token", "add", level, "--allow", `**=${level}`]);
  if (code !== 0) throw new Error(`no token could be made: ${err}`);
  return out.trim();
}

function digestsOf({ at }: Folder, paths: readonly string[]): ReadonlyMap<string, string> {
  const few = paths.slice(0, 10);
  return new Map(
    few.map((path) => [
      path,
      createHash("sha256")
        .update(readFileSync(at(path)))
        .digest("hex"),
    ]),
  );
}

function lives({ pid }: Daemon): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Looks at the daemon's memory until the end; a daemon that died keeps what was seen last. */
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
