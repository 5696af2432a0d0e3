import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { PREVIEWS } from "../../work/bounds.ts";
import { type Actor, tokenNameOf, type WaitingAuthor } from "../access/actor.ts";
import { Quota } from "../access/quota.ts";
import type { Document } from "../document/document.ts";
import type { PreviewStatus } from "../events/events.ts";
import type { Workspace } from "../folder/workspace.ts";
import { type Outcome, Refusal } from "../outcome/refusal.ts";
import type { Plan, PlannerTask } from "../planners/plan.ts";
import type { Version } from "../versions/version.ts";
import { type PreviewedFile, type PreviewTexts, previewedFile } from "./preview-file.ts";
import type { ApplyOptions } from "./records.ts";
import type { EditRequest, EditResult, ResolvedEdit } from "./request.ts";
import type { Planned } from "./resolve.ts";

/** Resolved edits that a caller sees before the daemon makes them. */
export interface StoredPreview {
  readonly patchId: string;
  /** The hash of the versions that the preview was made for. */
  readonly baseHash: string;
  /** The author of the edits, and of the changes, also if another client applies the preview. */
  readonly author: WaitingAuthor;
  readonly files: readonly PreviewedFile[];
  /** Requests that make exactly the splices of the preview on its versions, or fail. */
  readonly requests: readonly EditRequest[];
  readonly options: ApplyOptions;
  /** The reason why the edits need a confirmation first; undefined when they need none. */
  readonly confirm: string | undefined;
  /** Milliseconds since the epoch. */
  readonly made: number;
  /** The time at which the preview expires; milliseconds since the epoch. */
  readonly expires: number;
}

/** A stored preview and the texts that it leads from and to. */
export interface Preview {
  readonly stored: StoredPreview;
  readonly files: readonly PreviewTexts[];
}

/** The plan of an edit that somebody has to confirm, so that nobody has to make it again. */
interface ShownPlan extends Planned {
  readonly plan: Plan;
  readonly task: PlannerTask;
  /** The version of the document when it was shown. */
  readonly version: Version;
}

interface Remembered {
  readonly stored: StoredPreview;
  readonly plans: readonly ShownPlan[];
  /** The changes that the preview became. */
  applied?: readonly string[];
}

const EXPIRES_MS = 10 * 60 * 1000;
/** The size of a splice and of a preview beside their texts, in bytes. */
const SPLICE_BYTES = 32;
const PREVIEW_BYTES = 1024;

