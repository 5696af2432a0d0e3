import { type ChangeRecord, type Seq, StoreError } from "../store/store.ts";
import { type Overlap, rebase } from "../text/delta.ts";
import { eolOf } from "../text/lines.ts";
import { countChars } from "../text/positions.ts";
import { normalize, type Splice, spliceProblem } from "../text/splice.ts";
import { Text } from "../text/text.ts";
import type { Actor } from "./actor.ts";
import { Confirmations } from "./confirmations.ts";
import { digest, digestNow } from "./digest.ts";
import type { Document } from "./document.ts";
import type { Plan, Planner } from "./edits/plan.ts";
import { GuardedWorkspace } from "./guarded.ts";
import { absent, withheld } from "./permission.ts";
import { nulRefusal, storeRefusal, tooLargeRefusal } from "./problems.ts";
import { isRefusal, type Outcome, Refusal } from "./refusal.ts";
import { type Version, versionOf } from "./version.ts";
import type { Workspace } from "./workspace.ts";

/** One edit of one document, whatever its form. */
export interface EditRequest {
  /** The method's short name, for the summary: `replace`, `patch`, … */
  readonly kind: string;
  readonly path: string;
  readonly plan: Planner;
  /** The base that the caller saw; the newest text when neither is given. */
  readonly version?: Version | undefined;
  readonly sha256?: string | undefined;
  readonly onStale?: "merge" | "reject" | undefined;
  readonly ack?: "mirrored" | "durable" | undefined;
  readonly opId?: string | undefined;
  readonly message?: string | undefined;
  readonly confirm?: string | undefined;
  /** Takes back an earlier change: refused where later edits changed the same text. */
  readonly undoes?: ChangeRecord;
}

export interface EditResult {
  /** Null when nothing was left to change. */
  readonly changeId: string | null;
  readonly path: string;
  readonly version: Version;
  /** Null for a large document whose bytes were not waited for (`ack: "durable"`). */
  readonly sha256: string | null;
  readonly summary: string;
  /** In the positions of `before`. */
  readonly splices: readonly Splice[];
  readonly durable: boolean;
  readonly mirrored: boolean;
  /** Others had changed the document since the base. */
  readonly merged: boolean;
  /** In base positions: both sides changed the same characters; both texts stay. */
  readonly conflicts: readonly Overlap[];
  readonly applied?: Plan["applied"];
  /** The text that the splices were applied to, and the one that the edit was made against; not sent. */
  readonly before: Text;
  readonly base: Text;
}

/** A plan carried from its base to the newest text. */
interface Resolved {
  readonly base: { readonly seq: Seq; readonly text: Text };
  readonly plan: Plan;
  readonly splices: readonly Splice[];
  readonly merged: boolean;
  readonly conflicts: readonly Overlap[];
}

/** What of a result is known before it is durable, and so can be stored with the change. */
type Kept = Omit<EditResult, "before" | "base" | "sha256" | "mirrored">;

/** What is stored of an answer, to give it again. */
interface Answered {
  readonly docId: string;
  readonly seq: Seq;
  readonly baseSeq: Seq;
  readonly kept: Kept;
}

