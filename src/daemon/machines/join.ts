import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { connected } from "../../link/carrier/reach.ts";
import { SnapshotReader } from "../../link/catch-up/newcomer.ts";
import { joiningRecord } from "../../link/members/founder.ts";
import { Keys } from "../../link/members/keys.ts";
import type { ShareLine } from "../../link/members/line.ts";
import { type LinkRecord, readLink, writeLink } from "../../link/members/link-file.ts";
import { Members } from "../../link/members/members.ts";
import { MemberSealer } from "../../link/members/seal.ts";
import { Membership } from "../../link/membership.ts";
import type { SnapshotFile, SnapshotHead } from "../../link/snapshots/snapshot.ts";
import { systemClock } from "../../mirror/clock.ts";
import { openSandbox } from "../../mirror/disk/sandbox.ts";
import { type Files, isFileProblem } from "../../mirror/files.ts";
import { besidePath, type DocPath, isPathProblem, parsePath } from "../../mirror/path.ts";
import { makeOwnFolder } from "../../state/own.ts";
import { siteOf } from "../../state/site.ts";
import { bytesOf } from "../../store/content.ts";
import { placeRefusal } from "../../workspace/folder/new-file.ts";
import { linkFileIn } from "./link-file.ts";
import { openNats } from "./machines.ts";

/** The effects of joining on the files of a folder. */
export interface JoinPlan {
  /** The files that the folder gets. */
  readonly added: readonly string[];
  /** The number of equal files. */
  readonly equal: number;
  /** The files that differ: the folder's own version gets another name. */
  readonly kept: readonly { readonly path: string; readonly as: string }[];
  /** The number of documents with a history, which the daemon fetches. */
  readonly documents: number;
}

/** The error for a folder that cannot join; `message` is for a person, with the reason and the remedy. */
export class JoinError extends Error {
  override readonly name = "JoinError";
}

/**
 * Makes a folder one of the machines of a shared workspace. First look (`plan`), then write (`join`); the daemon that
 * starts afterwards fetches the documents.
 */
export class Joining {
  readonly #root: string;
  readonly #state: string;
  readonly #record: LinkRecord;
  readonly #line: ShareLine;
  /** The folder's files; it follows no link. */
  readonly #files: Files;

  /** @throws JoinError when the folder is shared already */
  constructor(root: string, line: ShareLine, environment: Readonly<Record<string, string>>, name?: string) {
    this.#root = root;
    this.#line = line;
    this.#state = join(root, ".spliced");
    makeOwnFolder(this.#state);
    if (readLink(linkFileIn(this.#state)) !== undefined)
      throw new JoinError(`${root} is shared already. Run \`spliced leave\` there first`);
    this.#files = openSandbox(root, () => {});
    this.#record = joiningRecord(line, environment, name ?? hostname(), siteOf(this.#state));
  }

  /** Compares the folder with the shared workspace. @throws JoinError when the broker or a snapshot is missing */
  async plan(): Promise<JoinPlan> {
    const added: string[] = [];
    const kept: { path: string; as: string }[] = [];
    let equal = 0;
    const head = await this.#each((file, path) => {
      const own = this.#contentAt(path);
      if (own === undefined) added.push(path);
      else if (sha256(own) === file.sha256) equal++;
      else kept.push({ path, as: this.#beside(path) });
    });
    return { added, equal, kept, documents: head.documents };
  }

  /**
   * Writes the files that the folder lacks, and stores its own texts beside the shared ones that differ. Returns the paths
   * of those that it leaves out because they are damaged: one file stops no other (I14). @throws JoinError
   */
  async join(progress: (files: number) => void): Promise<readonly string[]> {
    const damaged: string[] = [];
    let count = 0;
    await this.#each((file, path) => {
      const own = this.#contentAt(path);
      progress(++count);
      if (own !== undefined && sha256(own) === file.sha256) return;
      const bytes = bytesOf(file);
      if (bytes === undefined) return void damaged.push(path);
      const target = join(this.#root, path);
      if (own !== undefined) renameSync(target, join(this.#root, this.#beside(path)));
      const problem = this.#files.makeFolders(path);
      if (problem !== undefined) throw inTheWay(placeRefusal(this.#files, path, problem));
      writeFileSync(target, bytes, { flag: "wx", mode: file.isExecutable ? 0o777 : 0o666 });
    });
    writeLink(linkFileIn(this.#state), this.#record);
    return damaged;
  }

  /** Calls `work` with each file of the newest snapshot. @throws JoinError */
  async #each(work: (file: SnapshotFile, path: DocPath) => void): Promise<SnapshotHead> {
    const { workspace, owner, identity, certificate } = this.#record;
    const members = new Members(workspace, owner);
    const keys = new Keys(workspace, this.#line.keys);
    members.admit(certificate);
    const sealer = new MemberSealer({ identity, members, keys });
    const carrier = openNats(this.#record, workspace);
    try {
      await connected(carrier, systemClock);
      const membership = new Membership({
        clock: systemClock,
        carrier,
        sealer,
        identity,
        certificate,
        members,
        keys,
        learned() {},
      });
      await membership.meetAll();
      const reader = new SnapshotReader(carrier, sealer);
      const head = await reader.head();
      if (head === undefined)
        throw new JoinError(
          "no machine has stored its files on the NATS server yet. Start spliced on the machine that shares, and try again",
        );
      for await (const files of reader.files(head))
        for (const file of files) {
          const path = parsePath(file.path);
          if (!isPathProblem(path)) work(file, path);
        }
      return head;
    } catch (error) {
      if (error instanceof JoinError) throw error;
      throw new JoinError(error instanceof Error ? error.message : String(error));
    } finally {
      await carrier.close();
    }
  }

  /** Returns the folder's own file at a path. @throws JoinError for a path that leads through a link, or to no file */
  #contentAt(path: DocPath): Uint8Array | undefined {
    const found = this.#files.look(path);
    if (!isFileProblem(found)) return readFileSync(join(this.#root, path));
    if (found.kind === "missing") return undefined;
    throw inTheWay(found);
  }

  /** Returns a free path beside a file's, with this machine's name. */
  #beside(path: DocPath): DocPath {
    const { name } = this.#record.identity;
    for (let i = 1; ; i++) {
      const beside = besidePath(path, i === 1 ? name : `${name} ${i}`);
      if (!existsSync(join(this.#root, beside))) return beside;
    }
  }
}

function inTheWay({ message }: { readonly message: string }): JoinError {
  return new JoinError(`${message}. Move away what is there, then join again`);
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
