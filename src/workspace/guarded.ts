import type { Decoded } from "../mirror/format.ts";
import { type DocPath, isPathProblem, parsePath } from "../mirror/path.ts";
import type { ChangeRecord } from "../store/store.ts";
import type { Actor } from "./actor.ts";
import type { Document } from "./document.ts";
import { type Listing, list } from "./documents.ts";
import { absent, denied, deniedEverywhere } from "./permission.ts";
import { isRefusal, type Outcome, type Refusal } from "./refusal.ts";
import { includes, type Level } from "./rights.ts";
import { noSuchChange, type Workspace } from "./workspace.ts";

export interface PermittedListing extends Listing {
  readonly permission: Level;
}

/**
 * A workspace as one actor may use it, to do what takes `level`. The path asked for counts, and the path of the
 * document that was found there. What may not be read is answered as if it were not there.
 */
export class GuardedWorkspace {
  readonly #workspace: Workspace;
  readonly #actor: Actor;
  readonly #level: Level;

  constructor(workspace: Workspace, actor: Actor, level: Level) {
    this.#workspace = workspace;
    this.#actor = actor;
    this.#level = level;
  }

  /** As Workspace.open, and as promptly. */
  open(path: string): Promise<Outcome<Document>> {
    return this.#admit(path, (asked) => this.#workspace.open(asked));
  }

  /** As Workspace.opened: deleted documents, and those whose file cannot be used, too. */
  opened(path: string): Promise<Outcome<Document>> {
    return this.#admit(path, (asked) => this.#workspace.opened(asked));
  }

  /** The least that is allowed on a path and on the document that was opened there. */
  levelOn(input: string, { path }: Document): Level {
    const asked = parsePath(input);
    return this.#actor.rights.levelAt(isPathProblem(asked) ? path : asked, path);
  }

  /** Those in memory that may be read. */
  get loaded(): Document[] {
    return [...this.#workspace.loaded].filter(({ path }) => this.#mayRead(path));
  }

  /** Documents that may be read, and what is allowed there. */
  async list(options: Omit<Parameters<typeof list>[1], "visible">): Promise<PermittedListing[]> {
    const docs = await list(this.#workspace, { ...options, visible: (path) => this.#mayRead(path) });
    return docs.map((doc) => ({ ...doc, permission: this.#actor.rights.levelAt(doc.path) }));
  }

  /** Narrows a test of paths to what may be read. */
  readable(match: (path: string) => boolean): (path: string) => boolean {
    return (path) => match(path) && this.#mayRead(path);
  }

  /** `match` is to be narrowed to what may be read. */
  openMatching(match: (path: string) => boolean, skip: (path: string) => boolean) {
    return this.#workspace.openMatching(match, skip);
  }

  async create(path: string, content: Decoded): Promise<Outcome<Document>> {
    return this.#unmakeable(path) ?? this.#workspace.create(this.#actor, path, content);
  }

  /** Of a document that was opened here. */
  remove(document: Document): Promise<Outcome<void>> {
    return this.#workspace.remove(this.#actor, document);
  }

  /** Of a document that was opened here. */
  async rename(document: Document, to: string): Promise<Outcome<DocPath>> {
    return this.#unmakeable(to) ?? this.#workspace.rename(this.#actor, document, to);
  }

  async restore(path: string): Promise<Outcome<Document>> {
    const document = await this.opened(path);
    return isRefusal(document) ? document : this.#workspace.restore(this.#actor, document.path);
  }

  /** As Workspace.findChange; the change of a document that may not be read is none. */
  async findChange(changeId: string): Promise<Outcome<{ document: Document; change: ChangeRecord }>> {
    const { store } = this.#workspace.ports;
    const docId = store.find(changeId)?.docId;
    const path = docId && store.document(docId)?.path;
    if (path !== undefined && !this.#mayRead(path)) return noSuchChange(changeId);
    const found = await this.#workspace.findChange(changeId);
    if (isRefusal(found)) return found;
    const { document } = found;
    if (!this.#mayRead(document.path)) return noSuchChange(changeId);
    return this.#short(document.path) ?? found;
  }

  async resume(): Promise<Outcome<number>> {
    return this.#actor.rights.allowsEverywhere(this.#level)
      ? this.#workspace.resume()
      : deniedEverywhere(this.#level);
  }

  #mayRead(path: string): boolean {
    return this.#actor.rights.allows(path, "read");
  }

  async #admit(
    input: string,
    opening: (path: string) => Promise<Outcome<Document>>,
  ): Promise<Outcome<Document>> {
    const asked = parsePath(input);
    if (isPathProblem(asked)) return opening(input);
    const refused = this.#short(asked);
    if (refused !== undefined) return refused;
    const document = await opening(asked);
    return isRefusal(document) ? this.#told(asked, document) : (this.#short(asked, document.path) ?? document);
  }

  /** Why less is allowed than is needed, on the path asked for or on the one it leads to. */
  #short(asked: string, real: string = asked): Refusal | undefined {
    const level = this.#actor.rights.levelAt(asked, real);
    if (!includes(level, "read")) return absent(asked);
    return includes(level, this.#level) ? undefined : denied(asked, level, this.#level);
  }

  /** Whether or not there is something already: who may not make it is not told. */
  #unmakeable(input: string): Refusal | undefined {
    const path = parsePath(input);
    if (isPathProblem(path)) return undefined;
    const level = this.#actor.rights.levelAt(path);
    return includes(level, this.#level) ? undefined : denied(path, level, this.#level);
  }

  /** A refusal, unless it tells of a document that may not be known of: behind a link, or nearly so spelled. */
  #told(asked: DocPath, refusal: Refusal): Refusal {
    if (this.#actor.rights.allowsEverywhere("read")) return refusal;
    if (refusal.code === "NOT_FOUND") {
      const { nearest } = refusal.details;
      return typeof nearest === "string" && this.#mayRead(nearest) ? refusal : absent(asked);
    }
    const real = this.#workspace.ports.files.resolve(asked);
    return typeof real === "string" && !this.#mayRead(real) ? absent(asked) : refusal;
  }
}
