import { setImmediate } from "node:timers/promises";
import type { Committed } from "../../mirror/disk/git.ts";
import { type DocPath, isPathProblem, parsePath } from "../../mirror/path.ts";
import { matcher } from "../../paths/glob.ts";
import type { ChangeRecord } from "../../store/store.ts";
import type { Actor } from "../access/actor.ts";
import { absentRefusal, deniedRefusal, editRightRefusal, unseenRefusal } from "../access/refusals.ts";
import { type Level, levelIncludes, type Permission } from "../access/rights.ts";
import type { Document } from "../document/document.ts";
import type { Naming } from "../document/file-events.ts";
import type { Cause } from "../journal/change.ts";
import { isRefusal, type Outcome, type Refusal } from "../outcome/refusal.ts";
import { unknownChange } from "../outcome/refusals.ts";
import type { Limits } from "../ports.ts";
import type { SeenDocuments } from "../seen/seen-documents.ts";
import { TokenWorkers } from "../workers/workers.ts";
import { type Listing, list } from "./documents.ts";
import { refusalIfIgnored } from "./ignored-path.ts";
import type { NewFile } from "./new-file.ts";
import { type Pruned, prune } from "./prune.ts";
import type { Removal } from "./removal.ts";
import { type SearchOptions, type SearchPage, search } from "./search.ts";
import { ownersOf } from "./version-owners.ts";
import type { Workspace } from "./workspace.ts";

/** The number of documents whose level is looked up before other clients get a turn (I14). */
const YIELD_EVERY = 500;

export interface PermittedListing extends Listing {
  readonly permission: Level;
}

