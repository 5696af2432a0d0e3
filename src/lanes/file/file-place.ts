import { type Image, isFileProblem, sameContentStamp } from "../../mirror/files.ts";
import type { Mirror } from "../../mirror/mirror.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { Document } from "../../workspace/document/document.ts";
import { removeClosed } from "../../workspace/folder/removal.ts";
import type { TurnLooks } from "../records/turn-looks.ts";
import { removeEmptyFolders } from "./empty-folders.ts";
import type { FileState } from "./file-state.ts";

/** The problems of a path without a file, where a folder or a link may be. */
const NO_FILE: readonly string[] = ["missing", "not_file", "escape"];

/** Brings a lane's file, its record and its mirror to another path. */
export class FilePlace {
  readonly #state: FileState;
  readonly #mirror: Mirror;
  readonly #looks: TurnLooks;
  /** True after a removal that was not possible. */
  #isLeft = false;

  constructor(state: FileState, mirror: Mirror, looks: TurnLooks) {
    this.#state = state;
    this.#mirror = mirror;
    this.#looks = looks;
  }

  /** Gives the file the path of its document. */
  async follow(document: Document): Promise<void> {
    const { files, workspace } = this.#state.host;
    const to = document.path as DocPath;
    // After a death, the path of the noted document tells whose file the renamed one is.
    await Promise.all([document.durable, this.#state.keep({ docId: document.id })]);
    const { path, record } = this.#state;
    const image = record.gone || path === to ? record.image : files.rename(path, to);
    if (image !== undefined && isFileProblem(image)) return this.#state.unnamed(to, image);
    removeEmptyFolders(files, workspace.ports.files, path);
    this.#state.note({ renamed: undefined });
    if (path !== to) await this.noted(to, image);
  }

  /** Removes the file, and the folders that are empty then; returns false if a program writes it, or has written it. */
  remove(): boolean {
    const { host, record, path } = this.#state;
    const problem = record.image && removeClosed(host.files, path, record.image);
    this.#isLeft = problem !== undefined && !NO_FILE.includes(problem.kind);
    if (!this.#isLeft) removeEmptyFolders(host.files, host.workspace.ports.files, path);
    return !this.#isLeft;
  }

  /** Returns true for a file that is to be removed again, once after each removal that was not possible. */
  isAgain(): boolean {
    const isAgain = this.#isLeft;
    this.#isLeft = false;
    return isAgain;
  }

  /** Places a file anew that is not where an earlier process placed it: the agent, or a power cut, may have removed it. */
  async again(document: Document): Promise<void> {
    const { host, path } = this.#state;
    await host.forget(path);
    host.left(document.path as DocPath);
  }

  /** Notes the file's new path, and reads what the agent wrote before; returns false if the daemon did not know that. */
  async noted(path: DocPath, image: Image | undefined): Promise<boolean> {
    const before = this.#state.record.image;
    const isRead = image === undefined || (before !== undefined && sameContentStamp(before, image));
    const known = isRead ? image : before;
    this.#mirror.moved(path, known);
    await this.#state.move(path, known);
    if (!isRead) await this.#looks.look(this.#mirror);
    return isRead;
  }
}