/** Makes edits. The one way in which an agent's text reaches a document. */
export class Editor {
  readonly #workspace: Workspace;
  readonly #confirmations: Confirmations;
  readonly #running = new Map<string, Promise<Outcome<EditResult>>>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
    this.#confirmations = new Confirmations(workspace.newId);
  }

  /**
   * Makes one edit: resolved strictly against the base that it names, merged over what happened since,
   * journaled, and answered when that is durable and, unless asked otherwise, on disk. A refusal leaves no
   * trace (I13). The same `opId` of the same agent gets the first answer again, also after a restart.
   */
  async edit(actor: Actor, request: EditRequest): Promise<Outcome<EditResult>> {
    if (request.opId === undefined) return this.#make(actor, request);
    const key = JSON.stringify([actor.agent, request.opId]);
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const making = this.#answered(actor, request, request.opId);
    this.#running.set(key, making);
    try {
      return await making;
    } finally {
      this.#running.delete(key);
    }
  }

  /** The answer given before, if its change is still there; one that the store took back is made anew. */
  async #answered(actor: Actor, request: EditRequest, opId: string): Promise<Outcome<EditResult>> {
    const { store } = this.#workspace.ports;
    const answered = store.answer(actor.agent, opId)?.result as Answered | undefined;
    const record = answered && store.document(answered.docId);
    if (answered === undefined || record === undefined) return this.#make(actor, request);
    // What the token allowed then it may not allow now.
    if (!actor.rights.allows(record.path, "read")) return absent(request.path);
    const { docId, seq, baseSeq, kept } = answered;
    // Opening takes back what was stored after a change that was not.
    const document = await this.#workspace.open(record.path);
    const change = isRefusal(document) ? store.change(docId, seq) : document.past.change(seq);
    // The store took the change back, or never had the document.
    if (change?.id !== kept.changeId || !store.snapshot(docId)) return this.#make(actor, request);
    if (isRefusal(document)) {
      const gone = { splices: [], conflicts: [], before: Text.empty, base: Text.empty };
      return { ...kept, ...gone, mirrored: false, sha256: null };
    }
    if (document.id !== docId) return this.#make(actor, request); // the store refused to create that one
    const { past, mirror } = document;
    return {
      ...kept,
      mirrored: request.ack === "durable" ? document.holds(seq) : await mirror.reached(seq),
      sha256: past.change(seq)?.sha256 ?? null,
      before: past.textAt(seq - 1) ?? Text.empty,
      base: past.textAt(baseSeq) ?? Text.empty,
    };
  }

  async #make(actor: Actor, request: EditRequest): Promise<Outcome<EditResult>> {
    const { limits } = this.#workspace;
    const guarded = new GuardedWorkspace(this.#workspace, actor, "read");
    const document = await guarded.open(request.path);
    if (isRefusal(document)) return document;
    // From here to the commit nothing waits, so nothing comes between.
    const level = guarded.levelOn(request.path, document);
    const unapplied = withheld(document.path, level, request.kind);
    if (unapplied !== undefined) return unapplied;
    const resolved = resolve(document, request);
    if (isRefusal(resolved)) return resolved;
    const unconfirmed = this.#confirmations.check(document, request, resolved.plan);
    if (unconfirmed !== undefined) return unconfirmed;
    if (request.undoes !== undefined && resolved.conflicts.length > 0)
      return undoRefusal(document, request.undoes, resolved);
    if (resolved.splices.length === 0) return unchanged(document, request, resolved);
    const refused = readOnlyRefusal(document) ?? sizeRefusal(document, resolved.splices, limits.maxFileBytes);
    return refused ?? this.#commit(document, actor, request, resolved);
  }

  async #commit(
    document: Document,
    actor: Actor,
    request: EditRequest,
    resolved: Resolved,
  ): Promise<Outcome<EditResult>> {
    const { opId, message, ack = "mirrored" } = request;
    const keep = (change: ChangeRecord): Kept => ({
      changeId: change.id,
      path: document.path,
      version: versionOf(change),
      summary: summarize(request.kind, document.path, resolved, change),
      splices: resolved.splices,
      durable: true,
      merged: resolved.merged,
      conflicts: resolved.conflicts,
      ...(resolved.plan.applied && { applied: resolved.plan.applied }),
    });
    const { change, before, after, durable } = document.edit(actor, resolved.splices, {
      origin: request.undoes === undefined ? "agent" : "undo",
      ...(request.undoes && { undoes: request.undoes.id }),
      ...(message !== undefined && { message }),
      ...(opId !== undefined && {
        answer: (made) => ({
          agent: actor.agent,
          opId,
          time: made.time,
          result: {
            docId: document.id,
            seq: made.seq,
            baseSeq: resolved.base.seq,
            kept: keep(made),
          },
        }),
      }),
    });
    const content = { ...document.content, text: after };
    const kept = keep(change);
    try {
      await durable;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      await this.#workspace.drop(document);
      return storeRefusal(error);
    }
    const mirrored =
      ack === "mirrored" ? await document.mirror.reached(change.seq) : document.holds(change.seq);
    this.#workspace.ports.reached("answered");
    const sha256 = ack === "mirrored" ? await digest(content) : (digestNow(content) ?? null);
    return { ...kept, mirrored, sha256, before, base: resolved.base.text };
  }
}

function resolve(document: Document, request: EditRequest): Outcome<Resolved> {
  const base = baseOf(document, request);
  if (isRefusal(base)) return base;
  const stale = base.seq !== document.head.seq;
  if (stale && request.onStale === "reject")
    return staleRefusal(document, "the document has changed since the version you name");
  const text = document.past.textAt(base.seq);
  const since = document.past.since(base.seq);
  if (text === undefined || since === undefined)
    return staleRefusal(document, "the version you name is no longer kept");
  const plan = request.plan({ text, eol: eolOf(text) });
  if (isRefusal(plan)) return plan;
  const problem = spliceProblem(plan.splices, text.chars);
  if (problem !== undefined) return new Refusal("INVALID_ARGUMENT", problem);
  if (plan.splices.some(({ insert }) => insert.includes("\0"))) return nulRefusal();
  const own = normalize(plan.splices);
  const against = { seq: base.seq, text };
  if (since.length === 0) return { base: against, plan, splices: own, merged: stale, conflicts: [] };
  const { splices, overlaps } = rebase(own, since);
  return { base: against, plan, splices, merged: true, conflicts: overlaps };
}

