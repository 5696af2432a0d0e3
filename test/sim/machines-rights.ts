import { isGone } from "../../src/link/state/link-state.ts";
import type { DocPath } from "../../src/mirror/path.ts";
import { type AccessRule, FULL_RIGHTS, Rights } from "../../src/workspace/access/rights.ts";
import type { Machine } from "../link/machines.ts";
import { marksIn } from "./machines-ledger.ts";
import type { MachinesWorld } from "./machines-world.ts";

/** The further turns of runs in which machines have levels, by paths, and the owner removes some. */
export const RIGHTS_TURNS = [["remove", 1]] as const;
export type RightsTurn = (typeof RIGHTS_TURNS)[number][0];

/** The rules of share lines. */
const RULES: readonly (readonly AccessRule[])[] = [
  [{ glob: "**", level: "write" }],
  [{ glob: "**", level: "write" }],
  [{ glob: "**", level: "write" }],
  [
    { glob: "notes/**", level: "write" },
    { glob: "**", level: "read" },
  ],
  [
    { glob: "notes/**", level: "none" },
    { glob: "**", level: "write" },
  ],
  [
    { glob: "notes/**", level: "propose" },
    { glob: "**", level: "write" },
  ],
  [
    { glob: "a.md", level: "none" },
    { glob: "notes/**", level: "read" },
    { glob: "**", level: "write" },
  ],
  [{ glob: "**", level: "read" }],
];

/** Draws the rules with which a machine joins; the first machine is the owner's. */
export function drawRights(world: MachinesWorld, name: string): void {
  const { random, machines } = world;
  const { invited } = machines;
  if (invited === undefined) return;
  const rules = invited.size === 0 ? undefined : random.pick(RULES);
  invited.set(name, rules === undefined ? FULL_RIGHTS : new Rights(rules));
  const shown = rules?.map(({ glob, level }) => `${glob}=${level}`).join(" ") ?? "the owner";
  world.say(`${name}: ${shown}`);
}

/** The owner removes a machine whose daemon runs. What of its edits the owner had not received by then may be lost. */
export function removeMachine(world: MachinesWorld): void {
  const { random, machines, all, ledger } = world;
  const [owner, ...others] = all;
  if (owner?.isRunning !== true || others.length < 2) return;
  const machine = random.pick(others);
  // What others had in time comes with a snapshot of one that may change everything.
  const isFull = (one: Machine) => ["a.md", "notes/a.md"].every((path) => mayNow(one, path, "write"));
  if (machine.isJoining || !others.every((one) => one === machine || isFull(one))) return;
  const { identity } = machine;
  const record = owner.trust!.record;
  const after = owner.link.state.standing.received[identity] ?? 0;
  world.say(`the owner removes ${machine.name} after its message ${after}`);
  owner.trust!.take({
    revision: record.revision + 1,
    epoch: record.epoch + 1,
    removed: { ...record.removed, [identity]: after },
  });
  void owner.link.present();
  ledger.loseBut(machine.name, marksIn(Object.values(owner.files()).join("")));
  machines.removed.add(identity);
}

/** Watches that no machine gets what it may not read, or what others write after they know that it was removed. */
export class RightsWatch {
  readonly #world: MachinesWorld;
  /** The machines that are removed as the writer of a mark knows, by the mark. */
  readonly #forbidden = new Map<string, readonly string[]>();
  /** What a machine had of a document when it could not read it any more, by machine and document. */
  readonly #frozen = new Map<string, { readonly as: string; readonly marks: ReadonlySet<string> }>();
  readonly #seen = new Set<string>();

  constructor(world: MachinesWorld) {
    this.#world = world;
  }

  /** Notes who may not read a mark that somebody writes. */
  opened(mark: string, who: string): void {
    const { all } = this.#world.machines;
    const writers = who.split(/[- ]/).flatMap((part) => all.get(part) ?? []);
    const removed = [...all.keys()].filter((one) => writers.every(({ trust }) => trust!.isRemoved(one)));
    if (writers.length > 0 && removed.length > 0) this.#forbidden.set(mark, removed);
  }

  check(): void {
    const { machines } = this.#world;
    for (const machine of machines.all.values()) {
      if (machines.removed.has(machine.identity)) this.#checkRemoved(machine);
      else if (machine.isRunning) this.#checkUnreadable(machine);
    }
  }

  #checkRemoved(machine: Machine): void {
    for (const mark of marksIn(Object.values(machine.files()).join("")))
      if (this.#forbidden.get(mark)?.includes(machine.identity))
        this.#world.wrong(`${machine.name} was removed, and has ${mark}`);
  }

