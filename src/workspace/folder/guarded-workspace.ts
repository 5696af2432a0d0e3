import { setImmediate } from "node:timers/promises";
import type { Decoded } from "../../mirror/format.ts";
import { type DocPath, isPathProblem, parsePath } from "../../mirror/path.ts";
import { matcher } from "../../paths/glob.ts";
import type { ChangeRecord } from "../../store/store.ts";
import type { Actor } from "../access/actor.ts";
import { absentRefusal, deniedRefusal } from "../access/refusals.ts";
import { type Level, levelIncludes, type Permission } from "../access/rights.ts";
import type { Document } from "../document/document.ts";
import { isRefusal, type Outcome, type Refusal } from "../outcome/refusal.ts";
import { unknownChange } from "../outcome/refusals.ts";
import type { Limits } from "../ports.ts";
import { TokenWorkers } from "../workers/workers.ts";
import { type Listing, list } from "./documents.ts";
import type { Workspace } from "./workspace.ts";

/** Documents whose level is looked up before other clients get a turn (I14). */
const YIELD_EVERY = 500;

export interface PermittedListing extends Listing {
  readonly permission: Level;
}

/**
 * A workspace as one actor may use it, for requests that need `level`. Both paths count: the requested one, and that
 * of the document found there. A document that the actor may not read is answered as missing.
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

  get workers(): TokenWorkers {
    return new TokenWorkers(this.#workspace.ports.workers, this.#actor);
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
  async openedById(docId: string): Promise<Document | undefined> {
    const document = await this.#workspace.openedById(docId);
    return document === undefined || isRefusal(document) || !this.mayRead(document.path)
      ? undefined
      : document;
  }

  /** Returns the lower of the rights on a path and on the document that was opened there. */
  allowedOn(input: string, { path }: Document): Permission {
    const asked = parsePath(input);
    return this.#actor.rights.permissionAt(isPathProblem(asked) ? path : asked, path);
  }

  mayRead(path: string): boolean {
    return this.#actor.rights.allows(path, "read");
  }

  /** The documents in memory that the actor may read. */
  get loaded(): Document[] {
    return [...this.#workspace.loaded].filter(({ path }) => this.mayRead(path));
  }

  /** Lists readable documents that match a glob (all without one), with the actor's level on each. */
  async list({
    pattern,
    ...options
  }: Omit<Parameters<typeof list>[1], "wanted"> & { pattern?: string | undefined }): Promise<
    PermittedListing[]
  > {
    const wanted = this.readable(matcher(pattern));
    const docs = await list(this.#workspace, { ...options, wanted });
    const listed: PermittedListing[] = [];
    for (const [i, doc] of docs.entries()) {
      if (i % YIELD_EVERY === YIELD_EVERY - 1) await setImmediate();
      listed.push({ ...doc, permission: this.#actor.rights.levelAt(doc.path) });
    }
    return listed;
  }

  /**
   * Restricts a test of paths to readable ones; the test never gets another path, so its time says nothing about it.
   */
  readable(match: (path: string) => boolean): (path: string) => boolean {
    return (path) => this.mayRead(path) && match(path);
  }

  /** As `Workspace.openMatching`, for readable documents. */
  openMatching(
    match: (path: string) => boolean,
    skip: (path: string) => boolean,
  ): Promise<{ matched: number; opened: number }> {
    return this.#workspace.openMatching(this.readable(match), skip);
  }

  /** Needs `write`. */
  async create(path: string, content: Decoded): Promise<Outcome<Document>> {
    return this.#unmakeable(path) ?? this.#workspace.create(this.#actor, path, content);
  }

  /** Needs `write` on the document. */
  async remove(document: Document): Promise<Outcome<void>> {
    return (
      this.#short(document.path, document.path, "write") ?? this.#workspace.remove(this.#actor, document)
    );
  }

  /** Needs `write` on the document and on its new path. */
  async rename(document: Document, to: string): Promise<Outcome<DocPath>> {
    const refused = this.#short(document.path, document.path, "write") ?? this.#unmakeable(to);
    return refused ?? this.#workspace.rename(this.#actor, document, to);
  }

  /** Needs `write`. */
  async restore(path: string): Promise<Outcome<Document>> {
    const document = await this.opened(path);
    if (isRefusal(document)) return document;
    const refused = this.#short(document.path, document.path, "write");
    return refused ?? this.#workspace.restore(this.#actor, document.path);
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

  /** As `Workspace.resume`; only an actor that may do everything calls it. */
  resume(): Promise<number> {
    return this.#workspace.resume();
  }

  #pathOf(changeId: string): string | undefined {
    const { store } = this.#workspace.ports;
    const docId = store.find(changeId)?.docId;
    return docId && store.document(docId)?.path;
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

  /** Returns what was found at a path, as far as the actor may know of it. */
  #judged(input: string, found: Outcome<Document>): Outcome<Document> {
    const asked = parsePath(input);
    if (isPathProblem(asked)) return found;
    return isRefusal(found) ? this.#told(asked, found) : (this.#short(asked, found.path) ?? found);
  }

  /** Returns the refusal where the rights on the requested path, or on the path behind it, are too low. */
  #short(asked: string, real: string = asked, needed: Level = this.#level): Refusal | undefined {
    const allowed = this.#actor.rights.permissionAt(asked, real);
    if (!levelIncludes(allowed.level, "read")) return absentRefusal(asked);
    return levelIncludes(allowed.level, needed) ? undefined : deniedRefusal(asked, allowed, needed);
  }

  /** Refuses a new path without saying whether a file is there. */
  #unmakeable(input: string): Refusal | undefined {
    const path = parsePath(input);
    if (isPathProblem(path)) return undefined;
    const allowed = this.#actor.rights.permissionAt(path);
    return levelIncludes(allowed.level, "write") ? undefined : deniedRefusal(path, allowed, "write");
  }

  /** Returns a refusal that says nothing about unreadable documents behind a link or of a similar name. */
  #told(asked: DocPath, refusal: Refusal): Refusal {
    if (this.#actor.rights.allowsEverywhere("read")) return refusal;
    if (refusal.code === "NOT_FOUND") {
      const { nearest } = refusal.details;
      return typeof nearest === "string" && this.mayRead(nearest) ? refusal : absentRefusal(asked);
    }
    const real = this.#workspace.ports.files.resolve(asked);
    return typeof real === "string" && !this.mayRead(real) ? absentRefusal(asked) : refusal;
  }
}
