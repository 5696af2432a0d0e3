import { isRefusal } from "../../src/workspace/outcome/refusal.ts";
import { LanesProcess } from "./lane-process.ts";
import type { LanesWorld } from "./lanes-world.ts";

/** Removes a lane as a person does, unless it has what the workspace lacks. */
export function removeLane(world: LanesWorld, name: string | undefined): void {
  const { process } = world;
  if (name === undefined || !(process instanceof LanesProcess)) return;
  world.say(`alice removes ${name}`);
  follow(world, `removes ${name}`, process, process.lanes.remove(name, false));
}

/** Adds a lane anew that was removed. */
export function addLane(world: LanesWorld): void {
  const { process, random, names, lanes, folders } = world;
  const gone = names.filter((name) => lanes.every((lane) => lane.name !== name));
  if (gone.length === 0 || !(process instanceof LanesProcess)) return;
  const name = random.pick(gone);
  const folder = folders.emptyOf(name);
  const propose = random.chance(0.25);
  world.say(`alice adds ${name} in ${folder}`);
  follow(world, `adds ${name}`, process, process.lanes.add({ name, folder, propose }));
}

function follow(
  world: LanesWorld,
  what: string,
  process: LanesProcess,
  asked: ReturnType<LanesProcess["lanes"]["add"]>,
): void {
  asked.then(
    (outcome) => {
      if (world.process !== process) return;
      world.say(`alice ${what}: ${isRefusal(outcome) ? outcome.message : (outcome.problem ?? "done")}`);
    },
    (error: unknown) => {
      if (world.process === process) world.wrong(`alice ${what} threw ${String(error)}`);
    },
  );
}
