import { isFileProblem } from "../mirror/files.ts";
import type { DocPath } from "../mirror/path.ts";
import type { Document } from "../workspace/document/document.ts";
import { GuardedWorkspace } from "../workspace/folder/guarded-workspace.ts";
import { KeyedQueue } from "../workspace/keyed-queue.ts";
import { isPassing, isRefusal } from "../workspace/outcome/refusal.ts";
import { copyOf } from "./copied-document.ts";
import type { LaneFile } from "./lane-file.ts";
import type { LaneHost } from "./lane-host.ts";
import { placeFile } from "./place-file.ts";

/** Places the files in a lane that the workspace got. */
export class WorkspaceArrivals {
  readonly #host: LaneHost;
  readonly #file: (path: DocPath) => Promise<LaneFile>;
  /** A document that is renamed while its file is being placed would otherwise be placed twice. */
  readonly #placing = new KeyedQueue<string>();
  /** The files that the lane could not get, and why. They are to be tried again. */
  readonly #unplaced = new Map<DocPath, string>();

  constructor(host: LaneHost, file: (path: DocPath) => Promise<LaneFile>) {
    this.#host = host;
    this.#file = file;
  }

  get unplaced(): ReadonlyMap<DocPath, string> {
    return this.#unplaced;
  }

  /** Places the file that the workspace got at a path, if the agent may read it and the lane has none there. */
  async arrived(path: DocPath): Promise<void> {
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
    if (document.path !== path || known.has(path)) return undefined;
    if (known.ofDocument(document.id) !== undefined) return undefined; // renamed in the lane
    const copy = copyOf(known, workspace.ports.store, document.id);
    if (copy !== undefined) {
      await (await this.#file(copy.path)).renamed(path);
      return undefined;
    }
    const { seq } = document.head;
    const image = await placeFile(files, lane, path, document);
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
}
