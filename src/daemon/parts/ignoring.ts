import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative } from "node:path";
import { promisify } from "node:util";
import { IgnoreFiles } from "../../mirror/disk/ignore-files.ts";
import { IgnoreRules } from "../../paths/ignore-rules.ts";
import type { OuterFile, OuterRules } from "../../paths/outer-rules.ts";
import { commonFolderOf, repositoryOf, WORKTREES } from "../../state/git-notes.ts";

/** The longest time that the daemon waits for git; milliseconds. */
const PATIENCE_MS = 2_000;

/** The rules of a workspace, and the reader of their files. */
interface Ignoring {
  readonly rules: IgnoreRules;
  readonly files: IgnoreFiles;
}

/** Opens the rules of a workspace. `report` is called once for each problem with a file of patterns. */
export function openIgnoring(
  root: string,
  outer: OuterRules,
  report?: (file: string, problem: string) => void,
): Ignoring {
  const files = new IgnoreFiles(root, report);
  return { rules: new IgnoreRules(outer, files.read, report), files };
}

/**
 * Returns the rules from outside the workspace's folders. They are the globs of the setting `ignore`, the files of the
 * workspace's git repository, and the user's own file as git finds it. A caller with other work begins `userFile` early.
 */
export async function outerRulesOf(
  root: string,
  globs: readonly string[],
  configFile: string | undefined,
  own: Promise<string> = userFile(),
): Promise<OuterRules> {
  const config = configFile === undefined ? "daemon.config.ts" : relative(root, configFile);
  const top = repositoryOf(root);
  const common = commonFolderOf(top ?? root);
  return {
    globs,
    config,
    worktrees: common === undefined ? undefined : worktreesOf(root, common),
    files: [...repositoryFiles(root, top, common), ...userFileIn(root, top, await own)],
  };
}

/** Returns the path of the user's own file of patterns. The configuration of no repository can name another. */
export async function userFile(): Promise<string> {
  const home = process.env["XDG_CONFIG_HOME"] || join(homedir(), ".config");
  return (await configuredFile()) ?? join(home, "git/ignore");
}

/** Returns the notes of linked worktrees, as a file of patterns that leaves those in the workspace out. */
function worktreesOf(root: string, common: string): OuterFile {
  const path = join(common, WORKTREES);
  return { file: nameOf(path, root), path, prefix: "" };
}

/** Returns the `.gitignore` files above the workspace and the repository's exclude file. */
function repositoryFiles(root: string, top: string | undefined, common: string | undefined): OuterFile[] {
  if (top === undefined) return [];
  const above: OuterFile[] = [];
  for (let folder = root; folder !== top; ) {
    folder = dirname(folder);
    const path = join(folder, ".gitignore");
    above.push({ file: relative(root, path), path, prefix: prefixOf(folder, root) });
  }
  if (common === undefined) return above;
  const exclude = join(common, "info/exclude");
  const isOwn = exclude.startsWith(`${top}/`);
  const file = isOwn ? relative(root, exclude) : nameOf(exclude, root);
  // A path in the workspace is read without following links.
  const path = isOwn && top === root ? file : exclude;
  return [...above, { file, path, prefix: prefixOf(top, root) }];
}

function userFileIn(root: string, top: string | undefined, path: string): OuterFile[] {
  if (!isAbsolute(path)) return [];
  return [{ file: nameOf(path, root), path, prefix: prefixOf(top ?? root, root) }];
}

/** Returns `core.excludesFile` of the user or the system; undefined if neither sets it. */
async function configuredFile(): Promise<string | undefined> {
  const env = { ...process.env, GIT_DIR: "/dev/null" }; // no repository, so that none decides
  try {
    const args = ["config", "--includes", "--type=path", "--get", "core.excludesFile"];
    const { stdout } = await promisify(execFile)("git", args, { cwd: "/", env, timeout: PATIENCE_MS });
    return stdout.trim();
  } catch {
    return undefined; // unset, or there is no git
  }
}

function prefixOf(folder: string, root: string): string {
  return folder === root ? "" : `${relative(folder, root)}/`;
}

/** Returns a file's name for people: from the workspace, from the home folder, or whole. */
function nameOf(path: string, root: string): string {
  const [inside, atHome] = [relative(root, path), relative(homedir(), path)];
  if (!inside.startsWith("..")) return inside;
  return atHome.startsWith("..") ? path : `~/${atHome}`;
}