  #checkUnreadable(machine: Machine): void {
    const { link, workspace, store, disk, name } = machine;
    for (const { id, name: named, moved = [] } of link.state.documents) {
      const key = `${name} ${id}`;
      const loaded = workspace.loaded.byId(id);
      const record = loaded ?? store.document(id);
      if (record === undefined || loaded?.deleted === true) continue;
      const isReadable = mayNow(machine, named.path, "read");
      const changes = store.everyChangeOf(id);
      const paths = changes.flatMap(({ file }) => (file?.kind === "rename" ? file.from : []));
      const wasReadable = [...paths, ...moved.map(({ from }) => from)].some((path) =>
        mayNow(machine, path, "read"),
      );
      const isOwn = changes[0]?.machine === undefined;
      if (isReadable || wasReadable || isOwn) this.#seen.add(key);
      if (isReadable) {
        this.#frozen.delete(key);
        continue;
      }
      const text = loaded === undefined || loaded.closed ? disk.text(record.path) : loaded.text.toString();
      const others = marksIn(text ?? "").filter((mark) => !this.#world.ledger.isOf(mark, name));
      const as = `${machine.trust!.record.revision} ${JSON.stringify(named.stamp)}`;
      const before = this.#frozen.get(key);
      this.#frozen.set(key, { as, marks: new Set(others) });
      if (!this.#seen.has(key)) this.#world.wrong(`${name} has ${named.path}, which it may not read`);
      const fresh = before?.as === as ? others.filter((mark) => !before.marks.has(mark)) : [];
      if (fresh.length > 0)
        this.#world.wrong(`${name} got ${fresh.join("")} of ${named.path}, which it may not read`);
    }
  }
}

/** Returns true if a machine has a level on a path, by what it knows of the owner's decisions. */
export function mayNow({ trust, identity }: Machine, path: string, level: "read" | "write"): boolean {
  return trust?.rightsOf(identity)?.allows(path, level) ?? true;
}

/** Checks that machines with rights have the documents of the owner, as far as they may read and change them. */
export function judgeRights(world: MachinesWorld): void {
  const [owner, ...others] = world.all;
  const shared = textsById(owner!);
  const apart: string[] = [];
  for (const machine of others) {
    const { link, name } = machine;
    const own = textsById(machine);
    for (const linked of link.state.documents) {
      const { id, ignoredAt, name: named } = linked;
      const [mine, theirs] = [own.get(id), shared.get(id)];
      const path = owner!.link.state.document(id)?.name.path;
      const isAlone = ignoredAt !== undefined;
      if (isAlone || linked.withheld !== undefined) apart.push(mine?.text ?? "");
      if (isAlone) {
        const paths: DocPath[] = [named.path, ...(path === undefined ? [] : [path])];
        if (!isGone(linked) && paths.every((one) => mayNow(machine, one, "write")))
          world.wrong(`the others ignore ${named.path} of ${name}, which may change it`);
        continue;
      }
      if (linked.withheld !== undefined || !mayNow(machine, named.path, "read")) continue;
      if (path !== named.path && theirs !== undefined)
        world.wrong(`${id} is ${named.path} for ${name}, and ${path} for the owner`);
      else if (mine?.text !== theirs?.text)
        world.wrong(`${named.path} is ${shown(mine)} on ${name}, and ${shown(theirs)} on the owner's`);
    }
    for (const id of shared.keys())
      if (link.state.document(id) === undefined) world.wrong(`${name} does not know ${id}`);
  }
  const removed = [...world.machines.all.values()].filter((one) => !world.all.includes(one));
  for (const { disk, paths } of removed.map((machine) => ({ disk: machine.disk, paths: machine.paths() })))
    for (const path of paths) apart.push(disk.text(path)!);
  for (const problem of world.ledger.problems(Object.values(owner!.files()), apart)) world.wrong(problem);
  for (const machine of others) {
    const everything = [owner!, ...others].flatMap((one) => Object.values(one.files()));
    for (const problem of world.ledger.problems(Object.values(machine.files()), [...everything, ...apart]))
      world.wrong(`${problem} on ${machine.name}`);
  }
}

function textsById({ link, workspace, store, disk }: Machine): Map<string, { readonly text: string }> {
  const texts = new Map<string, { readonly text: string }>();
  for (const { id } of link.state.documents) {
    const loaded = workspace.loaded.byId(id);
    const record = store.document(id);
    const path = loaded?.deleted === false ? loaded.path : record?.path;
    const isGone = loaded?.deleted ?? record?.deletedAt !== undefined;
    const text = path === undefined || isGone ? undefined : disk.text(path);
    if (text !== undefined) texts.set(id, { text: text.replace(/^\ufeff/, "") });
  }
  return texts;
}

function shown(of: { readonly text: string } | undefined): string {
  return of === undefined ? "nothing" : JSON.stringify(of.text);
}
