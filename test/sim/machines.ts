import { createHash } from "node:crypto";
import { partOf } from "../helpers/seeded.ts";
import { guarded } from "./guarded.ts";
import { BACKUP_TURNS, COPY_TURNS, MachinesActions, TURNS, type Turn } from "./machines-actions.ts";
import { CASE_TURNS } from "./machines-case.ts";
import { describe, heal, judge } from "./machines-oracle.ts";
import { POWER_TURNS } from "./machines-power.ts";
import { RARE_TURNS } from "./machines-rare.ts";
import { RIGHTS_TURNS } from "./machines-rights.ts";
import { type MachinesDefect, MachinesWorld } from "./machines-world.ts";
import { FREQUENT } from "./rare.ts";
import type { Run } from "./simulate.ts";

/** The factors by which the weights of one run differ; 1 where a turn has none. */
const TASTES: Partial<Record<Turn, readonly number[]>> = {
  save: [0, 1, 2],
  "stale save": [0, 0, 1],
  create: [0.3, 1, 2],
  delete: [0, 1, 2],
  "delete on disk": [0, 0, 1],
  rename: [0, 1, 2],
  "rename on disk": [0, 0, 1],
  "swap names": [0, 0, 1],
  undo: [0, 1],
  crash: [0, 0, 1, 2],
  cut: [0, 1, 3],
  faults: [0, 0, 1],
  broker: [0, 0, 1, 2],
  full: [0, 0, 1],
  join: [0, 0, 1],
  "byte order mark": [0, 0, 1],
};

export interface MachinesOptions {
  /** The turns to take, in ascending order; all of them when left out. */
  readonly turns?: readonly number[] | undefined;
  readonly defect?: MachinesDefect | undefined;
  /** Folders come back from backups. */
  readonly backups?: boolean | undefined;
  /** Copies of folders run at once with the originals. */
  readonly copies?: boolean | undefined;
  /** Machines lose power, and what their disks and stores had not flushed. */
  readonly power?: boolean | undefined;
  /** Their disks then also lose the newest changes of names that nobody synced, and parts of new files. */
  readonly names?: boolean | undefined;
  /** Machines have levels, by paths, and the owner removes some. */
  readonly rights?: boolean | undefined;
  /** The disks of some machines take names that differ in case or Unicode form only for one. */
  readonly folding?: boolean | undefined;
  /** Three rare turns or conditions are frequent, and further turns possible. */
  readonly rare?: boolean | undefined;
}

/** Plays the run of one seed on several machines to its end, and judges it; see `simulate`. */
export async function simulateMachines(
  seed: number,
  { turns: chosen, ...conditions }: MachinesOptions = {},
): Promise<Run> {
  const world = new MachinesWorld(seed, conditions);
  const turns = world.random.between(5, 50);
  await guarded(
    world,
    () => play(seed, turns, world, chosen),
    async () => {
      if (world.problems.length > 0) for (const machine of world.running) describe(world, machine);
      for (const machine of world.running) machine.kill();
      await world.machines.clock.advance(20_000);
    },
  );
  const files = world.all.map((machine) => JSON.stringify(machine.files())).join("\n");
  const hash = createHash("sha256").update(world.trace.join("\n")).update(files).digest("hex");
  return { seed, problems: world.problems, turns, trace: world.trace, hash };
}

async function play(
  seed: number,
  count: number,
  world: MachinesWorld,
  chosen: readonly number[] | undefined,
): Promise<void> {
  const { random, machines } = world;
  const actions = new MachinesActions(world);
  const { backups, copies, power, frequent, rights, folding } = world;
  const possible = [
    ...TURNS,
    ...(backups ? BACKUP_TURNS : []),
    ...(copies ? COPY_TURNS : []),
    ...(power ? POWER_TURNS : []),
    ...(frequent ? RARE_TURNS : []),
    ...(rights ? RIGHTS_TURNS : []),
    ...(folding ? CASE_TURNS : []),
  ];
  const weights = possible.map(([turn, weight]) => {
    const taste = random.pick(TASTES[turn] ?? [1]);
    return [weight * (frequent?.has(turn) ? FREQUENT : taste), turn] as const;
  });
  if (frequent !== undefined) world.say(`frequent: ${[...frequent].join(", ")}`);
  const pace = random.pick([
    [1, 20],
    [20, 400],
    [100, 3_000],
  ] as const);
  await machines.run(1_500);
  for (const turn of chosen ?? Array(count).keys()) {
    random.restart(partOf(seed, turn));
    actions.take(random.weighted(weights));
    await machines.run(world.restMs ?? random.between(pace[0], pace[1]));
    world.restMs = undefined;
    world.check();
    if (world.problems.length > 0) return;
  }
  random.restart(partOf(seed, count));
  await heal(world, (machine) => actions.start(machine));
  if (world.problems.length === 0) await judge(world);
}
