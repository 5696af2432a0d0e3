import { createHash } from "node:crypto";
import { drained } from "../helpers/drained.ts";
import { partOf } from "../helpers/seeded.ts";
import { Agent } from "./agent.ts";
import { guarded } from "./guarded.ts";
import { judge, rest } from "./oracle.ts";
import { Person } from "./person.ts";
import { FREQUENT } from "./rare.ts";
import { Requests } from "./requests.ts";
import { Window } from "./window.ts";
import { type Conditions, World } from "./world.ts";

export interface Run {
  readonly seed: number;
  readonly problems: readonly string[];
  /** The number of turns of the seed, including those left out. */
  readonly turns: number;
  readonly trace: readonly string[];
  /** The hash of the trace and of the text at the end. */
  readonly hash: string;
}

/** The possible turns, and their weights. */
const STEPS = [
  ["store", 20],
  ["gate", 15],
  ["clock", 12],
  ["hint", 8],
  ["agent", 14],
  ["person", 6],
  ["window", 4],
  ["crash", 1],
  ["failure", 0.5],
  ["space", 0.7],
  ["wire", 2],
  ["power", 1],
] as const;
/** The turn of runs with requests. */
const REQUEST = ["request", 4] as const;
type Step = (typeof STEPS)[number][0] | "request";

/** The factors by which the weights of one run differ. */
const TASTES: Record<Step, readonly number[]> = {
  store: [0.3, 1, 3],
  gate: [0.3, 1, 3],
  clock: [0.3, 1, 3],
  hint: [0, 1, 3],
  agent: [0.3, 1, 2],
  person: [0, 0.5, 1, 3],
  window: [0, 0, 1, 2],
  crash: [0, 1, 3],
  failure: [0, 0, 1],
  space: [0, 0, 1],
  wire: [0, 1, 2],
  power: [0, 0, 1],
  request: [0.3, 1, 3],
};

export interface Options extends Conditions {
  /** The turns to take, in ascending order; all of them when left out. */
  readonly turns?: readonly number[] | undefined;
  /** False: no person acts in the middle of the daemon's work. */
  readonly interrupted?: boolean | undefined;
  /** Called after every step, to watch a replay. */
  readonly watch?: (world: World) => void;
}

/**
 * Plays the run of one seed to its end, and judges it. Only the seed decides the run. Each turn draws from a random
 * stream of its own, so that leaving one out changes the others as little as possible.
 */
export async function simulate(seed: number, options: Options = {}): Promise<Run> {
  const world = new World(seed, options);
  const turns = world.random.between(20, 120);
  if (options.watch !== undefined) world.watch = () => options.watch?.(world);
  await guarded(world, () => play(seed, turns, world, options));
  await world.crash();
  const hash = createHash("sha256")
    .update(world.trace.join("\n"))
    .update(world.disk.text(world.path) ?? "");
  return { seed, problems: world.problems, turns, trace: world.trace, hash: hash.digest("hex") };
}

type People = { readonly person: Person; readonly window: Window; readonly request: Requests };

async function play(seed: number, count: number, world: World, options: Options): Promise<void> {
  const { random } = world;
  const agents = ["alice", "bob", "carol"]
    .slice(0, random.between(2, 3))
    .map((name) => new Agent(world, name));
  const people = { person: new Person(world), window: new Window(world), request: new Requests(world) };
  const steps = world.requests ? [...STEPS, REQUEST] : STEPS;
  const weights = steps.map(([step, weight]) => {
    const taste = random.pick(TASTES[step]);
    return [weight * (world.isFrequent(step) ? FREQUENT : taste), step] as const;
  });
  const taste = random.pick([0, 0, 0.02, 0.1]);
  const interrupts = world.isFrequent("interruption") ? 0.4 : taste;
  if (options.interrupted !== false) world.interrupt = interruption(world, people.person, interrupts);
  world.start();
  for (const turn of options.turns ?? Array(count).keys()) {
    random.restart(partOf(seed, turn));
    await take(random.weighted(weights), world, agents, people);
    await drained();
    if (world.isDying) await world.crash();
    world.check();
    world.watch();
    if (world.problems.length > 0) return;
  }
  random.restart(partOf(seed, count));
  await end(world, agents, people);
}

/** Returns the action of a person at the moment when the daemon uses a file. */
function interruption(world: World, person: Person, probability: number): () => void {
  let interrupted = false;
  return () => {
    if (interrupted || !world.random.chance(probability)) return;
    interrupted = true;
    person.turn();
    interrupted = false;
  };
}

async function end(world: World, agents: readonly Agent[], { person, request }: People): Promise<void> {
  world.say("at rest");
  world.interrupt = () => {};
  world.store.failNone();
  world.disk.full = false;
  if (world.process === undefined) world.start();
  for (let i = 0; i < 3; i++) await world.pump();
  for (let i = 0; i < 400 && request.running > 0; i++) await world.pump();
  if (request.running > 0) world.wrong("a request is never answered");
  person.recreate();
  const document = await rest(world, agents);
  if (document === undefined || world.problems.length > 0) return;
  judge(world, document);
  if (world.problems.length > 0) return;
  await again(world, document.text.toString());
}

/** Checks that a new daemon on the same store and folder reads the same text. */
async function again(world: World, text: string): Promise<void> {
  if (world.random.chance(0.5)) await world.stop();
  else await world.crash();
  if (world.problems.length > 0) return;
  world.start();
  const document = await rest(world, []);
  if (document === undefined) return;
  if (document.text.toString() !== text) world.wrong("a new start reads another text");
  judge(world, document);
}

async function take(step: Step, world: World, agents: readonly Agent[], people: People): Promise<void> {
  const { random, store, process } = world;
  switch (step) {
    case "store":
      if (store.waiting === 0) return;
      if (random.chance(0.2)) store.show(random.between(1, store.waiting));
      else store.flush(random.between(1, store.waiting));
      return world.say(`store, ${store.waiting} left`);
    case "gate":
      if (process === undefined || process.gates === 0) return;
      process.openGate(random.int(process.gates));
      return world.say("gate");
    case "clock":
      if (world.jumps && random.chance(0.1)) world.setClock();
      world.clock.step(random.pick([1, 5, 20, 20, 100, 300, 2500]));
      return world.say(`clock ${world.clock.now()}`);
    case "hint":
      if (process === undefined || process.watcher.waiting === 0) return;
      process.watcher.deliver(random.int(process.watcher.waiting));
      return world.say("hint");
    case "agent":
      return random.pick(agents).turn();
    case "person":
    case "window":
    case "request":
      return people[step].turn();
    case "crash":
      return process === undefined ? world.start() : world.crash();
    case "power":
      return world.power ? world.powerCut() : undefined;
    case "failure":
      store.failNext(random.pick(["full", "failed"]), random.between(1, 3));
      return world.say("the store will fail");
    case "space":
      world.disk.full = !world.disk.full;
      return world.say(world.disk.full ? "no space is left" : "there is space");
    case "wire":
      return world.follower.connected ? world.follower.cut() : world.resync();
  }
}
