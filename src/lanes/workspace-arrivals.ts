import { isFileProblem } from "../mirror/files.ts";
import type { DocPath } from "../mirror/path.ts";
import type { Document } from "../workspace/document/document.ts";
import { GuardedWorkspace } from "../workspace/folder/guarded-workspace.ts";
import { KeyedQueue } from "../workspace/keyed-queue.ts";
import { isRefusal } from "../workspace/outcome/refusal.ts";
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

  constructor(host: LaneHost, file: (path: DocPath) => Promise<LaneFile>) {
    this.#host = host;
    this.#file = file;
  }

  /** Places the file that the workspace got at a path, if the agent may read it and the lane has none there. */
  async arrived(path: DocPath): Promise<void> {
    const { actor, workspace } = this.#host;
    if (actor === undefined || !actor.rights.allows(path, "read")) return;
    const document = await new GuardedWorkspace(workspace, actor, "read").open(path);
    if (!isRefusal(document)) await this.#placing.run([document.id], () => this.#place(path, document));
  }

  async #place(path: DocPath, document: Document): Promise<void> {
    const { name: lane, files, known, workspace } = this.#host;
    if (document.path !== path || known.has(path)) return;
    if (known.ofDocument(document.id) !== undefined) return; // renamed in the lane
    const copy = copyOf(known, workspace.ports.store, document.id);
    if (copy !== undefined) return (await this.#file(copy.path)).renamed(path);
    const { seq } = document.head;
    const image = await placeFile(files, lane, path, document);
    if (isFileProblem(image)) return this.#host.appeared(path); // the agent made a file there
    await this.#host.keep({ lane, path, status: "live", docId: document.id, seq, image });
    const placed = await this.#file(path);
    if (document.path === path) await placed.follow();
    else await placed.renamed(document.path as DocPath);
  }
}
