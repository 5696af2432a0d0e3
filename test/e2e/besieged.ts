import { HIDDEN, OPEN } from "../fuzz/known-values.ts";
import { Bystander, type Witness } from "./attack/bystander.ts";
import { spread } from "./attack/table.ts";
import { type Daemon, residentBytes, startDaemon } from "./daemon.ts";
import { type Folder, makeFolder } from "./folder.ts";
import { tokenFor } from "./token.ts";

/** The levels of the tokens of a daemon under fuzz; none of them reaches the hidden documents. */
const FUZZED = ["read", "propose", "write"] as const;
/** The bytes by which a daemon under fuzz may grow. */
const GROWTH_BYTES = 400 << 20;
/** The time that another client's request may take: a bound against hanging, not a promise. */
export const HANGS_MS = 10_000;

/** The result of a siege. */
export interface Siege {
  readonly alive: boolean;
  readonly unanswered: number;
  readonly refused: readonly string[];
  /** The longest wait of another client, in milliseconds. */
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
  /** Runs another client's work during `deed`, and returns the state of the daemon afterwards. */
  stands(what: string, deed: () => Promise<void>): Promise<Siege>;
}

export async function besiege(): Promise<Besieged> {
  const folder = makeFolder({ ...OPEN, ...HIDDEN, "small.txt": "small\n" });
  const daemon = await startDaemon(folder.root);
  const tokens: string[] = [];
  for (const level of FUZZED) {
    const rules = ["hidden/**=none", "small.txt=none", `**=${level}`];
    tokens.push(await tokenFor(folder.root, level, ...rules));
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

/** Returns the waits of other clients as text. */
function told({ read, edit }: Witness): string {
  const shown = (times: readonly number[]) =>
    spread(times)
      .map((ms) => ms.toFixed(0))
      .join("/");
  return `others' reads took ${shown(read)} ms (p50/p99/max), their edits ${shown(edit)} ms`;
}