/** Owns the previews of the last minutes, so that a caller can apply exactly the edits that it saw. */
export class Previews {
  readonly #workspace: Workspace;
  /** Oldest first. */
  readonly #remembered = new Map<string, Remembered>();
  readonly #quota = new Quota(PREVIEWS, {
    things: "previews",
    advice: "Apply some of them first.",
  });

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /**
   * Stores a preview of edits, and of changes of files (`others`), under a new id, and announces one that needs a
   * confirmation. The oldest previews of the same token make room for it (I15); a preview that is too large for that is
   * refused.
   */
  store(
    { name, agent, answers }: Actor,
    edits: readonly ResolvedEdit[],
    options: ApplyOptions,
    others: readonly PreviewedFile[] = [],
  ): Outcome<StoredPreview> {
    const files = [...edits.map(previewedFile), ...others];
    const reasons = edits.flatMap(({ resolved }) => resolved.plan.confirm ?? []);
    const made = this.#workspace.ports.clock.now();
    const stored: StoredPreview = {
      patchId: this.#workspace.newId("patch"),
      baseHash: hashOf(files.map(({ docId, version }) => [docId, version])),
      author: { name, agent, ...(answers !== undefined && { answers }) },
      files,
      requests: edits.map(replay),
      options,
      confirm: reasons.length === 0 ? undefined : reasons.join("; "),
      made,
      expires: made + EXPIRES_MS,
    };
    const plans = edits.flatMap(shownPlan);
    const refusal = this.#makeRoom(stored, plans);
    if (refusal !== undefined) return refusal;
    this.#remembered.set(stored.patchId, { stored, plans });
    this.#announce(stored, "waiting", null);
    return stored;
  }

  /** Returns the previews that need a confirmation, newest first. */
  waiting(): StoredPreview[] {
    const now = this.#workspace.ports.clock.now();
    return [...this.#remembered.values()]
      .filter(
        ({ stored, applied }) =>
          stored.confirm !== undefined && applied === undefined && stored.expires > now,
      )
      .map(({ stored }) => stored)
      .reverse();
  }

  /**
   * Finds a preview by its id and its hash. The refusal for a preview with a document that the actor may not read is
   * the one for an unknown id.
   */
  find({ rights }: Actor, patchId: string, baseHash: string): Outcome<StoredPreview> {
    const found = this.#find(patchId);
    if (found === undefined || !found.stored.files.every((file) => rights.allows(this.#pathOf(file), "read")))
      return previewMoved(
        `there is no preview ${JSON.stringify(patchId)}: it was never made, or has expired`,
      );
    if (found.stored.baseHash !== baseHash)
      return previewMoved(`base_hash is not that of ${patchId}; nothing was applied`);
    if (found.applied !== undefined)
      return previewMoved(`${patchId} was applied already`, { changeIds: found.applied });
    return found.stored;
  }

  /** Returns why the edits are not exactly those of a preview; undefined when they are. */
  mismatch(patchId: string, edits: readonly ResolvedEdit[]): Refusal | undefined {
    const found = this.#find(patchId);
    if (
      found !== undefined &&
      found.applied === undefined &&
      same(found.stored.files, edits.map(previewedFile))
    )
      return undefined;
    return new Refusal("CONFLICT", "the document or the edit differs from the preview", {
      suggestion: "Send the edit without confirm to see it again.",
      details: { status: 409, version: edits[0]?.document.version },
    });
  }

  /** Returns the plan of an edit that was shown, while the document is as it was then. */
  planOf(patchId: string, { id, version }: Document, { planner, args }: PlannerTask): Planned | undefined {
    return this.#find(patchId)?.plans.find(
      (shown) =>
        shown.docId === id &&
        shown.version === version &&
        shown.task.planner === planner &&
        isDeepStrictEqual(shown.task.args, args),
    );
  }

  /** Notes that a preview was applied: it cannot be applied again. */
  applied(confirmer: Actor, patchId: string, made: readonly EditResult[]): void {
    const found = this.#remembered.get(patchId);
    if (found === undefined) return;
    found.applied = made.flatMap(({ changeId }) => changeId ?? []);
    this.#announce(found.stored, "applied", confirmer.name);
  }

  /** Announces a preview that needs a confirmation, for each of its documents. */
  #announce(
    { patchId, author, files, confirm }: StoredPreview,
    status: PreviewStatus,
    confirmer: string | null,
  ): void {
    if (confirm === undefined) return;
    const announced = { patchId, status, author: author.name, agentId: author.agent, confirmer };
    for (const { path } of files) this.#workspace.emit({ type: "preview", path, ...announced });
  }

  /** Returns the present path of a previewed document. */
  #pathOf({ docId, path }: PreviewedFile): string {
    return this.#workspace.ports.store.document(docId)?.path ?? path;
  }

  #find(patchId: string): Remembered | undefined {
    const found = this.#remembered.get(patchId);
    return found !== undefined && found.stored.expires > this.#workspace.ports.clock.now()
      ? found
      : undefined;
  }

  /** Drops expired previews, and the token's oldest ones until its quota holds the new preview. */
  #makeRoom(
    { patchId, author, files, made }: StoredPreview,
    plans: readonly ShownPlan[],
  ): Refusal | undefined {
    const token = tokenNameOf(author.agent);
    const bytes = bytesOf(files, plans);
    for (const [id, { stored }] of this.#remembered) {
      const isInTheWay = tokenNameOf(stored.author.agent) === token && bytes <= PREVIEWS.bytes;
      if (stored.expires > made && !(isInTheWay && this.#quota.refusal(token, patchId, bytes))) continue;
      this.#remembered.delete(id);
      this.#quota.release(id);
    }
    return this.#quota.admit(token, patchId, bytes);
  }
}

/** The refusal of a preview that no longer applies. */
export function previewMoved(message: string, details: Record<string, unknown> = {}): Refusal {
  return new Refusal("CONFLICT", message, {
    suggestion: "Call preview.create again, look at the new preview, and apply it.",
    details: { status: 409, ...details },
  });
}

function shownPlan({ document, request, resolved }: ResolvedEdit): ShownPlan | [] {
  const { plan, base } = resolved;
  const change = document.versions.change(base.seq);
  const { task } = request.plan;
  if (plan.confirm === undefined || task === undefined || change === undefined) return [];
  return { docId: document.id, version: document.version, base: change, task, plan };
}

function replay({ document, request, resolved }: ResolvedEdit): EditRequest {
  const { kind, ack, message } = request;
  const { splices, plan } = resolved;
  const { applied } = plan;
  return {
    kind,
    ack,
    message,
    path: document.path,
    version: document.version,
    onStale: "reject",
    plan: () => ({ splices, ...(applied && { applied }) }),
  };
}

/** Returns true when both change the same versions of the same documents in the same way. */
function same(a: readonly PreviewedFile[], b: readonly PreviewedFile[]): boolean {
  return JSON.stringify(a.map(effectOf)) === JSON.stringify(b.map(effectOf));
}

function effectOf({ docId, version, splices }: PreviewedFile): unknown {
  return [docId, version, splices];
}

function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

/** Returns the size of a preview in memory, roughly, in bytes. */
function bytesOf(files: readonly PreviewedFile[], plans: readonly ShownPlan[]): number {
  const splices = [...files, ...plans.map(({ plan }) => plan)].flatMap((one) => one.splices);
  const sources = plans.flatMap(({ task }) => task.args.filter((arg) => typeof arg === "string"));
  const warnings = files.flatMap((file) => file.warnings);
  return (
    PREVIEW_BYTES +
    splices.reduce((sum, { insert }) => sum + Buffer.byteLength(insert) + SPLICE_BYTES, 0) +
    [...warnings, ...sources].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  );
}
