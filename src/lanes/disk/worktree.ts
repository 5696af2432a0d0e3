import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { commonFolderOf, repositoryOf } from "../../state/git-notes.ts";

/** The largest file of git's that is read here, in bytes. */
const MOST_BYTES = 64 << 20;
/** The folders of the branches and the tags. */
const KEPT = ["refs/heads", "refs/remotes", "refs/tags"];
const COMMIT = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

/** The git worktree of a lane. */
interface Worktree {
  /** The folder in the repository that has the worktree's HEAD and index. */
  readonly folder: string;
  /** The commit of its HEAD; undefined before the first commit. */
  readonly commit: string | undefined;
}

/**
 * Makes a folder a worktree of the repository whose top is a workspace. It has a HEAD of its own at the same commit,
 * and the same index. It writes the files that `git worktree add --detach` writes. It starts no git, because the
 * repository's configuration could name programs to run (I17). Returns undefined without such a repository, or for an
 * unknown form of one.
 */
export function addWorktree(root: string, lane: string): Worktree | undefined {
  const common = repositoryAt(root);
  if (common === undefined) return undefined;
  const own = ownFolder(root, common);
  const head = textOf(join(own, "HEAD"));
  if (head === undefined || existsSync(join(common, "reftable"))) return undefined;
  const commit = commitOf(common, own, head);
  const isUnborn = commit === undefined && head.startsWith("ref: ");
  if (commit === undefined && !isUnborn) return undefined;
  const folder = freeFolder(join(common, "worktrees"), basename(lane));
  writeFileSync(join(folder, "commondir"), "../..\n");
  writeFileSync(join(folder, "gitdir"), `${join(lane, ".git")}\n`);
  writeFileSync(join(folder, "HEAD"), `${commit ?? head}\n`);
  if (existsSync(join(own, "index"))) copyFileSync(join(own, "index"), join(folder, "index"));
  writeFileSync(join(lane, ".git"), `gitdir: ${folder}\n`, { flag: "wx" });
  return { folder, commit };
}

/** Returns the worktree that a lane has; undefined without one. */
function worktreeOf(root: string, lane: string): Worktree | undefined {
  const common = repositoryAt(root);
  const named = /^gitdir: (.+)$/m.exec(textOf(join(lane, ".git")) ?? "")?.[1];
  if (common === undefined || named === undefined) return undefined;
  const folder = resolve(lane, named);
  // A program can write any content into the lane, so the repository has to note this worktree, too.
  if (dirname(folder) !== join(common, "worktrees") || textOf(join(folder, "gitdir")) !== join(lane, ".git"))
    return undefined;
  const head = textOf(join(folder, "HEAD"));
  return head === undefined ? undefined : { folder, commit: commitOf(common, folder, head) };
}

/** Returns the commit of a lane at which no branch ends, if its HEAD differs from the one at its beginning. */
export function looseCommit(root: string, lane: string, began: string | undefined): string | undefined {
  const worktree = worktreeOf(root, lane);
  if (worktree === undefined || worktree.commit === began) return undefined;
  const { commit, folder } = worktree;
  const isOnBranch = textOf(join(folder, "HEAD"))?.startsWith("ref: ") ?? false;
  return commit === undefined || isOnBranch || isEnd(dirname(dirname(folder)), commit) ? undefined : commit;
}

/** Returns true for a commit at which a branch or a tag ends, here or in another repository. */
function isEnd(common: string, commit: string): boolean {
  const packed = textOf(join(common, "packed-refs"))?.split("\n") ?? [];
  const names = packed.flatMap((line) =>
    line.startsWith(`${commit} `) ? line.slice(commit.length + 1) : [],
  );
  if (names.some((name) => (textOf(join(common, name)) ?? commit) === commit)) return true;
  return KEPT.some((kind) => {
    const folder = join(common, kind);
    if (looked(folder)?.isDirectory() !== true) return false;
    return readdirSync(folder, { recursive: true }).some(
      (name) => textOf(join(folder, String(name))) === commit,
    );
  });
}

/** Removes the worktree of a lane from the repository. */
export function removeWorktree(root: string, lane: string): void {
  const worktree = worktreeOf(root, lane);
  if (worktree !== undefined) rmSync(worktree.folder, { recursive: true, force: true });
}

/** Returns the folder of the repository whose top is a workspace, unless another user's folder has it. */
function repositoryAt(root: string): string | undefined {
  const common = repositoryOf(root) === root ? commonFolderOf(root) : undefined;
  return common && realpathSync(common);
}

/** Returns the folder with the HEAD and the index of a workspace. */
function ownFolder(root: string, otherwise: string): string {
  const named = /^gitdir: (.+)$/m.exec(textOf(join(root, ".git")) ?? "")?.[1];
  return named === undefined ? otherwise : resolve(root, named);
}

function commitOf(common: string, own: string, head: string): string | undefined {
  if (COMMIT.test(head)) return head;
  const name = /^ref: (refs\/[^\0]+)$/.exec(head)?.[1];
  if (name === undefined || name.split("/").includes("..")) return undefined;
  const loose = textOf(join(common, name)) ?? textOf(join(own, name));
  if (loose !== undefined) return COMMIT.test(loose) ? loose : undefined;
  const packed = textOf(join(common, "packed-refs"))?.split("\n") ?? [];
  const found = packed.find((line) => line.endsWith(` ${name}`))?.split(" ", 1)[0];
  return found !== undefined && COMMIT.test(found) ? found : undefined;
}

function freeFolder(parent: string, name: string): string {
  mkdirSync(parent, { recursive: true });
  for (let n = 0; ; n++) {
    const folder = join(parent, n === 0 ? name : `${name}${n}`);
    if (existsSync(folder)) continue;
    mkdirSync(folder);
    return folder;
  }
}

/** Returns the trimmed text of a regular file; undefined if there is none. */
function textOf(file: string): string | undefined {
  const stats = looked(file);
  return stats?.isFile() && stats.size < MOST_BYTES ? readFileSync(file, "utf8").trim() : undefined;
}

/** Looks at a file; undefined also where a file is in the place of its folder, as the branch `a` in that of `a/b`. */
function looked(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}
