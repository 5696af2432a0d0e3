import { createHash } from "node:crypto";
import { isRefusal } from "../../src/workspace/outcome/refusal.ts";
import { partOf } from "../helpers/seeded.ts";
import { guarded } from "./guarded.ts";
import { LanesActions, type Turn, turnsOf } from "./lanes-actions.ts";
import { type LanesConditions, LanesWorld, type Side } from "./lanes-world.ts";
import type { Run } from "./simulate.ts";

/** The factors by which the weights of one run differ; 1 where a turn has none. */
const TASTES: Partial<Record<Turn, readonly number[]>> = {
  store: [0.3, 1, 3],
  gate: [0.3, 1, 3],
  clock: [0.3, 1, 3],
  hint: [0, 1, 3],
  "main writes": [0, 1, 2],
  "agent edits": [0, 1, 2],
  "agent renames": [0, 0, 1],
  "lane moves": [0, 1, 3],
  "main moves": [0, 0, 1],
  "lane deletes": [0, 1, 2],
  "main deletes": [0, 0, 1],
  crash: [0, 0, 1, 3],
  power: [1, 3],
  "lane goes": [0, 1, 3],
};
/** The rounds of 100 ms in which all work must end. */
const ROUNDS = 450;

export interface LanesOptions extends LanesConditions {
  /** The turns to take, in ascending order; all of them when left out. */
  readonly turns?: readonly number[] | undefined;
}

/** Plays the run of one seed on a machine with lanes to its end, and judges it; see `simulate`. */
export async function simulateLanes(
  seed: number,
  { turns: chosen, ...conditions }: LanesOptions = {},
): Promise<Run> {
  const world = new LanesWorld(seed, conditions);
  const turns = world.random.between(10, 120);
  await guarded(
    world,
    () => play(seed, turns, world, chosen),
    () => world.crash(),
  );
  const files = world.sides.map((side) =>
    world.paths(side).map((path) => [path, world.disk(side).text(path)]),
  );
  const hash = createHash("sha256")
    .update(world.trace.join("\n"))
    .update(JSON.stringify(files))
    .digest("hex");
  return { seed, problems: world.problems, turns, trace: world.trace, hash };
}

async function play(seed: number, count: number, world: LanesWorld, chosen: readonly number[] | undefined) {
  const { random } = world;
  const actions = new LanesActions(world);
  const weights = turnsOf(world).map(
    ([turn, weight]) => [weight * random.pick(TASTES[turn] ?? [1]), turn] as const,
  );
  world.start();
  // A lane is made by a daemon that has looked at all files.
  for (let round = 0; round < 20; round++) await world.pump();
  for (const turn of chosen ?? Array(count).keys()) {
    random.restart(partOf(seed, turn));
    await actions.take(random.weighted(weights));
    await world.work();
    if (world.problems.length > 0) return;
  }
  random.restart(partOf(seed, count));
  await rest(world);
  for (let round = 0; world.lanes.some(({ propose }) => propose) && round < 3; round++) {
    actions.review(true);
    await rest(world);
  }
  await judge(world);
  if (world.problems.length > 0) return;
  await (world.power ? world.powerCut() : world.crash());
  await rest(world);
  await judge(world);
}

async function rest(world: LanesWorld): Promise<void> {
  world.say("at rest");
  for (let round = 0; round < ROUNDS; round++) await world.pump();
}

/** Checks the promises that hold when all work has ended. */
async function judge(world: LanesWorld): Promise<void> {
  const opened = new Set<string>();
  /** The texts that wait in a lane, and those that stayed in the folders of removed lanes. */
  const apart: string[] = world.leftTexts();
  const hasWaiting = new Set<Side>();
  for (const { name, propose } of world.lanes) {
    const [main, lane] = [world.main, world.disk(name)];
    const waiting = new Map((await world.process!.waitingIn(name)).map((file) => [file.path, file]));
    if (waiting.size > 0) hasWaiting.add(name);
    for (const file of waiting.values()) world.say(`waiting in ${name} ${JSON.stringify(file)}`);
    for (const path of [...new Set([...main.paths(), ...lane.paths()])].sort()) {
      const [there, here] = [main.text(path), lane.text(path)];
      // A proposed move waits under the new path.
      const isMoving = propose && here === undefined && waiting.size > 0;
      if (there !== here && !waiting.has(path) && !isMoving)
        world.wrong(`${path} in ${name} differs: ${JSON.stringify([there, here])}`);
      if (there !== here && waiting.has(path)) apart.push(here ?? "");
      if (there !== undefined && !opened.has(path)) await judgeDocument(world, path);
      opened.add(path);
    }
  }
  for (const path of world.paths("main")) if (!opened.has(path)) await judgeDocument(world, path);
  for (const side of world.sides) {
    const others = hasWaiting.has(side) ? world.texts("main") : [];
    for (const problem of world.ledger.problems(world.texts(side), [...apart, ...others]))
      world.wrong(`${side}: ${problem}`);
  }
}

/** Checks that a file of the workspace is what its document is. */
async function judgeDocument(world: LanesWorld, path: string): Promise<void> {
  const main = world.main.text(path);
  let text: string | undefined;
  const opening = world.process!.process.workspace.open(path).then((document) => {
    text = isRefusal(document) ? document.message : document.text.toString();
  });
  for (let round = 0; round < 50 && text === undefined; round++) await world.pump();
  if (text === undefined) world.wrong(`${path} is never opened`);
  else await opening;
  if (text !== main) world.wrong(`${path} is not its document: ${JSON.stringify([main, text])}`);
}
