import { existsSync, lstatSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { STATE_FOLDER } from "../state/folder.ts";
import { CommandError, EXIT } from "./output.ts";

/**
 * Refuses to serve the workspace at `root` to a client in a git worktree inside it, such as Claude Code's
 * `.claude/worktrees`. The client's paths would name the workspace's files, and not those of the worktree. A lane is a
 * live folder of its own. @throws CommandError
 */
export function refuseInnerWorktree(given: string, root: string): void {
  for (let folder = given; !existsSync(join(folder, STATE_FOLDER)); folder = dirname(folder)) {
    if (dirname(folder) === folder) return;
    if (!isWorktree(folder)) continue;
    throw new CommandError(
      EXIT.usage,
      `${folder} is a git worktree inside ${root}, so spliced would edit the files of ${root}`,
      `for these, run: spliced mcp ${root}\nfor the worktree, name it in .splicedignore of ${root}, then run: spliced start --inside ${folder}`,
    );
  }
}

/** Returns true for a linked worktree of git; the file `.git` of a submodule names another place. */
function isWorktree(folder: string): boolean {
  const file = join(folder, ".git");
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return false;
  return /^gitdir: .*\/worktrees\/[^/]+\s*$/.test(readFileSync(file, "utf8"));
}
