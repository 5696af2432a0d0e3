import { isFileProblem, type Staged } from "../mirror/files.ts";
import type { DocPath } from "../mirror/path.ts";
import { type Seq, storeFailure } from "../store/store.ts";
import type { Document } from "../workspace/document/document.ts";
import { GuardedWorkspace } from "../workspace/folder/guarded-workspace.ts";
import { KeyedQueue } from "../workspace/keyed-queue.ts";
import { isPassing, isRefusal } from "../workspace/outcome/refusal.ts";
import { copyOf } from "./file/copied-document.ts";
import type { LaneFile } from "./file/lane-file.ts";
import type { LaneHost } from "./file/lane-host.ts";
import { placeFile } from "./file/place-file.ts";

/** Places the files in a lane that the workspace got. */
export class WorkspaceArrivals {
  readonly #host: LaneHost;
  readonly #file: (path: DocPath) => Promise<LaneFile>;
  /** A document that is renamed while its file is being placed would otherwise be placed twice. */
  readonly #placing = new KeyedQueue<string>();
  #begin: () => void = () => {};
  readonly #begun = new Promise<void>((begin) => {
    this.#begin = begin;
  });
  /** The files that the lane could not get, and why. They are to be tried again. */
  readonly #unplaced = new Map<DocPath, string>();

  constructor(host: LaneHost, file: (path: DocPath) => Promise<LaneFile>) {
    this.#host = host;
    this.#file = file;
  }

  get unplaced(): ReadonlyMap<DocPath, string> {
    return this.#unplaced;
  }

  /** Finds the documents of new files that an earlier process took in. Files of the workspace wait for this. */
  async begin(): Promise<void> {
    for (const { path, made } of [...this.#host.known.all()])
      if (made) await (await this.#file(path)).begun();
    this.end();
  }

  /** Lets no file wait any more. */
  end(): void {
    this.#begin();
  }

  /** Places the file that the workspace got at a path, if the agent may read it and the lane has none there. */
  async arrived(path: DocPath): Promise<void> {
    await this.#begun;
    this.failed(path, await this.#tryToPlace(path).catch(String));
  }

  /** Notes why the lane cannot get or open a file at present; undefined for one that it can. */
  failed(path: DocPath, why: string | undefined): void {
    if (why === undefined) return void this.#unplaced.delete(path);
    const { name: lane, workspace } = this.#host;
    if (this.#unplaced.get(path) !== why)
      workspace.ports.report("lane.unplaced", { lane, path, reason: why });
    this.#unplaced.set(path, why);
  }

  /** Returns why the lane cannot get the file at present. */
  async #tryToPlace(path: DocPath): Promise<string | undefined> {
    const { actor, known, workspace } = this.#host;
    if (known.get(path) !== undefined && this.#unplaced.has(path)) return this.#bringUp(path);
    if (actor === undefined || !actor.rights.allows(path, "read")) return undefined;
    const document = await new GuardedWorkspace(workspace, actor, "read").open(path);
    if (isRefusal(document)) return isPassing(document) ? document.message : undefined;
    return this.#placing.run([document.id], () => this.#place(path, document));
  }

  /** Takes in what both sides did while the file could not be opened. */
  async #bringUp(path: DocPath): Promise<undefined> {
    const file = await this.#file(path);
    await file.look();
    await file.follow();
  }

  async #place(path: DocPath, document: Document): Promise<string | undefined> {
    const { name: lane, files, known, workspace } = this.#host;
    if (!this.#isDue(path, document)) return undefined;
    const copy = copyOf(known, workspace.ports.store, document.id);
    if (copy !== undefined) {
      await (await this.#file(copy.path)).renamed(path);
      return undefined;
    }
    const { seq } = document.head;
    const image = await placeFile(files, lane, path, document, (staged) =>
      this.#expects(path, document, seq, staged),
    );
    if (image === undefined) return undefined;
    if (isFileProblem(image)) {
      const there = image.kind === "exists" ? files.look(path) : image;
      if (isFileProblem(there)) return there.message;
      this.#host.appeared(path); // the agent made a file there
      return undefined;
    }
    await this.#host.keep({ lane, path, status: "live", docId: document.id, seq, image });
    const placed = await this.#file(path);
    if (document.path === path) await placed.follow();
    else await placed.renamed(document.path as DocPath);
    return undefined;
  }

  /** Returns false for a file that the lane has, maybe under another name, and for one that the workspace has no more. */
  #isDue(path: DocPath, document: Document): boolean {
    const { known } = this.#host;
    if (document.path !== path || document.deleted) return false;
    return !known.has(path) && known.ofDocument(document.id) === undefined;
  }

  /**
   * Stores that the staged version of a document is about to come, or that it does not come; returns true if it is due.
   * Without the note, the next process would take the file for the agent's.
   */
  async #expects(path: DocPath, document: Document, seq: Seq, staged: Staged | undefined): Promise<boolean> {
    const { name: lane, known } = this.#host;
    if (staged === undefined) await known.unexpect({ lane, path });
    if (staged === undefined || !this.#isDue(path, document)) return false;
    const version = { id: staged.id, seq, image: staged.image, isNew: true };
    const failure = await storeFailure(
      known.expect({ lane, path, status: "live", docId: document.id, staged: version }),
    );
    if (failure !== undefined) staged.discard();
    if (failure !== undefined) throw failure;
    return this.#isDue(path, document);
  }
}
