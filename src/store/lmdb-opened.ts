import { statSync } from "node:fs";
import { join } from "node:path";
import type { RootDatabase } from "lmdb";
import type { Databases, Environment } from "./lmdb-environment.ts";
import { DATABASE_FILE } from "./provenance.ts";

/**
 * Owns the open LMDB environment in a folder. A dense copy can take its place, but not while a range is read: that has a
 * cursor in the environment. Nothing else that was read refers to it.
 */
export class Opened {
  readonly folder: string;
  #current: Environment;
  #inode: bigint | undefined;
  #ranges = 0;

  constructor(folder: string, environment: Environment) {
    this.folder = folder;
    this.#current = environment;
    this.#inode = this.#inodeThere();
  }

  get env(): RootDatabase {
    return this.#current.env;
  }

  get databases(): Databases {
    return this.#current.databases;
  }

  get isRead(): boolean {
    return this.#ranges > 0;
  }

  /** False when another file has taken the place of the open database, as when a user put back an older store. */
  get isInPlace(): boolean {
    return this.#inode !== undefined && this.#inodeThere() === this.#inode;
  }

  /** Notes that a range is read until `endRange`. */
  beginRange(): void {
    this.#ranges++;
  }

  endRange(): void {
    this.#ranges--;
  }

  /** Lets an environment whose file is in the folder now take the place of the present one, and returns that. */
  become(environment: Environment): Environment {
    const before = this.#current;
    this.#current = environment;
    this.#inode = this.#inodeThere();
    return before;
  }

  #inodeThere(): bigint | undefined {
    return statSync(join(this.folder, DATABASE_FILE), { bigint: true, throwIfNoEntry: false })?.ino;
  }
}
