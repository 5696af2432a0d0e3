import { statSync } from "node:fs";
import { join } from "node:path";
import type { RootDatabase } from "lmdb";
import { StoreError } from "../store.ts";
import type { Databases, Environment } from "./environment.ts";
import { DATABASE_FILE } from "./provenance.ts";

/**
 * Owns the open LMDB environment in a folder. A dense copy can take its place, but not while a range is read: that has a
 * cursor in the environment. Nothing else that was read refers to it.
 */
export class Opened {
  readonly folder: string;
  #current: Environment;
  #inode: bigint | undefined;
  readonly #cursors = new Set<Iterator<unknown>>();
  #isClosed = false;

  constructor(folder: string, environment: Environment) {
    this.folder = folder;
    this.#current = environment;
    this.#inode = this.#inodeThere();
  }

  get env(): RootDatabase {
    return this.#current.env;
  }

  /** @throws StoreError once the environment is closed: a cursor opened then would end the process */
  get databases(): Databases {
    if (this.#isClosed) throw closedError();
    return this.#current.databases;
  }

  get isRead(): boolean {
    return this.#cursors.size > 0;
  }

  /** False when another file has taken the place of the open database, as when a user put back an older store. */
  get isInPlace(): boolean {
    return this.#inode !== undefined && this.#inodeThere() === this.#inode;
  }

  /**
   * Yields a range of one of the databases, also across turns of the event loop. @throws StoreError when the environment
   * is closed before the end of the range
   */
  *read<T>(range: Iterable<T>): Iterable<T> {
    const cursor = range[Symbol.iterator]();
    this.#cursors.add(cursor);
    try {
      for (let next = cursor.next(); next.done !== true; next = cursor.next()) {
        yield next.value;
        if (this.#isClosed) throw closedError();
      }
    } finally {
      if (this.#cursors.delete(cursor)) cursor.return?.();
    }
  }

  /** Closes the environment. Each range that is being read ends first, because its cursor would outlive its memory. */
  close(): Promise<void> {
    this.#isClosed = true;
    for (const cursor of this.#cursors) cursor.return?.();
    this.#cursors.clear();
    return this.env.close();
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

function closedError(): StoreError {
  return new StoreError("failed", "the store is closed, because the daemon is stopping");
}
