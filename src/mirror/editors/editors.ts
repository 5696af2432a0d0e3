import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { Beneath } from "../disk/beneath.ts";
import { isFileProblem } from "../files.ts";
import { type DocPath, fileNameOf } from "../path.ts";
import { headOf } from "./head.ts";
import type { Loaded } from "./loaded.ts";
import type { User } from "./user.ts";
import { loadedByVim, neovimSwapsFor, swapNamesFor } from "./vim-swap.ts";
import { loadedByVsCode } from "./vscode-backups.ts";

/** Finds the versions of files that editors have loaded. This is a port: simulations have no editors. */
export interface Editors {
  /** Returns the versions that editors have loaded of a file; a few system calls. */
  look(path: DocPath): readonly Loaded[];
  close(): void;
}

/** Returns the editors of a user in a workspace. @throws when the folder cannot be opened */
export function editorsAt(root: string, user: User): Editors {
  return new EditorsOnDisk(root, user);
}

class EditorsOnDisk implements Editors {
  readonly #beneath: Beneath;
  readonly #user: User;

  constructor(root: string, user: User) {
    this.#beneath = new Beneath(root);
    this.#user = user;
  }

  look(path: DocPath): readonly Loaded[] {
    const name = fileNameOf(path);
    const beside = this.#beneath.within(path, (at) => loadedBeside(dirname(at), name));
    const loaded = isFileProblem(beside) ? [] : beside;
    const file = `${this.#beneath.root}/${path}`;
    const swaps = neovimSwapsFor(this.#user, file);
    return [...loaded, ...loadedBySwaps(swaps), ...loadedByVsCode(this.#user, file)];
  }

  close(): void {
    this.#beneath.close();
  }
}

/** Returns the versions that vim and Emacs have loaded of a file, by their files in its folder. */
function loadedBeside(folder: string, name: string): readonly Loaded[] {
  const swaps = swapNamesFor(name).map((swap) => `${folder}/${swap}`);
  return [...loadedBySwaps(swaps), ...lockedByEmacs(`${folder}/.#${name}`)];
}

function loadedBySwaps(swaps: readonly string[]): readonly Loaded[] {
  return swaps.flatMap((swap) => headOf(swap) ?? []).flatMap((head) => loadedByVim(head) ?? []);
}

/** Emacs makes the lock, a link to nowhere, at the first change of a buffer. */
function lockedByEmacs(lock: string): readonly Loaded[] {
  const stats = lstatSync(lock, { throwIfNoEntry: false });
  return stats?.isSymbolicLink() ? [{ editor: "emacs", changedAt: stats.ctimeMs }] : [];
}
