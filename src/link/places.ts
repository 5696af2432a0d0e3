import { isFileProblem } from "../mirror/files.ts";
import type { DocPath } from "../mirror/path.ts";
import { type Actor, RESCUER } from "../workspace/access/actor.ts";
import type { Workspace } from "../workspace/folder/workspace.ts";
import type { Cause } from "../workspace/journal/change.ts";
import { isRefusal } from "../workspace/outcome/refusal.ts";
import type { LinkState } from "./link-state.ts";
import { besidePath } from "./names.ts";

/** The renaming of a document by somebody on another machine. */
export interface Renaming {
  readonly id: string;
  readonly actor: Actor;
  readonly cause: Cause;
}

/** Names that a file gets while the places of several go round in a circle. */
const MOVING = "moving";

/** Moves the files of shared documents to their places, which follow from the names that all machines know (M8). */
export class Places {
  readonly #workspace: Workspace;
  readonly #state: LinkState;
  readonly #machineName: string;
  /** Has documents of this machine become known to the others; resolves once they have names. */
  readonly #introduce: (docId: string) => Promise<void>;

  constructor(
    workspace: Workspace,
    state: LinkState,
    machineName: string,
    introduce: (docId: string) => Promise<void>,
  ) {
    this.#workspace = workspace;
    this.#state = state;
    this.#machineName = machineName;
    this.#introduce = introduce;
  }

  /** Moves each of these documents to its place. `renaming` tells who renamed one of them. */
  async settle(ids: readonly string[], renaming?: Renaming): Promise<void> {
    for (const id of ids) await this.#settle(id, renaming, new Set());
  }

  async #settle(id: string, renaming: Renaming | undefined, moving: Set<string>): Promise<void> {
    const place = this.#state.names.placeOf(id);
    const record = this.#workspace.loaded.byId(id) ?? this.#workspace.ports.store.document(id);
    if (place === undefined || record === undefined || record.path === place) return;
    if (this.#state.document(id)?.withheld !== undefined) return;
    const document = await this.#workspace.openedById(id);
    if (document === undefined || isRefusal(document) || document.deleted) return;
    moving.add(id);
    if (!(await this.makeRoom(place, moving))) return;
    const { cause, actor } = renaming?.id === id ? renaming : this.#ownRenaming(id);
    const renamed = await this.#workspace.rename(actor, document, place, cause);
    if (isRefusal(renamed))
      this.#workspace.ports.report("link.unplaced", { path: place, reason: renamed.code });
  }

  /** Frees a path that belongs to another document. Returns false where the file there has to stay. */
  async makeRoom(path: DocPath, moving: Set<string> = new Set()): Promise<boolean> {
    const { files, store } = this.#workspace.ports;
    const seen = files.look(path);
    if (isFileProblem(seen)) return seen.kind === "missing";
    const there = await this.#workspace.open(path);
    if (isRefusal(there)) return false;
    if (moving.has(there.id)) {
      const { actor, cause } = this.#ownRenaming(there.id);
      return !isRefusal(await this.#workspace.rename(actor, there, besidePath(path, MOVING), cause));
    }
    if (this.#state.document(there.id) === undefined) await this.#introduce(there.id);
    await this.#settle(there.id, undefined, moving);
    return store.documentAt(path)?.id !== there.id || this.#workspace.loadedAt(path)?.id !== there.id;
  }

  #ownRenaming(id: string): Renaming {
    const { clock } = this.#workspace.ports;
    const made = { id: this.#workspace.newId("chg"), time: clock.now(), machine: this.#machineName };
    return { id, actor: RESCUER, cause: { made, origin: "remote" } };
  }
}
