import { lacksSome } from "../../src/link/state/link-state.ts";
import { isRefusal } from "../../src/workspace/outcome/refusal.ts";
import type { Machine } from "../link/machines.ts";
import { removeRemains } from "./machines-power.ts";
import { judgeRights, mayNow } from "./machines-rights.ts";
import type { MachinesWorld } from "./machines-world.ts";

/** The longest time until machines that reach one another agree, in rounds of ROUND_MS. */
const ROUNDS = 90;
const ROUND_MS = 2_500;
/** How often every machine looks at all its files before the end. */
const LOOKS = 2;

/** Heals everything, and lets time pass until the machines have exchanged everything. */
export async function heal(world: MachinesWorld, start: (machine: Machine) => void): Promise<void> {
  const { machines } = world;
  world.say("everything heals");
  const { broker, clock } = machines;
  broker.faults = { drop: 0, double: 0, reorder: 0, delay: 0 };
  broker.start();
  broker.wake();
  for (const machine of world.all) {
    machine.store.failNone();
    machine.store.refuseAppends(0);
    machine.patterns = "";
    machine.cut = undefined;
    machine.carrier.cut(undefined);
    if (!machine.isRunning) start(machine);
  }
  await clock.advance(ROUND_MS);
  removeRemains(world);
  let looks = 0;
  for (let i = 0; i < ROUNDS; i++) {
    world.check();
    const { all } = world; // without those that work alone from now on
    const isResting = i > 1 && all.every((machine) => isQuiet(machine, world));
    if (isResting && looks === LOOKS) return;
    if (isResting) {
      looks++;
      // Without hints a daemon finds a change of a file that it has not in memory in its hourly pass.
      for (const machine of all) {
        const { workspace, store } = machine;
        await machines.during(workspace.lookAtAll());
        // A file that a rule left out before is no document by itself.
        for (const path of world.frequent === undefined ? [] : machine.paths())
          await machines.during(workspace.open(path).then((document) => document));
        for (const { id } of store.documents())
          await machines.during(workspace.openedById(id).then((document) => document));
      }
    }
    await clock.advance(ROUND_MS);
  }
  for (const { name, link, store, workspace } of world.all) {
    const { place: _place, ...standing } = link.state.standing;
    world.say(
      `${name}: ${JSON.stringify(standing)}, ${link.inbox.size} wait, needs ${JSON.stringify(link.inbox.needs)}`,
    );
    world.say(`  ${link.outbox.status.waiting} unpublished, ${store.waiting} unstored`);
    for (const { path, reason } of link.status.withheld) world.say(`  ${path} lacks something: ${reason}`);
    for (const { path, restful, deleted } of workspace.loaded)
      if (!restful) world.say(`  ${path} is not at rest${deleted ? ", deleted" : ""}`);
  }
  world.wrong("the machines do not come to rest");
}

/** Returns true for a machine that has everything of the others, and whose files hold everything. */
function isQuiet(machine: Machine, world: MachinesWorld): boolean {
  const { link, store, workspace, isJoining } = machine;
  const { all } = world;
  const { received } = link.state.standing;
  if (isJoining || waitsForContent(machine, world)) return false;
  const isCurrent = all.every(
    ({ identity, link: other }) =>
      other === link || (received[identity] ?? 0) >= other.state.standing.next - 1,
  );
  return (
    isCurrent &&
    store.waiting === 0 &&
    link.outbox.status.waiting === 0 &&
    [...workspace.loaded].every(({ restful, deleted }) => restful || deleted)
  );
}

/**
 * Returns true for a machine that lacks something which others bring. What a folder and its copy sent, before both work
 * alone, may build on messages that nobody else has.
 */
function waitsForContent(machine: Machine, world: MachinesWorld): boolean {
  const { state } = machine.link;
  const isLeftOut = [...state.documents].some(
    (linked) =>
      linked.withheld !== undefined && lacksSome(linked) && mayNow(machine, linked.name.path, "read"),
  );
  return isLeftOut || Object.keys(state.lacking ?? {}).some((machine) => !world.isGone(machine));
}

/** Checks what holds once machines have exchanged everything (M1 to M13). */
export async function judge(world: MachinesWorld): Promise<void> {
  const [first, ...others] = world.all;
  if (new Set(world.all.map(({ identity }) => identity)).size < world.all.length)
    world.wrong("a folder and its copy are one machine");
  if (world.rights) judgeRights(world);
  else {
    for (const machine of others) compareFiles(world, first!, machine);
    for (const problem of world.ledger.problems(Object.values(first!.files()))) world.wrong(problem);
  }
  for (const machine of world.all) await judgeOne(world, machine);
  judgeHistories(world);
}

