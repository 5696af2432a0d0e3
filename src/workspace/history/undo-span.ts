import { createHash } from "node:crypto";
import type { BatchMark, ChangeRecord, DocumentRecord } from "../../store/store.ts";
import { Text } from "../../text/text.ts";
import { type Actor, tokenNameOf } from "../access/actor.ts";
import type { Editor } from "../edits/editor.ts";
import type { PreviewTexts } from "../edits/preview-file.ts";
import { previewMoved } from "../edits/previews.ts";
import { type EditRequest, type EditResult, isRefused } from "../edits/request.ts";
import type { FileBatches } from "../folder/file-batch.ts";
import type { FileStep } from "../folder/file-steps.ts";
import { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import type { Workspace } from "../folder/workspace.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { isBy } from "./history.ts";
import { openTarget } from "./open-target.ts";
import type { TimelineEntry } from "./timeline.ts";
import { type FileChange, isFileChange, undoneAnswer, undoneResult } from "./undo-file.ts";
import { planUndo, type UndoPlan } from "./undo-plan.ts";

/** A change to undo, and its document. */
export interface UndoTarget {
  readonly record: Pick<DocumentRecord, "id" | "path">;
  readonly change: ChangeRecord;
}

/** Selects everything of an agent since a time, or of a session. */
interface SpanQuery {
  readonly agent: string;
  /** Milliseconds since the epoch. */
  readonly since?: number | undefined;
  readonly session?: string | undefined;
}

/** The way to make the changes; `find` finds them again for a preview that is applied. */
export type UndoOptions = Pick<EditRequest, "ack" | "opId" | "message">;

/** A preview of undoing many changes. */
export interface SpanPreview {
  readonly patchId: string;
  readonly baseHash: string;
  readonly files: readonly PreviewTexts[];
  /** The time at which the preview expires; milliseconds since the epoch. */
  readonly expires: number;
}

/** A preview that can be applied: it is planned again then, and must come out the same. */
interface KeptPreview {
  readonly token: string;
  readonly hash: string;
  readonly expires: number;
  readonly find: () => Promise<Outcome<readonly UndoTarget[]>>;
  readonly options: UndoOptions;
}

const EXPIRES_MS = 10 * 60_000;
const MOST_PREVIEWS = 100;
/** The most documents that one refusal names. */
const MOST_NAMED = 20;

/** Undoes many changes of several documents as one batch: all of them or none. Files come, go and move with it. */
export class UndoSpan {
  readonly #workspace: Workspace;
  readonly #editor: Editor;
  readonly #files: FileBatches;
  readonly #previews = new Map<string, KeptPreview>();

  constructor(workspace: Workspace, editor: Editor, files: FileBatches) {
    this.#workspace = workspace;
    this.#editor = editor;
    this.#files = files;
  }

  /** Undoes the changes, newest first. */
  async make(
    actor: Actor,
    targets: readonly UndoTarget[],
    options: UndoOptions,
  ): Promise<Outcome<readonly EditResult[]>> {
    const plans = await this.#plan(actor, targets);
    return isRefusal(plans) ? plans : this.#execute(actor, plans, options);
  }

  /** Shows the effect of undoing the changes; changes nothing. */
  async preview(
    actor: Actor,
    find: KeptPreview["find"],
    options: UndoOptions,
  ): Promise<Outcome<SpanPreview>> {
    const targets = await find();
    const plans = isRefusal(targets) ? targets : await this.#plan(actor, targets);
    if (isRefusal(plans)) return plans;
    const hash = hashOf(plans);
    const patchId = this.#workspace.newId("patch");
    const now = this.#workspace.ports.clock.now();
    const expires = now + EXPIRES_MS;
    for (const [id, kept] of this.#previews)
      if (kept.expires < now || this.#previews.size >= MOST_PREVIEWS) this.#previews.delete(id);
    this.#previews.set(patchId, { token: tokenNameOf(actor.agent), hash, expires, find, options });
    return { patchId, baseHash: hash, files: plans.map(textsOf), expires };
  }

  /** Returns true for a preview of this kind. */
  hasPreview(patchId: string): boolean {
    return this.#previews.has(patchId);
  }

  /** Undoes exactly the changes of a preview, once. */
  async applyPreview(
    actor: Actor,
    patchId: string,
    baseHash: string,
  ): Promise<Outcome<readonly EditResult[]>> {
    const kept = this.#previews.get(patchId);
    const isValid =
      kept?.token === tokenNameOf(actor.agent) && kept.expires > this.#workspace.ports.clock.now();
    if (!isValid || kept.hash !== baseHash)
      return previewMoved(`there is no preview ${JSON.stringify(patchId)} with this base_hash`);
    const targets = await kept.find();
    const plans = isRefusal(targets) ? targets : await this.#plan(actor, targets);
    if (isRefusal(plans)) return plans;
    if (hashOf(plans) !== baseHash)
      return previewMoved("documents changed since they were shown; nothing was undone");
    this.#previews.delete(patchId);
    return this.#execute(actor, plans, kept.options);
  }

  /** Plans each document's part, or returns one refusal that names every document that cannot take part. */
  async #plan(actor: Actor, targets: readonly UndoTarget[]): Promise<Outcome<readonly UndoPlan[]>> {
    const guarded = this.#guarded(actor);
    const byDocument = new Map<string, [record: UndoTarget["record"], changes: ChangeRecord[]]>();
    for (const { record, change } of targets) {
      const known = byDocument.get(record.id);
      if (known === undefined) byDocument.set(record.id, [record, [change]]);
      else known[1].push(change);
    }
    const plans: UndoPlan[] = [];
    const refused: [path: string, refusal: Refusal][] = [];
    for (const [record, changes] of byDocument.values()) {
      const document = await openTarget(guarded, record);
      const plan = isRefusal(document) ? document : await planUndo(document, changes);
      if (isRefusal(plan)) refused.push([record.path, plan]);
      else if (plan.splices.length > 0 || plan.file !== undefined || plan.rename !== undefined)
        plans.push(plan);
    }
    return refused.length === 0 ? plans : allRefused(refused.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Moves files first, and edits texts last, as one batch. */
  async #execute(
    actor: Actor,
    plans: readonly UndoPlan[],
    { ack, opId, message }: UndoOptions,
  ): Promise<Outcome<readonly EditResult[]>> {
    const edited = plans.filter(({ splices }) => splices.length > 0);
    const moves = plans.flatMap((plan) => movesOf(plan));
    const batch: BatchMark = { id: this.#workspace.newId("bat"), size: edited.length + moves.length };
    const steps = moves.map(
      ({ undoes, ...step }, at): FileStep => ({ ...step, at, cause: causeOf(undoes, batch) }),
    );
    const requests = edited.map((plan) => requestOf(plan, batch, { ack, message }));
    const result = await this.#files.run(actor, steps, async (done, ended) => {
      const results = done.map(({ document }, i) => undoneResult(document, moves[i]!.undoes[0]!));
      const at = requests.map((one, i) => ({ ...one, path: edited[i]!.document.path }));
      const answer =
        done[0] && undoneAnswer(actor, opId, done[0].document, done[0].change, moves[0]!.undoes[0]!);
      const applied = await this.#editor.apply(actor, at, { opId, shelved: ended, answer });
      if (!isRefused(applied)) return [...applied.made, ...results];
      const { refusal, index } = applied.refused[0]!;
      return index === undefined ? refusal : allRefused([[at[index]!.path, refusal]]);
    });
    if ("made" in result) return result.made;
    const { refused, at } = result;
    return at === undefined ? refused : allRefused([[steps[at]!.path, refused]]);
  }

  #guarded(actor: Actor): GuardedWorkspace {
    return new GuardedWorkspace(this.#workspace, actor, "write");
  }
}

/** A change of a file that undoing takes, and the changes that it undoes. */
type Move = { readonly path: string; readonly docId: string; readonly undoes: readonly FileChange[] } & (
  | { readonly do: "remove" | "restore" }
  | { readonly do: "rename"; readonly to: string }
);

function movesOf({ document: { path, id: docId }, file, rename }: UndoPlan): Move[] {
  return [
    ...(file === undefined ? [] : [{ do: file.do, path, docId, undoes: file.undoes }]),
    ...(rename === undefined
      ? []
      : [{ do: "rename" as const, path, docId, to: rename.to, undoes: rename.undoes }]),
  ];
}

function causeOf(undone: readonly ChangeRecord[], batch: BatchMark): FileStep["cause"] {
  const [first, ...more] = undone.map(({ id }) => id);
  return { undoes: first!, alsoUndoes: more, batch };
}

function requestOf(
  { document, targets, splices, version }: UndoPlan,
  batch: BatchMark,
  common: UndoOptions,
): EditRequest {
  const [newest, ...older] = targets.filter((change) => change.splices.length > 0);
  return {
    ...common,
    kind: "undo",
    path: document.path,
    plan: () => ({ splices }),
    version,
    undoes: newest!,
    alsoUndoes: older.map(({ id }) => id),
    batch,
  };
}

function textsOf({ document, splices, file, rename }: UndoPlan): PreviewTexts {
  const { path, text } = document;
  const isRemoved = file?.do === "remove";
  const warnings = [
    ...(isRemoved ? ["removes the file"] : file === undefined ? [] : ["restores the file"]),
    ...(rename === undefined ? [] : [`gives the file its former name ${rename.to}`]),
  ];
  return {
    path,
    before: file?.do === "restore" ? Text.empty : text,
    after: isRemoved ? Text.empty : text.splice(splices),
    warnings,
  };
}

function hashOf(plans: readonly UndoPlan[]): string {
  const effects = plans.map(({ document, version, splices, file, rename }) => [
    document.id,
    version,
    splices,
    file?.do,
    rename?.to,
  ]);
  return createHash("sha256").update(JSON.stringify(effects)).digest("hex");
}

/** Returns the refusal of a batch with each document that prevents it. */
function allRefused(refused: readonly (readonly [path: string, refusal: Refusal])[]): Refusal {
  const [[, first]] = refused as readonly [readonly [string, Refusal]];
  const named = refused.slice(0, MOST_NAMED).map(([path, { message }]) => `${path}: ${message}`);
  const more = refused.length > named.length ? `; and ${refused.length - named.length} more` : "";
  return new Refusal(first.code, `nothing was undone. ${named.join("; ")}${more}`, {
    suggestion: first.suggestion ?? "Undo single changes, or name a later time.",
    details: { paths: refused.map(([path]) => path).slice(0, MOST_NAMED) },
  });
}

/** Returns the changes of an agent, newest first, that are not undone and undo nothing. `entries` are newest first. */
export async function everythingOf(
  entries: AsyncIterable<TimelineEntry>,
  { agent, since = 0, session }: SpanQuery,
): Promise<readonly UndoTarget[]> {
  const targets: UndoTarget[] = [];
  for await (const { record, change, undone } of entries) {
    if (change.time < since) break;
    const isMeant =
      !undone &&
      change.undoes === undefined &&
      isBy(change, agent) &&
      (session === undefined || change.session === session) &&
      (change.seq > 0 || isFileChange(change));
    if (isMeant) targets.push({ record, change });
  }
  return targets;
}
