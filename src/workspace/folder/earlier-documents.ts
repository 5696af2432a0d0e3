import { isMissing } from "../../mirror/is-missing.ts";
import type { DocPath } from "../../mirror/path.ts";
import { type DocumentRecord, storeFailure } from "../../store/store.ts";
import type { Context } from "../document/context.ts";
import type { Document } from "../document/document.ts";
import { pathWithout } from "../document/file-record.ts";
import { isRefusal, type Outcome, type Refusal } from "../outcome/refusal.ts";
import type { LoadedDocuments } from "./loaded-documents.ts";
import { relocate } from "./relocate.ts";

/** Decides what becomes of the deleted documents at whose paths new files come. */
export class EarlierDocuments {
  readonly #context: Context;
  readonly #loaded: LoadedDocuments;

  constructor(context: Context, loaded: LoadedDocuments) {
    this.#context = context;
    this.#loaded = loaded;
  }

  /** Returns the document that a new file at a path continues; undefined where the file begins another one. */
  async at(path: DocPath): Promise<Outcome<Document | undefined>> {
    for (;;) {
      await this.#shown(path);
      const refused = await this.putAside(path);
      if (refused !== undefined) return refused;
      if (this.#context.ports.store.documentAt(path) === undefined) return undefined;
      const found = await this.#loaded.find(path);
      if (isRefusal(found)) return undefined;
      // A document that another machine sent may have come meanwhile, and has no file yet.
      if (!found.deleted || this.#context.linked() === undefined) return found;
      if (!this.#isFree(path)) return undefined;
    }
  }

  /**
   * Gives a deleted document, which other machines have, too, another path. A new file at its former path is then no
   * file of that document, also after a crash (M13). So that no two documents are stored at one path, a document that
   * has left this one is noted at its own first. `except`: the document whose file comes.
   */
  async putAside(path: DocPath, except?: string): Promise<Refusal | undefined> {
    const unnoted = this.#documentAt(path, except) && (await this.#loaded.left(path));
    if (unnoted !== undefined || this.#context.linked() === undefined) return unnoted;
    await this.#shown(path);
    if (this.#documentAt(path, except) === undefined) return undefined;
    if (!this.#isFree(path)) return undefined;
    // A missing file is deleted after the grace time. Its document then has the edits of other machines that the file
    // never held.
    const found = await this.#loaded.find(path);
    if (!isRefusal(found) && !found.deleted) await found.mirror.fresh();
    const there = this.#documentAt(path, except);
    const isDeleted = this.#loaded.at(path)?.deleted ?? there?.deletedAt !== undefined;
    return there && isDeleted
      ? relocate(this.#context.ports, this.#loaded, there.id, pathWithout(path, there.id))
      : undefined;
  }

  /** Returns false for a path with a file: no other file can come there. */
  #isFree(path: DocPath): boolean {
    return isMissing(this.#context.ports.files, path);
  }

  #documentAt(path: DocPath, except: string | undefined): DocumentRecord | undefined {
    const there = this.#context.ports.store.documentAt(path);
    return there?.id === except ? undefined : there;
  }

  /**
   * Waits until the store shows a document at a path that came there, or was made there, and was deleted just now. Its
   * file may be gone before the daemon notices that.
   */
  async #shown(path: DocPath): Promise<void> {
    const loaded = this.#loaded.at(path);
    if (loaded === undefined || this.#context.ports.store.documentAt(path)?.id === loaded.id) return;
    if (!loaded.deleted && !this.#isFree(path)) return;
    const failure = await storeFailure(loaded.durable.then(() => loaded.saveRecord()));
    if (failure !== undefined) await this.#loaded.drop(loaded);
  }
}
