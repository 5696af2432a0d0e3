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

/** Documents whose level is found before others get a turn (I14). */
const YIELD_EVERY = 500;

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

  get limits(): Limits {
    return this.#workspace.limits;
  }

  get workers(): TokenWorkers {
    return new TokenWorkers(this.#workspace.ports.workers, this.#actor);
  }

  /** As Workspace.open, and as promptly. */
  open(path: string): Promise<Outcome<Document>> {
    return this.#admit(path, (asked) => this.#workspace.open(asked));
  }

  /** As Workspace.openAll, in the order of the paths; `getReady` is told of all of them, too. */
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

  /** As Workspace.opened: deleted documents, and those whose file cannot be used, too. */
  opened(path: string): Promise<Outcome<Document>> {
    return this.#admit(path, (asked) => this.#workspace.opened(asked));
  }

  /** As Workspace.openedById; one that may not be read is none. */
  async openedById(docId: string): Promise<Document | undefined> {
    const document = await this.#workspace.openedById(docId);
    return document === undefined || isRefusal(document) || !this.mayRead(document.path)
      ? undefined
      : document;
  }

  /** The least that is allowed on a path and on the document that was opened there. */
  allowedOn(input: string, { path }: Document): Permission {
    const asked = parsePath(input);
    return this.#actor.rights.permissionAt(isPathProblem(asked) ? path : asked, path);
  }

  mayRead(path: string): boolean {
    return this.#actor.rights.allows(path, "read");
  }

  /** Those in memory that may be read. */
  get loaded(): Document[] {
    return [...this.#workspace.loaded].filter(({ path }) => this.mayRead(path));
  }

  /** Documents that may be read and match a glob (all without one), and what is allowed there. */
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

  /** Narrows a test of paths to what may be read; it never sees another path, so its cost tells of none. */
  readable(match: (path: string) => boolean): (path: string) => boolean {
    return (path) => this.mayRead(path) && match(path);
  }

  /** As Workspace.openMatching, of what may be read. */
  openMatching(
    match: (path: string) => boolean,
    skip: (path: string) => boolean,
  ): Promise<{ matched: number; opened: number }> {
    return this.#workspace.openMatching(this.readable(match), skip);
  }

  /** Takes `write`. */
  async create(path: string, content: Decoded): Promise<Outcome<Document>> {
    return this.#unmakeable(path) ?? this.#workspace.create(this.#actor, path, content);
  }

  /** Of a document that was opened here; takes `write`. */
  async remove(document: Document): Promise<Outcome<void>> {
    return (
      this.#short(document.path, document.path, "write") ?? this.#workspace.remove(this.#actor, document)
    );
  }

  /** Of a document that was opened here; takes `write` there and where it goes. */
  async rename(document: Document, to: string): Promise<Outcome<DocPath>> {
    const refused = this.#short(document.path, document.path, "write") ?? this.#unmakeable(to);
    return refused ?? this.#workspace.rename(this.#actor, document, to);
  }

  /** Takes `write`. */
  async restore(path: string): Promise<Outcome<Document>> {
    const document = await this.opened(path);
    if (isRefusal(document)) return document;
    const refused = this.#short(document.path, document.path, "write");
    return refused ?? this.#workspace.restore(this.#actor, document.path);
  }

  /** As Workspace.findChange; the change of a document that may not be read is none. */
  async findChange(changeId: string): Promise<Outcome<{ document: Document; change: ChangeRecord }>> {
    if (!this.knowsChange(changeId)) return unknownChange(changeId);
    const found = await this.#workspace.findChange(changeId);
    if (isRefusal(found)) return found;
    const { document } = found;
    if (!this.mayRead(document.path)) return unknownChange(changeId);
    return this.#short(document.path) ?? found;
  }

  /** False of the change of a document that may not be read, and of one that never was. */
  knowsChange(changeId: string): boolean {
    const path = this.#pathOf(changeId);
    return path !== undefined && this.mayRead(path);
  }

  /** As Workspace.resume; whoever may call that may do everything. */
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

  /** Why a path cannot even be asked for; one that is no path is refused by whoever opens it. */
  #shortOn(input: string): Refusal | undefined {
    const asked = parsePath(input);
    return isPathProblem(asked) ? undefined : this.#short(asked);
  }

  /** What was found at a path, as far as it may be known of. */
  #judged(input: string, found: Outcome<Document>): Outcome<Document> {
    const asked = parsePath(input);
    if (isPathProblem(asked)) return found;
    return isRefusal(found) ? this.#told(asked, found) : (this.#short(asked, found.path) ?? found);
  }

  /** Why less is allowed than is needed, on the path asked for or on the one it leads to. */
  #short(asked: string, real: string = asked, needed: Level = this.#level): Refusal | undefined {
    const allowed = this.#actor.rights.permissionAt(asked, real);
    if (!levelIncludes(allowed.level, "read")) return absentRefusal(asked);
    return levelIncludes(allowed.level, needed) ? undefined : deniedRefusal(asked, allowed, needed);
  }

  /** Whether or not there is something already: who may not make it is not told. */
  #unmakeable(input: string): Refusal | undefined {
    const path = parsePath(input);
    if (isPathProblem(path)) return undefined;
    const allowed = this.#actor.rights.permissionAt(path);
    return levelIncludes(allowed.level, "write") ? undefined : deniedRefusal(path, allowed, "write");
  }

  /** A refusal, unless it tells of a document that may not be known of: behind a link, or nearly so spelled. */
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
