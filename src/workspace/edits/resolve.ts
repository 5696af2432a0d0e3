import type { ChangeRecord } from "../../store/store.ts";
import { coarsen } from "../../text/coarsen.ts";
import { minimal } from "../../text/diff/minimal.ts";
import { eolOf } from "../../text/lines.ts";
import { mergeEdits } from "../../text/merge/merge-edits.ts";
import { takeBack } from "../../text/merge/take-back.ts";
import { normalize, spliceProblem } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import { MOST_CHANGED_PLACES } from "../../work/bounds.ts";
import type { Document } from "../document/document.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { nulRefusal } from "../outcome/refusals.ts";
import type { Plan, PlannerTask } from "../planners/plan.ts";
import type { SeenDocuments } from "../seen/seen-documents.ts";
import { versionOf } from "../versions/version.ts";
import type { TokenWorkers } from "../workers/workers.ts";
import { basesOf, isMisfit, staleRefusal, versionRequired } from "./base.ts";
import type { EditRequest, Resolved } from "./request.ts";

/** A plan that was made before. */
export interface Planned {
  readonly docId: string;
  readonly base: ChangeRecord;
  readonly plan: Outcome<Plan>;
}

/** Finds the plan of an edit that somebody was shown and confirms now. */
export interface ShownPlans {
  planOf(patchId: string, document: Document, task: PlannerTask): Planned | undefined;
}

/** The number of plans that a worker makes of one edit while the document changes; then the edit is rebased. */
const TRIES = 3;

/** Resolves edits; a result made ahead of time is valid while its document's head is the same. */
export class Resolver {
  readonly #workers: TokenWorkers;
  readonly #seen: SeenDocuments | undefined;
  readonly #shown: ShownPlans | undefined;
  readonly #known = new Map<
    EditRequest,
    { readonly head: ChangeRecord; readonly outcome: Outcome<Resolved> }
  >();
  readonly #planned = new Map<EditRequest, readonly Planned[]>();

  /** `seen` are the versions that the session of the edits has seen; an edit without a base is made from them. */
  constructor(workers: TokenWorkers, seen: SeenDocuments | undefined, shown?: ShownPlans) {
    this.#workers = workers;
    this.#seen = seen;
    this.#shown = shown;
  }

  resolve(document: Document, request: EditRequest): Outcome<Resolved> {
    const known = this.#known.get(request);
    if (known?.head === document.head) return known.outcome;
    const outcome = this.#resolve(document, request);
    this.#known.set(request, { head: document.head, outcome });
    return outcome;
  }

