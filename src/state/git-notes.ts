import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { ownerDoubt } from "./trust.ts";

// git notes in small files where the worktrees of a repository are. These functions read them; no git runs for it (I17).

/** The name of the folder in which git notes the linked worktrees of a repository. */
export const WORKTREES = "worktrees";

/** The most worktrees of a repository that are found. */
const MOST_WORKTREES = 1_000;
/** The most bytes of a note; git's own have a path or a name. */
const MOST_BYTES = 4_096;

/** Returns the top of the repository that a folder is in, unless another user's folder has it. */
export function repositoryOf(folder: string): string | undefined {
  for (let top = folder; ; top = dirname(top)) {
    const found = lstatSync(join(top, ".git"), { throwIfNoEntry: false });
    if (found !== undefined) return ownerDoubt(found) === undefined ? top : undefined;
    if (top === dirname(top)) return undefined;
  }
}

/**
 * Returns the folder of git that the worktrees of a repository share. That of a linked worktree is in the repository that
 * names it; undefined where none does. A folder without a repository may get one.
 */
export function commonFolderOf(top: string): string | undefined {
  const dotGit = join(top, ".git");
  if (!lstatSync(dotGit, { throwIfNoEntry: false })?.isFile()) return dotGit;
  const named = /^gitdir: (.+)$/m.exec(noteOf(dotGit))?.[1];
  if (named === undefined) return undefined;
  const own = resolve(top, named);
  // Any program can write such a file, but only git notes the worktree at the other end.
  if (resolve(own, noteOf(join(own, "gitdir"))) !== dotGit) return undefined;
  return resolve(own, noteOf(join(own, "commondir")) || ".");
}

/** Returns the folder in which git notes the linked worktrees of the repository that a folder is in. */
export function worktreeNotesOf(folder: string): string | undefined {
  const common = commonFolderOf(repositoryOf(folder) ?? folder);
  return common && join(common, WORKTREES);
}

/** Returns true for the top folder of a linked worktree. The file `.git` of a submodule names another place. */
export function isWorktree(folder: string): boolean {
  return /^gitdir: .*\/worktrees\/[^/\n]+$/.test(noteOf(join(folder, ".git")));
}

/**
 * Returns the paths of the linked worktrees inside a folder, from their notes. A place without a worktree is left from one
 * that somebody removed without git. @throws the system's error
 */
export function worktreesIn(folder: string, notes: string): string[] {
  return readdirSync(notes)
    .slice(0, MOST_WORKTREES)
    .flatMap((name) => {
      const top = dirname(resolve(notes, name, noteOf(join(notes, name, "gitdir"))));
      const path = relative(folder, top);
      const isInside = path !== "" && path !== ".." && !path.startsWith("../");
      return isInside && isWorktree(top) ? [path] : [];
    });
}

/** Returns the trimmed content of a small file; "" if there is none. */
function noteOf(file: string): string {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats?.isFile() && stats.size < MOST_BYTES ? readFileSync(file, "utf8").trim() : "";
}