/**
 * A workspace as one actor may use it, for requests that need `level`. The rights apply to both paths: the requested
 * one, and that of the document found there. A document that the actor may not read is answered as missing.
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

  get limits(): Limits {
    return this.#workspace.limits;
  }

  /** The folder of the workspace on disk. */
  get root(): string {
    return this.#workspace.ports.files.root;
  }

  get workers(): TokenWorkers {
    return new TokenWorkers(this.#workspace.ports.workers, this.#actor);
  }

  /** The documents that the actor's session has seen. */
  get seen(): SeenDocuments | undefined {
    return this.#actor.seen;
  }

  /** As `Workspace.open`. */
  open(path: string): Promise<Outcome<Document>> {
    return this.#admit(path, (asked) => this.#workspace.open(asked));
  }

  /** As `Workspace.openAll`, in the order of the paths; `getReady` gets the outcome of every path. */
  async openAll(
    paths: readonly string[],
    getReady: (opened: readonly Outcome<Document>[]) => Promise<void>,
  ): Promise<Outcome<Document>[]> {
    const refusals = paths.map((path) => this.#shortOn(path));
    const all = (opened: readonly Outcome<Document>[]) => {
      const next = opened.values();
      return paths.map((path, i) => refusals[i] ?? this.#judged(path, next.next().value!));
    };
    const allowed = paths.filter((_, i) => refusals[i] === undefined);
    return all(await this.#workspace.openAll(allowed, (opened) => getReady(all(opened))));
  }

  /** As `Workspace.opened`: also deleted documents, and those whose file cannot be used. */
  opened(path: string): Promise<Outcome<Document>> {
    return this.#admit(path, (asked) => this.#workspace.opened(asked));
  }

  /** As `Workspace.openedById`; undefined for a document that the actor may not read. */
  async openedById(docId: string): Promise<Outcome<Document> | undefined> {
    const document = await this.#workspace.openedById(docId);
    if (document === undefined) return undefined;
    if (!isRefusal(document)) return this.mayRead(document.path) ? document : undefined;
    return this.pathOf(docId) === undefined ? undefined : document;
  }

  /** Reads the file of a document in git's newest commit; undefined without one. */
  committed({ path }: Document): Promise<Committed | undefined> {
    const { ports, limits } = this.#workspace;
    return ports.git.committed(path, limits.maxFileBytes);
  }

  /** Returns the lower of the rights on a path and on the document that was opened there. */
  allowedOn(input: string, { path }: Document): Permission {
    const asked = parsePath(input);
    return this.#actor.rights.permissionAt(isPathProblem(asked) ? path : asked, path);
  }

  /** Returns the present path of a document; undefined for one that the actor may not read. */
  pathOf(docId: string): string | undefined {
    const path = this.#workspace.ports.store.document(docId)?.path;
    return path !== undefined && this.mayRead(path) ? path : undefined;
  }

  /** Returns the path of the file that a path leads to; the path itself where there is none. Refuses an ignored path. */
  realPath(path: DocPath): Outcome<DocPath> {
    const { files, ignored } = this.#workspace.ports;
    const resolved = files.resolve(path);
    const real = typeof resolved === "string" ? resolved : path;
    return refusalIfIgnored(ignored, path) ?? refusalIfIgnored(ignored, real) ?? real;
  }

  mayRead(path: string): boolean {
    return this.#actor.rights.allows(path, "read");
  }

  /** The documents in memory that the actor may read. */
  get loaded(): Document[] {
    return [...this.#workspace.loaded].filter(({ path }) => this.#shows(path));
  }

  #shows(path: string): boolean {
    return this.mayRead(path) && !this.#workspace.isIgnored(path);
  }

  /** Returns the readable documents whose history has all of the versions. */
  ownersOf(versions: Parameters<typeof ownersOf>[1]): ReturnType<typeof ownersOf> {
    return ownersOf(this.#workspace, versions, (path) => this.#shows(path));
  }

  /** Lists readable documents that match a glob (all without one), with the actor's level on each. */
  async list({
    pattern,
    ...options
  }: {
    readonly loaded?: boolean | undefined;
    readonly pattern?: string | undefined;
  }): Promise<PermittedListing[]> {
    const wanted = this.readable(matcher(pattern));
    const docs = await list(this.#workspace, { ...options, wanted });
    const listed: PermittedListing[] = [];
    for (const [i, doc] of docs.entries()) {
      if (i % YIELD_EVERY === YIELD_EVERY - 1) await setImmediate();
      listed.push({ ...doc, permission: this.#actor.rights.levelAt(doc.path) });
    }
    return listed;
  }

  /** Searches readable documents whose paths match a glob (all without one). */
  search({
    pattern,
    ...options
  }: Omit<SearchOptions, "wanted"> & { readonly pattern: string | undefined }): Promise<Outcome<SearchPage>> {
    const wanted = this.readable(matcher(pattern));
    return search(this.#workspace, this.#actor.rights.token, { ...options, wanted });
  }

  /** Restricts a test of paths to readable ones. The test never gets another path, so its time reveals no such path. */
  readable(match: (path: string) => boolean): (path: string) => boolean {
    return (path) => this.mayRead(path) && match(path);
  }

  /** Counts the readable files whose paths match. */
  async count(match: (path: string) => boolean): Promise<number> {
    const paths = await this.#workspace.recent.get();
    let count = 0;
    for (const [i, path] of paths.entries()) {
      if (i % YIELD_EVERY === YIELD_EVERY - 1) await setImmediate();
      if (this.mayRead(path) && match(path)) count++;
    }
    return count;
  }

  /** Needs `write`. */
  async create(path: string, ...made: NewFile): Promise<Outcome<Document>> {
    return this.unmakeable(path, "write") ?? this.#workspace.create(this.#actor, path, ...made);
  }

  /** Needs `write` on the document. */
  async remove(document: Document, ...removal: Removal): Promise<Outcome<void>> {
    return this.unwritable(document) ?? this.#workspace.remove(this.#actor, document, ...removal);
  }

  /** Needs `write` on the document and on its new path. */
  async rename(
    document: Document,
    to: string,
    cause?: Cause,
    naming: Naming = {},
  ): Promise<Outcome<DocPath>> {
    // The rights on a file that was put aside were checked at its own path.
    const refused =
      (naming.from === undefined ? this.unwritable(document) : undefined) ?? this.unmakeable(to, "write");
    return refused ?? this.#workspace.rename(this.#actor, document, to, cause, naming);
  }

  /** Needs `write`. */
  async restore(path: string, cause?: Cause): Promise<Outcome<Document>> {
    const document = await this.opened(path);
    if (isRefusal(document)) return document;
    return this.unwritable(document) ?? this.#workspace.restore(this.#actor, document.path, cause);
  }

  /** As `Workspace.findChange`; a change of an unreadable document is unknown. */
  async findChange(changeId: string): Promise<Outcome<{ document: Document; change: ChangeRecord }>> {
    if (!this.knowsChange(changeId)) return unknownChange(changeId);
    const found = await this.#workspace.findChange(changeId);
    if (isRefusal(found)) return found;
    const { document } = found;
    if (!this.mayRead(document.path)) return unknownChange(changeId);
    return this.#short(document.path) ?? found;
  }

  /** Returns false for a change of an unreadable document, and for an unknown one. */
  knowsChange(changeId: string): boolean {
    const path = this.#pathOf(changeId);
    return path !== undefined && this.mayRead(path);
  }

  /** Drops old history. Only an actor that may do everything calls this, and `resume`. */
  prune(keepMs: number, dryRun: boolean): Promise<Pruned> {
    return prune(this.#workspace, keepMs, dryRun);
  }

  resume(): Promise<number> {
    return this.#workspace.resume();
  }

  #pathOf(changeId: string): string | undefined {
    const { store } = this.#workspace.ports;
    const docId = store.find(changeId)?.docId;
    return docId && store.document(docId)?.path;
  }

  /** Refuses a new path, for a file or the proposal of one, without revealing whether it has a file. */
  unmakeable(input: string, needed: "propose" | "write"): Refusal | undefined {
    const path = parsePath(input);
    if (isPathProblem(path)) return undefined;
    const { rights } = this.#actor;
    if (rights.hidesFromAgent(path)) return unseenRefusal(path);
    const allowed = rights.permissionAt(path);
    if (!levelIncludes(allowed.level, this.#level)) return deniedRefusal(path, allowed, this.#level);
    return needed === "write" ? editRightRefusal(path, allowed, "file") : undefined;
  }

  async #admit(
    path: string,
    opening: (path: string) => Promise<Outcome<Document>>,
  ): Promise<Outcome<Document>> {
    return this.#shortOn(path) ?? this.#judged(path, await opening(path));
  }

  /** Returns why the actor may not request a path. A malformed path is refused when it is opened. */
  #shortOn(input: string): Refusal | undefined {
    const asked = parsePath(input);
    return isPathProblem(asked) ? undefined : this.#short(asked);
  }

  /** Returns the document or the refusal for a path, without facts that the actor may not know. */
  #judged(input: string, found: Outcome<Document>): Outcome<Document> {
    const asked = parsePath(input);
    if (isPathProblem(asked)) return found;
    return isRefusal(found) ? this.#concealed(asked, found) : (this.#short(asked, found.path) ?? found);
  }

  /** Returns the refusal where the rights on the requested path, or on the path behind it, are too low. */
  #short(asked: string, real: string = asked, needed: Level = this.#level): Refusal | undefined {
    const allowed = this.#actor.rights.permissionAt(asked, real);
    if (!levelIncludes(allowed.level, "read")) return absentRefusal(asked);
    return levelIncludes(allowed.level, needed) ? undefined : deniedRefusal(asked, allowed, needed);
  }

  /** Returns why the actor may not change a document's file; the actor may perhaps propose it. */
  unwritable({ path }: Document): Refusal | undefined {
    const refused = this.#short(path, path, "read");
    return refused ?? editRightRefusal(path, this.#actor.rights.permissionAt(path), "file");
  }

  /** Returns a refusal that reveals no unreadable document behind a link or of a similar name. */
  #concealed(asked: DocPath, refusal: Refusal): Refusal {
    if (this.#actor.rights.seesEverything) return refusal;
    if (refusal.code === "NOT_FOUND") {
      const { nearest } = refusal.details;
      return typeof nearest === "string" && this.mayRead(nearest) ? refusal : absentRefusal(asked);
    }
    const real = this.#workspace.ports.files.resolve(asked);
    return typeof real === "string" && !this.mayRead(real) ? absentRefusal(asked) : refusal;
  }
}
