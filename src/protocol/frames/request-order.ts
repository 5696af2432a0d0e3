import { MOST_FILES } from "../../work/bounds.ts";
import type { RpcCall } from "../base/rpc.ts";
import type { Method } from "../schemas/schemas.ts";

/** Methods on which the meaning of a later request depends, with the paths that they name. */
const OF_PATHS: ReadonlySet<string> = new Set<Method>([
  "doc.create",
  "doc.delete",
  "doc.rename",
  "doc.restore",
  "doc.reload",
  "batch.apply",
  "history.restore",
]);
/** Such methods that may change any document, whatever they name. */
const OF_ALL: ReadonlySet<string> = new Set<Method>([
  "preview.apply",
  "proposal.approve",
  "undo",
  "redo",
  "checkpoint.create",
  "checkpoint.restore",
]);
/** The first part of methods that read and change no document, unless they name a path. */
const APART: ReadonlySet<string> = new Set([
  "thread",
  "presence",
  "claim",
  "metrics",
  "rpc",
  "settings",
  "machine",
  "hello",
  "unsubscribe",
]);

/** The documents that a request names, and its effect on the order of others. */
interface Reach {
  readonly isOrdering: boolean;
  readonly isChanging: boolean;
  /** The paths that the request names; undefined for one that may concern every document. */
  readonly paths: ReadonlySet<string> | undefined;
}

interface Underway extends Reach {
  readonly answered: Promise<void>;
  /** Resolves once the request begins; undefined from then on. */
  begun: Promise<void> | undefined;
}

/** Begins a request in a turn of the event loop that its token may use. */
export type InTurn = (begin: () => Promise<void>) => Promise<void>;

/**
 * Keeps the order of one connection's requests where it matters. A request that creates, moves, deletes or takes back
 * begins once the earlier changes of its documents are answered, and later requests on these documents begin once it
 * is. Other requests on one document begin in their order, and requests on different ones run side by side.
 */
export class RequestOrder {
  readonly #inTurn: InTurn;
  readonly #underway = new Set<Underway>();
  /** The number of requests under way for which later ones may wait. */
  #holding = 0;

  constructor(inTurn: InTurn) {
    this.#inTurn = inTurn;
  }

  /** Begins a request at once, unless it must wait for earlier ones. */
  run(call: RpcCall, begin: () => Promise<void>): Promise<void> {
    const reach = reachOf(call);
    const earlier = this.#before(reach);
    if (earlier.length === 0) {
      const answered = begin();
      if (reach.isChanging) this.#add({ ...reach, answered, begun: undefined });
      return answered;
    }
    let hasBegun!: () => void;
    const begun = new Promise<void>((resolve) => {
      hasBegun = resolve;
    });
    const answered = Promise.allSettled(earlier).then(() =>
      this.#inTurn(() => {
        waiting.begun = undefined;
        hasBegun();
        return begin();
      }),
    );
    const waiting: Underway = { ...reach, answered, begun };
    this.#add(waiting);
    return answered;
  }

  #before(reach: Reach): Promise<void>[] {
    if (!reach.isOrdering && this.#holding === 0) return [];
    const earlier: Promise<void>[] = [];
    for (const other of this.#underway) {
      if (!meet(reach.paths, other.paths)) continue;
      if (reach.isOrdering || other.isOrdering) earlier.push(other.answered);
      else if (other.begun !== undefined) earlier.push(other.begun);
    }
    return earlier;
  }

  #add(request: Underway): void {
    const isHolding = request.isOrdering || request.begun !== undefined;
    this.#underway.add(request);
    if (isHolding) this.#holding++;
    const remove = () => {
      this.#underway.delete(request);
      if (isHolding) this.#holding--;
    };
    request.answered.then(remove, remove);
  }
}

function reachOf({ method, params }: RpcCall): Reach {
  const isOfAll = OF_ALL.has(method);
  const isOrdering = isOfAll || OF_PATHS.has(method);
  const isChanging = isOrdering || method.startsWith("edit.");
  const paths = isOfAll ? undefined : pathsOf(params);
  const isApart = paths === undefined && APART.has(method.split(".", 1)[0]!);
  return { isOrdering, isChanging, paths: isApart ? NONE : paths };
}

const NONE: ReadonlySet<string> = new Set();

/** Returns the paths that unchecked parameters name. Too many of them are as good as all. */
function pathsOf(params: unknown): ReadonlySet<string> | undefined {
  const { path, to, files } = (params ?? {}) as { path?: unknown; to?: unknown; files?: unknown };
  const parts: readonly unknown[] = Array.isArray(files) ? files : [];
  if (parts.length > MOST_FILES) return undefined;
  const named = parts.flatMap((part) => {
    const { docPath, path: own, to: moved } = (part ?? {}) as Readonly<Record<string, unknown>>;
    return [docPath, own, moved];
  });
  const paths = [path, to, ...named].filter((name) => typeof name === "string");
  // The workspace reads ./notes.md as notes.md.
  return paths.length === 0 ? undefined : new Set(paths.map((name) => name.replace(/^(\.\/)+/, "")));
}

function meet(a: ReadonlySet<string> | undefined, b: ReadonlySet<string> | undefined): boolean {
  if (a === undefined) return b !== NONE;
  if (b === undefined) return a !== NONE;
  const [few, many] = a.size <= b.size ? [a, b] : [b, a];
  for (const path of few) if (many.has(path)) return true;
  return false;
}
