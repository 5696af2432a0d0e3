import type { RpcCall } from "./rpc.ts";
import type { Method } from "./schemas.ts";

/** Methods on which the meaning of a later request depends: which documents there are, and what the newest change is. */
const ORDERING: ReadonlySet<string> = new Set<Method>([
  "doc.create",
  "doc.delete",
  "doc.rename",
  "doc.restore",
  "doc.reload",
  "batch.apply",
  "preview.apply",
  "proposal.approve",
  "history.restore",
  "undo",
  "redo",
  "checkpoint.create",
  "checkpoint.restore",
]);

/** What a request changes and names. */
interface Reach {
  readonly isOrdering: boolean;
  readonly isChanging: boolean;
  /** The paths that the request names; undefined for one that may concern every document. */
  readonly paths: readonly string[] | undefined;
}

interface Underway extends Reach {
  readonly answered: Promise<void>;
}

/**
 * Keeps the order of one connection's requests where it matters. A request that creates, moves, deletes or takes back
 * begins once the earlier changes of its documents are answered, and later requests on these documents begin once it
 * is. All other requests run side by side.
 */
export class RequestOrder {
  readonly #underway = new Set<Underway>();
  /** The number of requests under way for which later ones wait. */
  #ordering = 0;

  /** Begins a request at once, unless it must wait for earlier ones. */
  run(call: RpcCall, begin: () => Promise<void>): Promise<void> {
    const reach = reachOf(call);
    const earlier = this.#before(reach);
    const answered = earlier.length === 0 ? begin() : Promise.allSettled(earlier).then(begin);
    if (reach.isChanging) this.#add({ ...reach, answered });
    return answered;
  }

  #before(reach: Reach): Promise<void>[] {
    if (!reach.isOrdering && this.#ordering === 0) return [];
    const earlier: Promise<void>[] = [];
    for (const other of this.#underway)
      if ((reach.isOrdering || other.isOrdering) && meet(reach.paths, other.paths))
        earlier.push(other.answered);
    return earlier;
  }

  #add(request: Underway): void {
    this.#underway.add(request);
    if (request.isOrdering) this.#ordering++;
    const remove = () => {
      this.#underway.delete(request);
      if (request.isOrdering) this.#ordering--;
    };
    request.answered.then(remove, remove);
  }
}

function reachOf({ method, params }: RpcCall): Reach {
  const isOrdering = ORDERING.has(method);
  return { isOrdering, isChanging: isOrdering || method.startsWith("edit."), paths: pathsOf(params) };
}

/** Returns the paths that unchecked parameters name. */
function pathsOf(params: unknown): readonly string[] | undefined {
  const { path, to, files } = (params ?? {}) as { path?: unknown; to?: unknown; files?: unknown };
  const parts: readonly unknown[] = Array.isArray(files) ? files : [];
  const named = parts.flatMap((part) => {
    const { docPath, path: own, to: moved } = (part ?? {}) as Readonly<Record<string, unknown>>;
    return [docPath, own, moved];
  });
  const paths = [path, to, ...named].filter((name) => typeof name === "string");
  return paths.length === 0 ? undefined : paths;
}

function meet(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  return a === undefined || b === undefined || a.some((path) => b.includes(path));
}