function baseOf(document: Document, { version, sha256 }: EditRequest): Outcome<ChangeRecord> {
  if (version === undefined && sha256 === undefined) return document.head;
  const byVersion = version === undefined ? undefined : document.past.find(version);
  if (version !== undefined && byVersion === undefined)
    return staleRefusal(document, `${JSON.stringify(version)} is not a version of this document`);
  if (sha256 === undefined) return byVersion!;
  if (byVersion === undefined && digestNow(document.content) === sha256.toLowerCase()) return document.head;
  const byHash = document.past.findHash(sha256.toLowerCase());
  if (byVersion !== undefined && byVersion.sha256 !== undefined && byVersion.sha256 !== sha256.toLowerCase())
    return new Refusal("INVALID_ARGUMENT", "version and sha256 name different texts; give one of them");
  return byVersion ?? byHash ?? staleRefusal(document, "no recent version of this document has that sha256");
}

function undoRefusal(document: Document, { id, seq }: ChangeRecord, { base, conflicts }: Resolved): Refusal {
  const lines = [...new Set(conflicts.map(({ ours }) => base.text.lineAt(ours.from)))];
  const before = document.past.change(seq - 1);
  return new Refusal(
    "CONFLICT",
    `later edits changed what ${id} changed (lines ${lines.join(", ")} of its version); nothing was undone`,
    {
      suggestion:
        "Undo the later edits first, or restore the version before it with history.restore, which takes back all that came after, too.",
      details: { lines, ...(before && { restore: { path: document.path, version: versionOf(before) } }) },
    },
  );
}

function staleRefusal(document: Document, message: string): Refusal {
  return new Refusal("STALE_VERSION", `${message}; it is now ${document.version}`, {
    suggestion: "Read the document again and make the edit against that version.",
    details: {
      version: document.version,
      sha256: digestNow(document.content) ?? null,
    },
  });
}

function unchanged(document: Document, request: EditRequest, resolved: Resolved): EditResult {
  const { path, version, text } = document;
  return {
    changeId: null,
    path,
    version,
    sha256: digestNow(document.content) ?? null,
    summary: `nothing to change (${request.kind}, version=${version})`,
    splices: [],
    durable: true,
    mirrored: document.pendingWrites === 0,
    merged: resolved.merged,
    conflicts: resolved.conflicts,
    ...(resolved.plan.applied && { applied: resolved.plan.applied }),
    before: text,
    base: resolved.base.text,
  };
}

/** A file that its owner made read-only is not written to, though its folder would let us replace it. */
function readOnlyRefusal(document: Document): Refusal | undefined {
  const mode = document.mirror.image?.mode;
  if (mode === undefined || (mode & 0o222) !== 0) return undefined;
  return new Refusal(
    "PERMISSION_DENIED",
    `${document.path} is read-only on disk (mode ${mode.toString(8)})`,
    {
      suggestion: "Ask the person to make it writable (chmod u+w).",
    },
  );
}

function summarize(kind: string, path: string, { plan, merged }: Resolved, change: ChangeRecord): string {
  const added = change.splices.reduce((sum, s) => sum + countChars(s.insert), 0);
  const removed = change.splices.reduce((sum, s) => sum + (s.to - s.from), 0);
  const size = [added > 0 ? `+${added}` : "", removed > 0 ? `-${removed}` : ""]
    .filter((part) => part !== "")
    .join(" ");
  const hunks = plan.applied === undefined ? "" : `Applied ${plan.applied.hunks} hunks to '${path}'; `;
  return `${hunks}applied: ${size} chars (${kind}, version=${versionOf(change)}${merged ? ", merged" : ""})`;
}

function sizeRefusal({ text }: Document, splices: readonly Splice[], limit: number): Refusal | undefined {
  const grown = splices.reduce(
    (sum, s) => sum + Buffer.byteLength(s.insert) - Buffer.byteLength(text.slice(s.from, s.to)),
    text.bytes,
  );
  if (grown <= limit || grown <= text.bytes) return undefined;
  return tooLargeRefusal(grown, limit);
}
