import { lstatSync } from "node:fs";
import { Beneath } from "../beneath.ts";
import { isFileProblem } from "../files.ts";
import { type DocPath, fileNameOf, folderOf } from "../path.ts";
import { headOf } from "./head.ts";
import type { Loaded } from "./loaded.ts";
import { loadedByVim, swapNamesFor } from "./vim-swap.ts";
import { loadedByVsCode } from "./vscode-backups.ts";

/** Finds the versions of files that editors have loaded. This is a port: simulations have no editors. */
export interface Editors {
  /** Returns the versions that editors have loaded of a file; a few system calls. */
  look(path: DocPath): readonly Loaded[];
  close(): void;
}

/** Returns the editors of a workspace. `home` is the user's home folder. @throws when the folder cannot be opened */
export function editorsAt(root: string, home: string): Editors {
  return new EditorsOnDisk(root, home);
}

class EditorsOnDisk implements Editors {
  readonly #beneath: Beneath;
  readonly #home: string;

  constructor(root: string, home: string) {
    this.#beneath = new Beneath(root);
    this.#home = home;
  }

  look(path: DocPath): readonly Loaded[] {
    const folder = folderOf(path);
    const beside = (name: string) => (folder === "" ? name : `${folder}/${name}`) as DocPath;
    const name = fileNameOf(path);
    const swaps = swapNamesFor(name).flatMap((swap) => this.#head(beside(swap)) ?? []);
    return [
      ...swaps.flatMap((head) => loadedByVim(head) ?? []),
      ...this.#lockedByEmacs(beside(`.#${name}`)),
      ...loadedByVsCode(this.#home, `${this.#beneath.root}/${path}`),
    ];
  }

  close(): void {
    this.#beneath.close();
  }

  #head(path: DocPath): Buffer | undefined {
    const head = this.#beneath.within(path, headOf);
    return isFileProblem(head) ? undefined : head;
  }

  /** Emacs makes the lock, a link to nowhere, at the first change of a buffer. */
  #lockedByEmacs(lock: DocPath): readonly Loaded[] {
    const stats = this.#beneath.within(lock, (at) => lstatSync(at));
    return "kind" in stats || !stats.isSymbolicLink() ? [] : [{ editor: "emacs", changedAt: stats.ctimeMs }];
  }
}
