import type { ChangeRecord } from "../../store/store.ts";
import { coarsen } from "../../text/coarsen.ts";
import { rebase } from "../../text/delta.ts";
import { eolOf } from "../../text/lines.ts";
import { minimal } from "../../text/minimal.ts";
import { normalize, spliceProblem } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import { MOST_CHANGED_PLACES } from "../../work/bounds.ts";
import type { Document } from "../document/document.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { nulRefusal } from "../outcome/refusals.ts";
import type { Plan, PlannerTask } from "../planners/plan.ts";
import { digestNow } from "../versions/digest.ts";
import { versionOf } from "../versions/version.ts";
import type { TokenWorkers } from "../workers/workers.ts";
import type { EditRequest, Resolved } from "./request.ts";

/** A plan that a worker made. */
interface Planned {
  readonly docId: string;
  readonly base: ChangeRecord;
  readonly plan: Outcome<Plan>;
}

/** How often a worker plans an edit again because the document changed meanwhile; then the edit is rebased. */
const TRIES = 3;

/** Resolves edits; a result made ahead of time is valid while its document's head is the same. */
export class Resolver {
  readonly #workers: TokenWorkers;
  readonly #known = new Map<
    EditRequest,
    { readonly head: ChangeRecord; readonly outcome: Outcome<Resolved> }
  >();
  readonly #planned = new Map<EditRequest, Planned>();
  readonly #tries = new Map<EditRequest, number>();

  constructor(workers: TokenWorkers) {
    this.#workers = workers;
  }

  resolve(document: Document, request: EditRequest): Outcome<Resolved> {
    const known = this.#known.get(request);
    if (known?.head === document.head) return known.outcome;
    const outcome = resolve(document, request, this.#planned.get(request));
    this.#known.set(request, { head: document.head, outcome });
    return outcome;
  }

  /**
   * Has a worker plan an edit that takes long (I14); undefined when there is nothing to wait for. The caller opens the
   * document again afterwards. A plan is for the text that it was made against: the edit is rebased over later
   * changes.
   */
  ahead(document: Document, request: EditRequest): Promise<void> | undefined {
    const { task: work } = request.plan;
    if (work === undefined) return undefined;
    const base = baseOf(document, request);
    const planned = this.#planned.get(request);
    const tries = this.#tries.get(request) ?? 0;
    if (isRefusal(base) || planned?.base.id === base.id || tries >= TRIES) return undefined;
    const text = document.versions.textAt(base.seq);
    if (text === undefined || !this.#workers.offloads(work.cost(text))) return undefined;
    this.#tries.set(request, tries + 1);
    return this.#plan(document, request, work, base, text);
  }

  async #plan(document: Document, request: EditRequest, work: PlannerTask, base: ChangeRecord, text: Text) {
    const { planner, args } = work;
    const plan = await this.#workers.run("plan", planner, args, text.toString(), document.maxBytes);
    this.#planned.set(request, { docId: document.id, base, plan });
  }
}

/**
 * Plans an edit strictly against its base and rebases it over later changes. The base of a worker's plan is the text
 * that the worker had.
 */
function resolve(document: Document, request: EditRequest, known: Planned | undefined): Outcome<Resolved> {
  const planned = known?.docId === document.id ? known : undefined;
  const base = planned?.base ?? baseOf(document, request);
  if (isRefusal(base)) return base;
  const stale = base.seq !== document.head.seq;
  if (stale && request.onStale === "reject")
    return staleRefusal(document, "the document has changed since the version you name");
  const text = document.versions.textAt(base.seq);
  const came = document.versions.since(base.seq);
  if (text === undefined || came === undefined)
    return staleRefusal(document, "the version you name is no longer kept");
  // Text that one change removed and a later one inserted again, as an undo does, does not conflict with an undo.
  const since = request.undoes === undefined ? came : came.flatMap((splice) => minimal(text, splice));
  const plan = planned?.plan ?? request.plan({ text, eol: eolOf(text), maxBytes: document.maxBytes });
  if (isRefusal(plan)) return withVersions(plan, document, base);
  const problem = spliceProblem(plan.splices, text.chars);
  if (problem !== undefined) return new Refusal("INVALID_ARGUMENT", problem);
  if (plan.splices.some(({ insert }) => insert.includes("\0"))) return nulRefusal();
  const own = coarsen(normalize(plan.splices), text, MOST_CHANGED_PLACES);
  const against = { seq: base.seq, text };
  if (since.length === 0) return { base: against, plan, own, splices: own, merged: stale, conflicts: [] };
  const { splices, overlaps } = rebase(own, since);
  return { base: against, plan, own, splices, merged: true, conflicts: overlaps };
}

function baseOf(document: Document, { version, sha256 }: EditRequest): Outcome<ChangeRecord> {
  if (version === undefined && sha256 === undefined) return document.head;
  const byVersion = version === undefined ? undefined : document.versions.find(version);
  if (version !== undefined && byVersion === undefined)
    return staleRefusal(document, `${JSON.stringify(version)} is not a version of this document`);
  if (sha256 === undefined) return byVersion!;
  if (byVersion === undefined && digestNow(document.content) === sha256.toLowerCase()) return document.head;
  const byHash = document.versions.findHash(sha256.toLowerCase());
  if (byVersion !== undefined && byVersion.sha256 !== undefined && byVersion.sha256 !== sha256.toLowerCase())
    return new Refusal("INVALID_ARGUMENT", "version and sha256 name different texts; give one of them");
  return byVersion ?? byHash ?? staleRefusal(document, "no recent version of this document has that sha256");
}

/** Adds to a refusal the version that the edit was resolved against, and the newest one (S1.8). */
function withVersions(refusal: Refusal, document: Document, base: ChangeRecord): Refusal {
  const { code, message, suggestion, details } = refusal;
  return new Refusal(code, message, {
    ...(suggestion !== undefined && { suggestion }),
    details: { ...details, base: versionOf(base), version: document.version },
  });
}

function staleRefusal(document: Document, message: string): Refusal {
  return new Refusal("STALE_VERSION", `${message}; it is now ${document.version}`, {
    suggestion: "Read the document again and make the edit against that version.",
    details: {
      reason: "stale_version",
      version: document.version,
      sha256: digestNow(document.content) ?? null,
    },
  });
}
