import { HIDDEN, OPEN } from "../fuzz/known-values.ts";
import { Bystander, type Witness } from "./attack/bystander.ts";
import { spread } from "./attack/table.ts";
import { cli } from "./cli.ts";
import { type Daemon, residentBytes, startDaemon } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";

/** Levels that a daemon under fuzz gives to tokens; nobody's reaches what is hidden. */
const FUZZED = ["read", "propose", "write"] as const;
/** By so much may a daemon under fuzz grow. */
const GROWTH_BYTES = 400 << 20;
/** How long somebody else's request may take: a bound against hanging, not a promise. */
export const HANGS_MS = 10_000;

/** What is held to be true after a siege. */
export interface Siege {
  readonly alive: boolean;
  readonly unanswered: number;
  readonly refused: readonly string[];
  /** The longest that somebody else waited, in milliseconds. */
  readonly longest: number;
  readonly grownTooMuch: boolean;
  readonly changed: readonly string[];
}

export const HELD: Omit<Siege, "longest"> = {
  alive: true,
  unanswered: 0,
  refused: [],
  grownTooMuch: false,
  changed: [],
};

/** A daemon whose folder holds open and hidden documents, with tokens that do not reach the hidden ones. */
export interface Besieged {
  readonly daemon: Daemon;
  readonly folder: Folder;
  readonly tokens: readonly string[];
  /** Has somebody else work while `deed` goes on, and tells how the daemon stood it. */
  stands(what: string, deed: () => Promise<void>): Promise<Siege>;
}

export async function besiege(): Promise<Besieged> {
  const folder = makeFolder({ ...OPEN, ...HIDDEN, "small.txt": "small\n" });
  const daemon = await startDaemon(folder.root);
  const tokens: string[] = [];
  for (const level of FUZZED) {
    const rules = ["--allow", "hidden/**=none", "--allow", "small.txt=none", "--allow", `**=${level}`];
    const { code, out, err } = await cli(folder.root, ["token", "add", level, ...rules]);
    if (code !== 0) throw new Error(`no token could be made: ${err}`);
    tokens.push(out.trim());
  }
  return { daemon, folder, tokens, stands };

  async function stands(what: string, deed: () => Promise<void>): Promise<Siege> {
    const bystander = await Bystander.at(daemon.located, "small.txt");
    const before = residentBytes(daemon.pid);
    const { witness } = await bystander.during(deed);
    await bystander.leave();
    const alive = daemonLives(daemon);
    const grown = alive ? residentBytes(daemon.pid) - before : 0;
    const changed = Object.entries(HIDDEN).filter(([path, text]) => folder.read(path) !== text);
    console.info(`${what}: ${told(witness)}; ${(grown / 2 ** 20).toFixed(0)} MB more`);
    return {
      alive,
      unanswered: witness.unanswered,
      refused: witness.refused,
      longest: Math.max(...witness.read, ...witness.edit),
      grownTooMuch: grown > GROWTH_BYTES,
      changed: changed.map(([path]) => path),
    };
  }
}

function daemonLives({ pid }: Daemon): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** How long others waited, for people to read. */
function told({ read, edit }: Witness): string {
  const shown = (times: readonly number[]) =>
    spread(times)
      .map((ms) => ms.toFixed(0))
      .join("/");
  return `others' reads took ${shown(read)} ms (p50/p99/max), their edits ${shown(edit)} ms`;
}
