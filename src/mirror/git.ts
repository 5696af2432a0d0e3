import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { type Decoded, decode } from "./format.ts";
import type { DocPath } from "./path.ts";

/** The content of a file in git's newest commit. */
export interface Committed {
  readonly commit: string;
  /** Undefined if the commit does not have the file, or has it as no text. */
  readonly content: Decoded | undefined;
}

/** The git repository of a workspace, as far as the installed git can read it. */
export interface Git {
  /** Resolves with true when the repository contains a file of these bytes, in any commit or stash. */
  contains(bytes: Uint8Array): Promise<boolean>;
  /** Reads a file of at most `maxBytes` in the newest commit; undefined without git, a repository or a commit. */
  committed(path: DocPath, maxBytes: number): Promise<Committed | undefined>;
}

/** The longest time that the daemon waits for git; milliseconds. */
const PATIENCE_MS = 2_000;

/**
 * Asks the installed git. It reads only the object database, so that git runs no filter, hook or fetch of the repository.
 */
export function gitAt(root: string): Git {
  const ask = async (args: readonly string[], { input = "", maxBytes = 1 << 20 } = {}) => {
    const env = { ...process.env, GIT_NO_LAZY_FETCH: "1", GIT_OPTIONAL_LOCKS: "0" };
    const options = { env, timeout: PATIENCE_MS, maxBuffer: maxBytes, encoding: "buffer" } as const;
    return new Promise<Buffer | undefined>((done) => {
      const git = execFile("git", ["-C", root, ...args], options, (error, out) =>
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
    async contains(bytes) {
      const input = `${[...names(bytes)].join("\n")}\n`;
      const kinds = await ask(["cat-file", "--batch-check=%(objecttype)"], { input });
      return kinds?.toString().split("\n").includes("blob") ?? false;
    },
    async committed(path, maxBytes) {
      const head = await ask(["rev-parse", "--verify", "--quiet", "HEAD"]);
      if (head === undefined) return undefined;
      const commit = head.toString().trim();
      const bytes = await ask(["cat-file", "blob", `${commit}:./${path}`], { maxBytes });
      return { commit, content: bytes && decode(bytes) };
    },
  };
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
