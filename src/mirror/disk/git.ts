import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type Decoded, decode } from "../format.ts";
import type { DocPath } from "../path.ts";

/** The content of a file in git's newest commit. */
export interface Committed {
  readonly commit: string;
  /** Undefined if the commit does not have the file, or has it as no text. */
  readonly content: Decoded | undefined;
}

/** The git repositories of a workspace's files, as far as the installed git can read them. */
export interface Git {
  /** Resolves with true when the repository of a file contains a file of these bytes, in any commit or stash. */
  contains(path: DocPath, bytes: Uint8Array): Promise<boolean>;
  /** Reads a file of at most `maxBytes` in the newest commit; undefined without git, a repository or a commit. */
  committed(path: DocPath, maxBytes: number): Promise<Committed | undefined>;
}

/** The longest time that the daemon waits for git; milliseconds. */
const PATIENCE_MS = 2_000;

/**
 * Asks the installed git. It reads only the object database, so that git runs no filter, hook or fetch of the repository.
 */
export function gitAt(root: string): Git {
  const ask = async (folder: string, args: readonly string[], { input = "", maxBytes = 1 << 20 } = {}) => {
    const env = { ...process.env, GIT_NO_LAZY_FETCH: "1", GIT_OPTIONAL_LOCKS: "0" };
    const options = { env, timeout: PATIENCE_MS, maxBuffer: maxBytes, encoding: "buffer" } as const;
    return new Promise<Buffer | undefined>((done) => {
      const git = execFile("git", ["-C", folder, ...SAFE, ...args], options, (error, out) =>
        done(error === null ? out : undefined),
      );
      // The callback above handles a git that is missing or ends early.
      git.stdin?.on("error", () => undefined);
      git.stdin?.end(input);
    });
  };
  return {
    // `git checkout`, `stash`, `rebase` and the like write only content that git stores as an object; an unsaved buffer
    // is no such object.
    async contains(path, bytes) {
      const input = `${[...names(bytes)].join("\n")}\n`;
      const kinds = await ask(repositoryOf(root, path), ["cat-file", "--batch-check=%(objecttype)"], {
        input,
      });
      return kinds?.toString().split("\n").includes("blob") ?? false;
    },
    async committed(path, maxBytes) {
      const folder = repositoryOf(root, path);
      const head = await ask(folder, ["rev-parse", "--verify", "--quiet", "HEAD"]);
      if (head === undefined) return undefined;
      const commit = head.toString().trim();
      const name = relative(folder, join(root, path));
      const bytes = await ask(folder, ["cat-file", "blob", `${commit}:./${name}`], { maxBytes });
      return { commit, content: bytes && decode(bytes) };
    },
  };
}

/** Documents may form a bare repository, whose settings an agent could write. */
const SAFE = ["-c", "safe.bareRepository=explicit"];

/** Returns the folder of the innermost repository with a file, such as a submodule, or else the root. */
function repositoryOf(root: string, path: DocPath): string {
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder))
    if (existsSync(join(root, folder, ".git"))) return join(root, folder);
  return root;
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
