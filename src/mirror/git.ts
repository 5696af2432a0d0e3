import { execFile } from "node:child_process";
import { createHash } from "node:crypto";

/** Resolves with true when the git repository of a workspace contains a file of these bytes, in any commit or stash. */
export type InGit = (bytes: Uint8Array) => Promise<boolean>;

/** The longest time that the daemon waits for git; milliseconds. */
const PATIENCE_MS = 2_000;

/**
 * Asks the installed git. `git checkout`, `stash`, `rebase` and the like write only content that git stores as an
 * object; an unsaved buffer is no such object. Resolves with false without git or a repository.
 */
export function gitAt(root: string): InGit {
  return (bytes) =>
    new Promise((done) => {
      // This reads only the object database, so git runs no filter, hook or fetch of the repository.
      const env = { ...process.env, GIT_NO_LAZY_FETCH: "1", GIT_OPTIONAL_LOCKS: "0" };
      const args = ["-C", root, "cat-file", "--batch-check=%(objecttype)"];
      const git = execFile("git", args, { env, timeout: PATIENCE_MS }, (error, out) =>
        done(error === null && out.split("\n").includes("blob")),
      );
      // The callback above handles a git that is missing or ends early.
      git.stdin?.on("error", () => undefined);
      git.stdin?.end(`${[...names(bytes)].join("\n")}\n`);
    });
}

/** Returns the object names that git may use for these bytes. Git may store a file with CRLF line endings with LF. */
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