/** Adds what a machine knows of its documents to the trace. */
export function describe(world: MachinesWorld, { name, store, link }: Machine): void {
  world.say(`${name} knows:`);
  for (const { id, path, deletedAt } of store.documents()) {
    const linked = link.state.document(id);
    const is = deletedAt === undefined ? "" : " deleted";
    world.say(`  ${id} at ${path}${is}, placed ${link.state.names.placeOf(id)}, ${JSON.stringify(linked)}`);
    for (const change of store.everyChangeOf(id)) {
      const { seq, author, machine = name, file, splices, removed, id: changeId } = change;
      const what = file === undefined ? JSON.stringify([splices, removed]) : JSON.stringify(file);
      world.say(`    ${seq} ${changeId} ${author} on ${machine}: ${what.slice(0, 300)}`);
    }
  }
}

function compareFiles(world: MachinesWorld, a: Machine, b: Machine): void {
  // A byte order mark that somebody adds or removes later stays as it is on each machine.
  const [ofA, ofB] = [textsOf(a), textsOf(b)];
  for (const path of new Set([...Object.keys(ofA), ...Object.keys(ofB)])) {
    if (ofA[path] === ofB[path]) continue;
    const [x, y] = [ofA[path], ofB[path]].map((text) =>
      text === undefined ? "nothing" : JSON.stringify(text),
    );
    world.wrong(`${path} is ${x} on ${a.name} and ${y} on ${b.name}`);
  }
}

function textsOf(machine: Machine): Record<string, string> {
  const files = Object.entries(machine.files());
  return Object.fromEntries(files.map(([path, text]) => [path, text.replace(/^\ufeff/, "")]));
}

/** Checks that a machine's files are those of its documents, at the places that the names give. */
async function judgeOne(world: MachinesWorld, machine: Machine): Promise<void> {
  const { link, store, name, workspace } = machine;
  const places = new Set<string>();
  for (const { id } of link.state.documents) {
    const record = workspace.loaded.byId(id) ?? store.document(id);
    const place = link.state.names.placeOf(id);
    if (place !== undefined) places.add(place);
    const path = record === undefined || isDeleted(record) ? undefined : record.path;
    if (link.state.document(id)?.withheld !== undefined) {
      if (path !== undefined) places.add(path);
      continue;
    }
    if (path !== place) world.wrong(`${id} is at ${path} on ${name}, its place is ${place}`);
    if (path === undefined) continue;
    const opened = await world.machines.during(workspace.openedById(id).then((document) => document));
    if (opened === undefined || isRefusal(opened))
      world.wrong(`${path} of ${name} cannot be opened: ${opened?.message}`);
    else if (opened.text.toString() !== machine.disk.text(path)?.replace(/^\ufeff/, ""))
      world.wrong(`${path} of ${name} is not what its document holds`);
  }
  for (const path of machine.paths())
    if (!places.has(path)) world.wrong(`${path} of ${name} is no place of a document`);
}

function isDeleted(record: { readonly deleted?: boolean } | { readonly deletedAt?: number }): boolean {
  return "deleted" in record
    ? record.deleted === true
    : "deletedAt" in record && record.deletedAt !== undefined;
}

/** Checks that every machine has each change of a text that a machine made, with its author and machine. */
function judgeHistories(world: MachinesWorld): void {
  const made = new Map<string, { author: string; machine: string; id: string }>();
  for (const { store, shown } of world.all)
    for (const record of store.documents())
      for (const { id, author, machine, file, seq } of store.everyChangeOf(record.id))
        if (machine === undefined && file === undefined && seq > 0 && world.isShared(record.id))
          made.set(id, { id, author, machine: shown });
  for (const { store, name, shown } of world.all) {
    const changes = store.documents().flatMap((record) => store.everyChangeOf(record.id));
    const known = new Map(changes.map((change) => [change.id, change]));
    for (const { id, author, machine } of made.values()) {
      const change = known.get(id);
      if (change === undefined && world.joined.has(`${name} ${id}`)) continue;
      if (change === undefined) world.wrong(`${name} lacks ${id} of ${author} on ${machine}`);
      else if (change.author !== author) world.wrong(`${id} of ${author} is ${change.author}'s on ${name}`);
      else if ((change.machine ?? shown) !== machine)
        world.wrong(`${id} of ${machine} is ${change.machine}'s on ${name}`);
    }
    if (changes.length !== known.size) world.wrong(`${name} has a change twice`);
  }
}