  /**
   * Makes a worker plan an edit that takes long (I14); undefined if no wait is needed. The caller opens the document
   * again afterwards. A plan is for the text that it was made against: the edit is rebased over later changes.
   */
  ahead(document: Document, request: EditRequest): Promise<void> | undefined {
    const { task: work } = request.plan;
    if (work === undefined) return undefined;
    const bases = basesOf(document, request, this.#seen);
    if (isRefusal(bases)) return undefined;
    const plans = this.#plansOf(document, request);
    const next = bases.find((base) => {
      const known = plans.find((one) => one.base.id === base.change.id);
      return known === undefined || !isMisfit(base, known.plan);
    });
    if (next === undefined || plans.some((one) => one.base.id === next.change.id)) return undefined;
    if (plans.length >= TRIES + bases.length - 1) return undefined;
    const text = document.versions.textAt(next.change.seq);
    if (text === undefined || !this.#workers.offloads(work.cost(text))) return undefined;
    return this.#plan(document, request, work, next.change, text);
  }

  async #plan(document: Document, request: EditRequest, work: PlannerTask, base: ChangeRecord, text: Text) {
    const { planner, args } = work;
    const plan = await this.#workers.run("plan", planner, args, text.toString(), document.maxBytes);
    this.#planned.set(request, [...(this.#planned.get(request) ?? []), { docId: document.id, base, plan }]);
  }

  /** Makes an edit from the first of its bases that it fits. A base without a plan of its own gets the newest plan. */
  #resolve(document: Document, request: EditRequest): Outcome<Resolved> {
    const bases = basesOf(document, request, this.#seen);
    if (isRefusal(bases)) return bases;
    const plans = this.#plansOf(document, request);
    let refused: { readonly seq: number; readonly refusal: Refusal } | undefined;
    for (const [i, base] of bases.entries()) {
      const { change } = base;
      const planned =
        plans.find((one) => one.base.id === change.id) ?? (i === bases.length - 1 ? plans.at(-1) : undefined);
      const resolved = resolveFrom(document, request, planned?.base ?? change, planned?.plan);
      if (!isMisfit(base, isRefusal(resolved) ? resolved : resolved.plan)) {
        const isDone = !isRefusal(resolved) && resolved.splices.length === 0;
        return isDone && refused !== undefined && isApplied(refused.refusal) ? refused.refusal : resolved;
      }
      // The session corrects its edit by the newest text; an older one may lack what it has just written itself.
      if (isRefusal(resolved) && !(refused !== undefined && refused.seq > change.seq))
        refused = { seq: change.seq, refusal: resolved };
    }
    return refused?.refusal ?? versionRequired(document, request.aim, this.#seen?.of(document.id));
  }

  #plansOf(document: Document, request: EditRequest): readonly Planned[] {
    const { confirm, plan } = request;
    const isShown = confirm !== undefined && plan.task !== undefined;
    const shown = isShown ? this.#shown?.planOf(confirm, document, plan.task) : undefined;
    const planned = (this.#planned.get(request) ?? []).filter(({ docId }) => docId === document.id);
    return shown === undefined ? planned : [shown, ...planned];
  }
}

/** True for a patch that is in the text; made from an older version, it would be merged to nothing. */
function isApplied({ details }: Refusal): boolean {
  return details?.["reason"] === "already_applied";
}

/** Plans an edit strictly against its base, unless a worker has, and rebases it over later changes. */
function resolveFrom(
  document: Document,
  request: EditRequest,
  base: ChangeRecord,
  planned: Outcome<Plan> | undefined,
): Outcome<Resolved> {
  const stale = base.seq !== document.head.seq;
  if (stale && request.onStale === "reject")
    return staleRefusal(document, `the document has changed since version ${versionOf(base)}`);
  const text = document.versions.textAt(base.seq);
  const came = document.versions.since(base.seq);
  if (text === undefined || came === undefined)
    return staleRefusal(document, "the named version is no longer stored");
  // Text that one change removed and a later one inserted again, as undo and redo do, is the text that was seen.
  const isNamed = request.version !== undefined || request.sha256 !== undefined;
  const since =
    isNamed && request.undoes === undefined ? came : came.flatMap((splice) => minimal(text, splice));
  const plan = planned ?? request.plan({ text, eol: eolOf(text), maxBytes: document.maxBytes });
  if (isRefusal(plan)) return withVersions(plan, document, base);
  const problem = spliceProblem(plan.splices, text.chars);
  if (problem !== undefined) return new Refusal("INVALID_ARGUMENT", problem);
  if (plan.splices.some(({ insert }) => insert.includes("\0"))) return nulRefusal();
  const own = coarsen(normalize(plan.splices), text, MOST_CHANGED_PLACES);
  const against = { seq: base.seq, version: versionOf(base), text };
  const mergeOver = request.undoes === undefined ? mergeEdits : takeBack;
  const merge = mergeOver(text, own, since);
  const { splices, overlaps, close } = merge;
  const merged = stale || since.length > 0;
  return { base: against, plan, own, splices, merged, merge, conflicts: [...overlaps, ...close] };
}

/** Adds to a refusal the version that the edit was resolved against, and the newest one (S1.8). */
function withVersions(refusal: Refusal, document: Document, base: ChangeRecord): Refusal {
  const { code, message, suggestion, details } = refusal;
  return new Refusal(code, message, {
    ...(suggestion !== undefined && { suggestion }),
    details: { ...details, base: versionOf(base), version: document.version },
  });
}
