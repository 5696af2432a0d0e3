import { RefusedError } from "../client/errors.ts";
import type { Result } from "../protocol/schemas.ts";
import type { Caller } from "./caller.ts";

/** The versions of one document that a session has seen. */
export interface SeenVersion {
  readonly docId: string;
  readonly path: string;
  /** The version that the session saw last, as a text or as a list of changes: the base of edits. */
  readonly version: string;
  /**
   * The version whose whole text the session has read: the base of whole texts. Undefined once the document also
   * contains changes of others that the session knows only from reports.
   */
  readonly whole: string | undefined;
  /** The version that the session saw first. */
  readonly first: string;
}

type DocumentVersion = Pick<SeenVersion, "docId" | "path" | "version">;

/** A change as the method `doc.read` reports it. */
export type SeenChange = NonNullable<Result<"doc.read">["since"]>["changes"][number];

/** The changes after a version, oldest first; `more` if the history no longer lists all of them. */
export interface ChangeList {
  readonly changes: readonly SeenChange[];
  readonly more: boolean;
}

/** Number of documents that a session remembers. */
const MOST_DOCUMENTS = 200;

/** The versions that a session has seen, by document. A session forgets the document that it saw longest ago. */
export class SeenVersions {
  readonly #caller: Caller;
  readonly #versions = new Map<string, SeenVersion>();

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Returns a document as it is now and as the session saw it. A document new to the session is marked as seen. */
  async current(path: string): Promise<{ seen: SeenVersion; now: Result<"doc.open"> }> {
    const now = await this.#caller.request("doc.open", { path });
    const known = this.#versions.get(now.docId);
    const moved = known !== undefined && known.path !== now.path;
    const seen = moved
      ? this.sawChanges({ ...known, path: now.path }, known.whole)
      : (known ?? this.sawText(now));
    return { seen, now };
  }

  /** Returns the changes of an existing document since a version; none if the history no longer holds that version. */
  async since(path: string, version: string): Promise<ChangeList> {
    try {
      const { since } = await this.#caller.request("doc.read", { path, range: [0, 0], since: version });
      return since ?? { changes: [], more: true };
    } catch (error) {
      if (error instanceof RefusedError && error.code === "NOT_FOUND") return { changes: [], more: true };
      throw error;
    }
  }

  at(path: string): SeenVersion | undefined {
    return this.all().find((seen) => seen.path === path);
  }

  all(): readonly SeenVersion[] {
    return [...this.#versions.values()];
  }

  /** Records that the session has read the whole text of this version. */
  sawText(now: DocumentVersion): SeenVersion {
    return this.sawChanges(now, now.version);
  }

  /** Records that the session knows the changes up to this version. */
  sawChanges({ docId, path, version }: DocumentVersion, whole: SeenVersion["whole"]): SeenVersion {
    const first = this.#versions.get(docId)?.first ?? version;
    const seen = { docId, path, version, whole, first };
    this.#versions.delete(docId);
    this.#versions.set(docId, seen);
    if (this.#versions.size > MOST_DOCUMENTS) this.#versions.delete(this.#versions.keys().next().value!);
    return seen;
  }

  forget({ docId }: SeenVersion): void {
    this.#versions.delete(docId);
  }
}
