import type { Machine } from "../link/machines.ts";
import { marksIn } from "./machines-ledger.ts";
import type { MachinesWorld } from "./machines-world.ts";

/** The further turns of runs in which machines lose power. */
export const POWER_TURNS = [["power", 4]] as const;
export type PowerTurn = (typeof POWER_TURNS)[number][0];

/** How often somebody uses a file that the daemon has not written again since a power cut. */
const USED = 0.1;

/** The files that power cuts changed, and that their machines' daemons have not written again. */
export class PowerCuts {
  readonly #world: MachinesWorld;
  /** What each file held at the last cuts, by machine and path. */
  readonly #held = new Map<Machine, Map<string, string>>();

  constructor(world: MachinesWorld) {
    this.#world = world;
  }

  /** Cuts the power of a machine whose daemon has just ended. People's editors had synced their saves. */
  cut(machine: Machine): void {
    const { disk } = machine;
    const held = this.#held.get(machine) ?? new Map<string, string>();
    this.#held.set(machine, held);
    const before = machine.files();
    disk.powerCut(this.#world.random);
    for (const [path, text] of Object.entries(before))
      if (disk.text(path) !== text) held.set(path, (held.get(path) ?? "") + text);
    this.#world.say(`${machine.name} loses power`);
  }

  /**
   * Returns true if a person uses a file now. Mostly people leave a file alone that a power cut changed, and nobody edits
   * zeros; who saves or deletes it nonetheless removes what it had.
   */
  isUsed(machine: Machine, path: string): boolean {
    const { random, ledger } = this.#world;
    const held = this.#held.get(machine);
    const lost = held?.get(path);
    if (held === undefined || lost === undefined) return true;
    const document = machine.workspace.loadedAt(path as never);
    const isWhole = document?.deleted === false && document.holds(document.head.seq);
    const isUsed = isWhole || (!machine.disk.text(path)!.includes("\0") && random.chance(USED));
    if (isUsed) held.delete(path);
    if (isUsed && !isWhole) ledger.remove(marksIn(lost));
    return isUsed;
  }
}

function isKnown(store: Machine["store"], path: string): boolean {
  const record = store.documentAt(path);
  return record !== undefined && record.deletedAt === undefined;
}

/** What a power cut leaves of a file that is no text: zeros, or the beginning of a character at its end. */
const REMAINS = /^\0+$|\ufffd$/;

/** A person removes what a power cut left of files that no daemon knows. */
export function removeRemains(world: MachinesWorld): void {
  for (const { name, disk, store } of world.all)
    for (const path of disk.paths()) {
      if (!REMAINS.test(disk.text(path)!) || isKnown(store, path)) continue;
      world.say(`${name} removes what is left of ${path}`);
      disk.remove(path);
    }
}
