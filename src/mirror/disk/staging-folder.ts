import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { makeOwnFolder } from "../../state/own.ts";
import type { FileProblem } from "../files.ts";

/** Owns the folder of staged versions, which is in the state folder. */
export class StagingFolder {
  readonly path: string;
  readonly device: bigint;
  /** The inode of the state folder. */
  readonly #state: bigint;

  /** @throws when the folder cannot be made */
  constructor(path: string) {
    this.path = path;
    this.#make();
    this.device = lstatSync(path, { bigint: true }).dev;
    this.#state = lstatSync(dirname(path), { bigint: true }).ino;
  }

  /** False once somebody deleted the state folder: the store that would note a staged version went with it. */
  get hasStore(): boolean {
    return lstatSync(dirname(this.path), { bigint: true, throwIfNoEntry: false })?.ino === this.#state;
  }

  /**
   * Makes the folder again if somebody removed it; not while the root is missing. Returns a problem if something else is
   * there. @throws the system's error, StateError
   */
  ensure(isRootPresent: () => boolean): FileProblem | undefined {
    const there = lstatSync(this.path, { throwIfNoEntry: false });
    if (there === undefined && isRootPresent()) this.#make();
    return there === undefined || there.isDirectory() ? undefined : notAFolder(this.path);
  }

  #make(): void {
    makeOwnFolder(dirname(this.path));
    makeOwnFolder(this.path);
  }
}

function notAFolder(folder: string): FileProblem {
  return { kind: "io", message: `the staging folder ${folder} is a link or a file; remove it` };
}
