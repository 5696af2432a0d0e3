import type { Mirror } from "../../mirror/mirror.ts";
import { type DocPath, isPathProblem, type PathProblem, parsePath } from "../../mirror/path.ts";
import type { Document } from "../document/document.ts";
import { pathWithout } from "../document/file-record.ts";
import { KeyedQueue } from "../keyed-queue.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { fileRefusal, pathRefusal, storeRefusal } from "../outcome/refusals.ts";
import type { Ports } from "../ports.ts";
import { refusalIfIgnored } from "./ignored-path.ts";
import type { LoadedDocuments } from "./loaded-documents.ts";
import { relocate } from "./relocate.ts";

/** A look that was under way may have come too early; the next one suffices (I9). */
const FRESH_TRIES = 2;
/** The number of times that several documents are opened again until all are at rest at once. */
const REST_TRIES = 5;

/** The time of a request for a document: the number of looks at its file so far. */
interface Asked {
  readonly mirror: Mirror;
  readonly looks: number;
}

/** Problems of a file that close its document to every request. */
const CLOSED_BY = new Set(["not_text", "escape", "not_file", "too_large"]);

/** Opens documents: each caller gets a document with its file's text (I9), in the order of the calls. */
export class Opener {
  readonly #ports: Ports;
  readonly #loaded: LoadedDocuments;
  readonly #queue = new KeyedQueue<DocPath>();

  constructor(ports: Ports, loaded: LoadedDocuments) {
    this.#ports = ports;
    this.#loaded = loaded;
  }

  /**
   * Opens the document at a path, which then has its file's present text (I9). Callers get it in the order of their
   * calls, so that edits sent one after the other are made in that order.
   */
  async open(input: string): Promise<Outcome<Document>> {
    const path = parsePath(input);
    return isPathProblem(path) ? pathRefusal(path) : usable(await this.#inTurn(path));
  }

  /** Opens the document at a path, as `#look` does, after the earlier callers. */
  #inTurn(path: DocPath): Promise<Outcome<Document>> {
    const mirror = this.#loaded.at(path)?.mirror;
    const asked = mirror && { mirror, looks: mirror.looks };
    return this.#queue.run([path], () => this.#look(path, asked));
  }

  /**
   * Opens several documents, each as `open` does, once the store has everything of all of them: edits of them all may
   * build on it. Later callers of any of them wait. Meanwhile `getReady` may do long computations; it may be called
   * again.
   */
  openAll(
    inputs: readonly string[],
    getReady: (opened: readonly Outcome<Document>[]) => Promise<void>,
  ): Promise<Outcome<Document>[]> {
    const paths = inputs.map(parsePath);
    const named = paths.flatMap((path) => (isPathProblem(path) ? [] : [path]));
    return this.#queue.run([...new Set(named)], () => this.#openAll(paths, getReady));
  }

  async #openAll(
    paths: readonly (DocPath | PathProblem)[],
    getReady: (opened: readonly Outcome<Document>[]) => Promise<void>,
  ): Promise<Outcome<Document>[]> {
    for (let i = 0; ; i++) {
      const opened = await Promise.all(
        paths.map(async (path) => (isPathProblem(path) ? pathRefusal(path) : usable(await this.#look(path)))),
      );
      await getReady(opened);
      const documents = opened.flatMap((document) => (isRefusal(document) ? [] : [document]));
      const tried = i >= REST_TRIES;
      if (documents.every((document) => this.#usable(document) && (tried || atRest(document)))) return opened;
      await Promise.allSettled(documents.map(({ durable }) => durable));
    }
  }

  /** Returns false for a document that was dropped, deleted or refused by the store while others were opened. */
  #usable({ closed, deleted, failure }: Document): boolean {
    return closed === undefined && !deleted && failure === undefined;
  }

  /**
   * Opens a document, also one that is deleted or whose file cannot be used. A look at its file since `asked` suffices.
   * `wasRefused`: the store has refused it in this call before.
   */
  async #look(path: DocPath, asked?: Asked, wasRefused = false): Promise<Outcome<Document>> {
    const document = refusalIfIgnored(this.#ports.ignored, path) ?? (await this.#loaded.find(path));
    if (isRefusal(document)) return document;
    document.lastUsed = this.#ports.clock.elapsed();
    const { mirror } = document;
    const current = () => mirror === asked?.mirror && mirror.lookedSince(asked.looks);
    for (let i = 0; i < FRESH_TRIES && !current(); i++) {
      const taking = mirror.fresh();
      if (taking === undefined) break;
      await taking;
      if (mirror.restless) break;
    }
    if (document.failure !== undefined) {
      await this.#loaded.drop(document);
      // Where a full or broken disk refuses the document itself, it would be refused without end.
      return wasRefused ? storeRefusal(document.failure.error) : this.#look(path, undefined, true);
    }
    if (document.closed !== undefined) return this.#look(path); // dropped while its file was looked at
    if (document.deleted || mirror.problem?.kind !== "escape") return document;
    const linked = this.#ports.files.resolve(path);
    return typeof linked === "string" && linked !== path ? this.#look(linked) : document;
  }

  /** Opens a document as `open` does, but also one that is deleted or whose file cannot be used. */
  async opened(input: string): Promise<Outcome<Document>> {
    const path = parsePath(input);
    if (isPathProblem(path)) return pathRefusal(path);
    const document = await this.#inTurn(path);
    if (!isRefusal(document) || document.code === "IGNORED") return document;
    return this.#loaded.at(path) ?? document;
  }

  /** Opens a document as `opened` does, by its id, wherever its file is now; undefined where the store has none. */
  async openedById(docId: string): Promise<Outcome<Document> | undefined> {
    for (;;) {
      const path = this.#loaded.pathOf(docId);
      if (path === undefined) return undefined;
      const document = await this.opened(path);
      if (this.#loaded.pathOf(docId) !== path) continue;
      if (isRefusal(document) || document.id === docId) return document;
      // Another document has the path of this one, which is deleted.
      const refused = await relocate(this.#ports, this.#loaded, docId, pathWithout(document.path, docId));
      if (refused !== undefined) return refused;
    }
  }
}

/** Returns a document to use; refuses one that is deleted or whose file cannot be used. */
function usable(document: Outcome<Document>): Outcome<Document> {
  if (isRefusal(document)) return document;
  if (document.deleted) return deletedRefusal(document);
  const { problem } = document.mirror;
  return problem !== undefined && CLOSED_BY.has(problem.kind) ? fileRefusal(problem) : document;
}

/** Returns true when the store has all of a document, and its file shows nothing new. */
function atRest({ kept, mirror }: Document): boolean {
  return kept && (mirror.looksCurrent() || mirror.restless || mirror.problem !== undefined);
}

export function deletedRefusal({ path, pendingWrites: unsaved }: Document): Refusal {
  const kept = unsaved === 0 ? "" : `, and so are ${unsaved} edits that its file did not contain`;
  return new Refusal("DELETED", `${path} was deleted; its history is stored${kept}`, {
    suggestion:
      "Call doc.restore to bring its text back, or doc.create to create it again; its history continues.",
  });
}
