import { RefusedError } from "../client/errors.ts";
import type { Result } from "../protocol/schemas.ts";
import type { Caller } from "./caller.ts";

/** What a session was shown of a document. */
export interface SeenVersion {
  readonly docId: string;
  readonly path: string;
  /** The version shown last, be it as a text or by what had changed: the base of edits. */
  readonly version: string;
  /**
   * The version whose text the model has before it as a whole: the base of whole texts. Undefined once its own
   * edits stand beside others' that it was told of but does not have in that text.
   */
  readonly whole: string | undefined;
  /** The version shown first. */
  readonly first: string;
}

type DocumentVersion = Pick<SeenVersion, "docId" | "path" | "version">;

/** A change as the daemon tells it, with its author. */
export type SeenChange = NonNullable<Result<"doc.read">["since"]>["changes"][number];

/** What came after a version, oldest first; `more` when there were earlier ones that are not told any more. */
export interface ChangesSeen {
  readonly changes: readonly SeenChange[];
  readonly more: boolean;
}

/** Documents remembered a session. */
const MOST_DOCUMENTS = 200;

/** What a session was shown, by document; the one that was shown longest ago is forgotten first. */
export class SeenVersions {
  readonly #caller: Caller;
  readonly #versions = new Map<string, SeenVersion>();

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** The document as it is now and as it was shown last; one that was not shown counts as shown now. */
  async current(path: string): Promise<{ sight: SeenVersion; now: Result<"doc.open"> }> {
    const now = await this.#caller.request("doc.open", { path });
    const known = this.#versions.get(now.docId);
    const moved = known !== undefined && known.path !== now.path;
    const sight = moved
      ? this.sawChanges({ ...known, path: now.path }, known.whole)
      : (known ?? this.sawText(now));
    return { sight, now };
  }

  /** What changed in a document that is there since a version, by whom; nothing is told of one no longer kept. */
  async since(path: string, version: string): Promise<ChangesSeen> {
    try {
      const { since } = await this.#caller.request("doc.read", { path, range: [0, 0], since: version });
      return since ?? { changes: [], more: true };
    } catch (error) {
      if (error instanceof RefusedError && error.code === "NOT_FOUND") return { changes: [], more: true };
      throw error;
    }
  }

  at(path: string): SeenVersion | undefined {
    return this.all().find((sight) => sight.path === path);
  }

  all(): readonly SeenVersion[] {
    return [...this.#versions.values()];
  }

  /** The session has the whole text of this version before it. */
  sawText(now: DocumentVersion): SeenVersion {
    return this.sawChanges(now, now.version);
  }

  /** The session knows what has changed up to this version. */
  sawChanges({ docId, path, version }: DocumentVersion, whole: SeenVersion["whole"]): SeenVersion {
    const first = this.#versions.get(docId)?.first ?? version;
    const sight = { docId, path, version, whole, first };
    this.#versions.delete(docId);
    this.#versions.set(docId, sight);
    if (this.#versions.size > MOST_DOCUMENTS) this.#versions.delete(this.#versions.keys().next().value!);
    return sight;
  }

  forget({ docId }: SeenVersion): void {
    this.#versions.delete(docId);
  }
}
