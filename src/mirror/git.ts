import { execFile } from "node:child_process";
import { createHash } from "node:crypto";

/** True when a workspace's git repository has these bytes as the content of some file, of any commit or stash. */
export type InGit = (bytes: Uint8Array) => Promise<boolean>;

/** A git that takes longer is not waited for; milliseconds. */
const PATIENCE_MS = 2_000;

/**
 * Asks the git that is installed. What `git checkout`, `stash`, `rebase` and the like put into a file they have
 * stored as an object before, which nobody's unsaved buffer is. False where there is no git or no repository.
 */
export function gitAt(root: string): InGit {
  return (bytes) =>
    new Promise((done) => {
      // Only the object database is asked: no filter, hook or fetch that a repository asks for is run.
      const env = { ...process.env, GIT_NO_LAZY_FETCH: "1", GIT_OPTIONAL_LOCKS: "0" };
      const args = ["-C", root, "cat-file", "--batch-check=%(objecttype)"];
      const git = execFile("git", args, { env, timeout: PATIENCE_MS }, (error, out) =>
        done(error === null && out.split("\n").includes("blob")),
      );
      // Git that is not there, or ends early, is told of by the callback above.
      git.stdin?.on("error", () => undefined);
      git.stdin?.end(`${[...names(bytes)].join("\n")}\n`);
    });
}

/** The names that git may have given these bytes; it may have stored a file with CRLF line ends with LF. */
function names(bytes: Uint8Array): Set<string> {
  const lf = Buffer.from(Buffer.from(bytes).toString("latin1").replaceAll("\r\n", "\n"), "latin1");
  return new Set(
    [bytes, lf].flatMap((content) =>
      ["sha1", "sha256"].map((kind) =>
        createHash(kind).update(`blob ${content.length}\0`).update(content).digest("hex"),
      ),
    ),
  );
}
