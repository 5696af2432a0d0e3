import { spawnSync } from "node:child_process";
import { CommandError, EXIT } from "./output.ts";

/** The largest content that a comparison reads, in bytes. */
const MOST_BYTES = 64 << 20;

/**
 * Returns the content of a file in git's newest commit; undefined for a file that the commit does not have. It runs no
 * filter of the repository's configuration. @throws CommandError where there is no commit
 */
export function committedText(root: string, path: string): string | undefined {
  const git = (...args: string[]) =>
    spawnSync("git", ["-C", root, ...args], { encoding: "utf8", maxBuffer: MOST_BYTES });
  const head = git("rev-parse", "--verify", "--quiet", "HEAD");
  if (head.error !== undefined)
    throw new CommandError(EXIT.refused, `git cannot be run: ${head.error.message}`);
  if (head.status !== 0) throw new CommandError(EXIT.refused, `${root} has no commit of git`);
  const shown = git("cat-file", "blob", `HEAD:./${path}`);
  return shown.status === 0 ? shown.stdout : undefined;
}
