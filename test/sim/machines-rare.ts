import type { DocPath } from "../../src/mirror/path.ts";
import type { Machine } from "../link/machines.ts";
import type { MachinesWorld } from "./machines-world.ts";

/** The further turns of runs whose rare turns are frequent. */
export const RARE_TURNS = [
  ["rules", 1],
  ["leave", 0.5],
  ["snapshot", 1],
  ["rest", 0.5],
  ["refuse", 0.5],
  ["show", 1],
  ["clock", 0.5],
] as const;
export type RareTurn = (typeof RARE_TURNS)[number][0];

/** Patterns of a machine alone, which leave out some files or none. */
const PATTERNS = ["", "b.md\n", "notes/\n", "a.md\n", "*.md\n!a.md\n", "A.md\nc.md\n"];
/** A rule of this name may have changed. */
const HINT = ".gitignore" as DocPath;

/** Takes a turn about a machine whose daemon runs. */
export function takeRareTurn(world: MachinesWorld, machine: Machine, turn: RareTurn): void {
  const { random } = world;
  switch (turn) {
    case "rules":
      machine.patterns = random.pick(PATTERNS);
      world.say(`${machine.name} leaves out ${JSON.stringify(machine.patterns)}`);
      // Otherwise the documents in memory stay there for a while.
      if (random.chance(0.6)) machine.workspace.hint(HINT);
      return;
    case "leave":
      leave(world, machine);
      return;
    case "snapshot":
      if (machine.isJoining) return;
      world.say(`${machine.name} stores a snapshot`);
      machine.link.storeSnapshot().catch((error: unknown) => world.say(`no snapshot: ${error}`));
      return;
    case "rest":
      world.restMs = random.pick([5_000, 20_000, 70_000, 130_000]);
      world.say(`${world.restMs} ms pass`);
      return;
    case "refuse": {
      const count = random.between(1, 4);
      world.say(`the store of ${machine.name} refuses ${count} appends`);
      machine.store.refuseAppends(count);
      return;
    }
    case "show":
      world.say(`the store of ${machine.name} shows ${machine.store.waiting} writes that are not durable`);
      machine.store.show();
      return;
    case "clock":
      machine.aheadMs = random.pick([0, 30_000, 3_600_000, -86_400_000]);
      world.say(`the clock of ${machine.name} is ${machine.aheadMs} ms ahead`);
      return;
  }
}

/**
 * A machine leaves, and joins anew, unless nobody else could store a snapshot for it. While another one lacks something of
 * its documents, nobody would know that it has all of them.
 */
function leave(world: MachinesWorld, machine: Machine): void {
  const { all, running } = world;
  const isPartial = (one: Machine) =>
    one.isJoining || one.patterns !== "" || (one.isRunning && one.link.state.isPartial);
  if (running.length < 2 || all.some(isPartial)) return;
  world.say(`${machine.name} leaves, and joins anew`);
  // The others get what they lack of a document as one change.
  for (const { id: docId } of machine.store.documents())
    for (const { id } of machine.store.everyChangeOf(docId))
      for (const { name } of all) world.joined.add(`${name} ${id}`);
  machine.joinAnew();
  machine.carrier.cut(machine.cut);
}
