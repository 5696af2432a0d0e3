import { type DocPath, fileNameOf } from "../../mirror/path.ts";
import { IGNORE_FILES } from "../../paths/ignore-rules.ts";
import { DISK } from "../access/actor.ts";
import type { Context } from "../document/context.ts";
import type { Document } from "../document/document.ts";
import type { LoadedDocuments } from "./loaded-documents.ts";

/** The longest time that an ignored document stays in memory until its file holds its edits; milliseconds. */
const LANDING_MS = 1_000;

/** Drops documents from memory whose path a rule leaves out. Their history stays in the store. */
export class IgnoredDocuments {
  readonly #context: Context;
  readonly #loaded: LoadedDocuments;
  readonly #rulesChanged: () => void;
  readonly #leaving = new Set<Document>();

  constructor(context: Context, loaded: LoadedDocuments, rulesChanged: () => void) {
    this.#rulesChanged = rulesChanged;
    this.#context = context;
    this.#loaded = loaded;
  }

  /** Receives a hint about a path: a file of patterns may have changed. */
  hint(path: DocPath): void {
    if (!(IGNORE_FILES as readonly string[]).includes(fileNameOf(path))) return;
    this.#rulesChanged();
    this.dropAll();
  }

  /** Drops all documents that a rule leaves out by now. For listeners they are deleted. */
  dropAll(): void {
    const { ports, emit } = this.#context;
    ports.ignored.refresh();
    for (const document of [...this.#loaded]) {
      const { path, id: docId } = document;
      if (this.#leaving.has(document) || ports.ignored.ruleFor(path) === undefined) continue;
      this.#leaving.add(document);
      if (!document.deleted) emit({ type: "deleted", path, docId, author: DISK.name, unsaved: 0 });
      void this.#drop(document).catch((error: unknown) =>
        ports.report("document.defect", { path, reason: String(error) }),
      );
    }
  }

  /** Drops a document once its file holds its edits, or cannot be written soon; the store has them all. */
  async #drop(document: Document): Promise<void> {
    const enough = new AbortController();
    const { clock } = this.#context.ports;
    await Promise.race([document.mirror.reached(document.head.seq), clock.sleep(LANDING_MS, enough.signal)]);
    enough.abort();
    this.#leaving.delete(document);
    if (this.#context.ports.ignored.ruleFor(document.path) !== undefined) await this.#loaded.drop(document);
  }
}
