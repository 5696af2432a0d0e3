import { besidePath, type DocPath } from "../../mirror/path.ts";
import { folded } from "../../paths/glob.ts";
import type { Vector } from "../base/vector.ts";

/** A moment in the order of all machines' events (Lamport); clocks order nothing (M7). */
export interface Stamp {
  readonly lamport: number;
  readonly machine: string;
}

/** The path that a document has for all machines, and the moment at which it got this path. */
export interface Name {
  readonly path: DocPath;
  readonly isDeleted: boolean;
  readonly stamp: Stamp;
  /** For a deletion: the newest message of each machine that had changed the document's text before. */
  readonly seen?: Vector;
}

/** A document as all machines know it. */
export interface Named {
  readonly id: string;
  /** The moment at which the first machine sent the document. */
  readonly born: Stamp;
  readonly name: Name;
  /** True for a document that only this machine has, because the others ignore it. Any other one is older. */
  readonly isAlone?: boolean;
}

/** Orders two moments: negative if `a` comes first. */
export function compareStamps(a: Stamp, b: Stamp): number {
  return a.lamport - b.lamport || (a.machine < b.machine ? -1 : a.machine > b.machine ? 1 : 0);
}

/** Returns true for two names of one document that place all documents alike. */
function isSame(a: Named, b: Named): boolean {
  return (
    a.name.path === b.name.path &&
    a.name.isDeleted === b.name.isDeleted &&
    a.isAlone === b.isAlone &&
    compareStamps(a.name.stamp, b.name.stamp) === 0 &&
    compareStamps(a.born, b.born) === 0
  );
}

/** Orders two documents by their age: negative if `a` is older. */
function compareAge(a: Named, b: Named): number {
  const [isAlone, isOtherAlone] = [a, b].map((one) => Number(one.isAlone ?? false)) as [number, number];
  return isAlone - isOtherAlone || compareStamps(a.born, b.born) || (a.id < b.id ? -1 : 1);
}

/**
 * Knows the names of all documents, and places them (M8). Names may be equal, or equal on a file system that ignores
 * case. Then the oldest document keeps the name, and each other one gets a visible name of its own. The places follow
 * from the names alone, so they are alike on all machines that know the same names.
 */
export class Names {
  readonly #byId = new Map<string, Named>();
  readonly #byPath = new Map<string, Set<string>>();
  readonly #machineName: (machine: string) => string;

  /** `machineName` returns the name of a machine for people. */
  constructor(machineName: (machine: string) => string) {
    this.#machineName = machineName;
  }

  get(id: string): Named | undefined {
    return this.#byId.get(id);
  }

  /** Sets a document's name; returns the ids of all documents whose places may have changed. */
  set(named: Named): readonly string[] {
    const before = this.#byId.get(named.id);
    if (before !== undefined && isSame(before, named)) return [named.id];
    const affected = new Set([named.id]);
    if (before !== undefined) {
      this.#byPath.get(folded(before.name.path))?.delete(named.id);
      this.#addAffected(affected, before.name.path);
    }
    this.#byId.set(named.id, named);
    if (!named.name.isDeleted) {
      const key = folded(named.name.path);
      this.#byPath.set(key, (this.#byPath.get(key) ?? new Set()).add(named.id));
      this.#addAffected(affected, named.name.path);
    }
    return [...affected];
  }

  /** Adds the documents of a path, and the documents whose name beside another one this path may occupy. */
  #addAffected(affected: Set<string>, path: DocPath): void {
    for (const at of [path, withoutNote(path)])
      for (const id of (at && this.#byPath.get(folded(at))) || []) affected.add(id);
  }

  /** Returns true for a known document whose name is not that of a deleted one. */
  has(id: string): boolean {
    return this.#byId.get(id)?.name.isDeleted === false;
  }

  /** Returns the documents that have a path, in any spelling, the oldest first. */
  at(path: DocPath): readonly Named[] {
    const group = [...(this.#byPath.get(folded(path)) ?? [])];
    return group.map((id) => this.#byId.get(id)!).sort(compareAge);
  }

  /** Returns the place of a document; undefined for a deleted or unknown one. */
  placeOf(id: string): DocPath | undefined {
    const named = this.#byId.get(id);
    if (named === undefined || named.name.isDeleted) return undefined;
    const { path } = named.name;
    const oldest = this.at(path)[0]!;
    return oldest.id === id ? path : this.#beside(named);
  }

  /** Returns the name beside a path that an older document has. The name contains the document's first machine. */
  #beside({ id, born, name }: Named): DocPath {
    const machine = this.#machineName(born.machine);
    const beside = besidePath(name.path, machine);
    const isShared = this.at(name.path)
      .slice(1)
      .some((other) => other.id !== id && this.#machineName(other.born.machine) === machine);
    const isFree = (path: DocPath) => this.at(path).length === 0;
    if (!isShared && isFree(beside)) return beside;
    const withTail = besidePath(name.path, `${machine} ${id.slice(-6)}`);
    return isFree(withTail) ? withTail : besidePath(name.path, `${machine} ${id}`);
  }

  [Symbol.iterator](): Iterator<Named> {
    return this.#byId.values();
  }
}

/** Returns the path that a path may be beside; undefined for one without a note. */
function withoutNote(path: DocPath): DocPath | undefined {
  const parts = /^(.*) \([^()/]*\)(\.[^./]*)?$/.exec(path);
  return parts === null ? undefined : (`${parts[1]}${parts[2] ?? ""}` as DocPath);
}
