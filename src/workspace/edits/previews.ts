import { createHash } from "node:crypto";
import { PREVIEWS } from "../../work/bounds.ts";
import { type Actor, tokenNameOf } from "../access/actor.ts";
import { Quota } from "../access/quota.ts";
import type { PreviewStatus } from "../events/events.ts";
import type { Workspace } from "../folder/workspace.ts";
import { type Outcome, Refusal } from "../outcome/refusal.ts";
import { type PreviewedFile, previewedFile } from "./preview-file.ts";
import type { EditRequest, EditResult, Ready, TogetherOptions } from "./request.ts";

/** Edits that were resolved and shown instead of made. */
export interface StoredPreview {
  readonly patchId: string;
  /** Names the exact texts that they were shown for. */
  readonly baseHash: string;
  /** Who asked for them; the changes are theirs, whoever applies them. */
  readonly author: Pick<Actor, "name" | "agent">;
  readonly files: readonly PreviewedFile[];
  /** What makes them: the shown splices against the shown version, or nothing. */
  readonly requests: readonly EditRequest[];
  readonly options: TogetherOptions;
  /** Why somebody has to look at them before they are made; undefined when that is not needed. */
  readonly confirm: string | undefined;
  /** Milliseconds since the epoch. */
  readonly made: number;
  /** After that it has to be shown again. */
  readonly expires: number;
}

interface Remembered {
  readonly shown: StoredPreview;
  /** The changes that it became. */
  applied?: readonly string[];
}

const EXPIRES_MS = 10 * 60 * 1000;
/** What a splice and a preview take beside their texts, in bytes. */
const SPLICE_BYTES = 32;
const PREVIEW_BYTES = 1024;

/** Remembers for a while what was shown, so that just that can be made. */
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
   * Remembers edits under a new id, and tells of those that have to be confirmed. The oldest previews of the same
   * token make room for them (I15); edits that are too large for that are refused.
   */
  show({ name, agent }: Actor, ready: readonly Ready[], options: TogetherOptions): Outcome<StoredPreview> {
    const files = ready.map(previewedFile);
    const reasons = ready.flatMap(({ resolved }) => resolved.plan.confirm ?? []);
    const made = this.#workspace.ports.clock.now();
    const shown: StoredPreview = {
      patchId: this.#workspace.newId("patch"),
      baseHash: hashOf(files.map(({ docId, version }) => [docId, version])),
      author: { name, agent },
      files,
      requests: ready.map(replay),
      options,
      confirm: reasons.length === 0 ? undefined : reasons.join("; "),
      made,
      expires: made + EXPIRES_MS,
    };
    const refusal = this.#makeRoom(shown);
    if (refusal !== undefined) return refusal;
    this.#remembered.set(shown.patchId, { shown });
    this.#tell(shown, "waiting", null);
    return shown;
  }

  /** Those that somebody has to confirm, newest first. */
  waiting(): StoredPreview[] {
    const now = this.#workspace.ports.clock.now();
    return [...this.#remembered.values()]
      .filter(
        ({ shown, applied }) => shown.confirm !== undefined && applied === undefined && shown.expires > now,
      )
      .map(({ shown }) => shown)
      .reverse();
  }

  /**
   * What is to be made when both tokens are those that were told; anything else has to be shown again. A preview with
   * a document that the actor may not read is answered as one that never was.
   */
  find({ rights }: Actor, patchId: string, baseHash: string): Outcome<StoredPreview> {
    const found = this.#find(patchId);
    if (found === undefined || !found.shown.files.every((file) => rights.allows(this.#pathOf(file), "read")))
      return previewMoved(
        `there is no preview ${JSON.stringify(patchId)}: it was never made, or has expired`,
      );
    if (found.shown.baseHash !== baseHash)
      return previewMoved(`base_hash is not that of ${patchId}; nothing was applied`);
    if (found.applied !== undefined)
      return previewMoved(`${patchId} was applied already`, { changeIds: found.applied });
    return found.shown;
  }

  /** Undefined when what was shown under an id is exactly what is about to be made. */
  mismatch(patchId: string, ready: readonly Ready[]): Refusal | undefined {
    const found = this.#find(patchId);
    if (
      found !== undefined &&
      found.applied === undefined &&
      same(found.shown.files, ready.map(previewedFile))
    )
      return undefined;
    return new Refusal("CONFLICT", "the document or the edit is not what was shown", {
      suggestion: "Send the edit without confirm to see it again.",
      details: { status: 409, version: ready[0]?.document.version },
    });
  }

  /** It was made, and is not made again. */
  applied(confirmer: Actor, patchId: string, made: readonly EditResult[]): void {
    const found = this.#remembered.get(patchId);
    if (found === undefined) return;
    found.applied = made.flatMap(({ changeId }) => changeId ?? []);
    this.#tell(found.shown, "applied", confirmer.name);
  }

  /** Each document's subscribers hear of what has to be confirmed. */
  #tell(
    { patchId, author, files, confirm }: StoredPreview,
    status: PreviewStatus,
    confirmer: string | null,
  ): void {
    if (confirm === undefined) return;
    const told = { patch_id: patchId, status, author: author.name, agent_id: author.agent, confirmer };
    for (const { path } of files) this.#workspace.emit({ type: "preview", path, ...told });
  }

  /** Where a document that was shown is by now. */
  #pathOf({ docId, path }: PreviewedFile): string {
    return this.#workspace.ports.store.document(docId)?.path ?? path;
  }

  #find(patchId: string): Remembered | undefined {
    const found = this.#remembered.get(patchId);
    return found !== undefined && found.shown.expires > this.#workspace.ports.clock.now() ? found : undefined;
  }

  /** Counts a new preview as its token's, in place of that token's oldest ones if need be; drops what has expired. */
  #makeRoom({ patchId, author, files, made }: StoredPreview): Refusal | undefined {
    const token = tokenNameOf(author.agent);
    const bytes = bytesOf(files);
    for (const [id, { shown }] of this.#remembered) {
      const isInTheWay = tokenNameOf(shown.author.agent) === token && bytes <= PREVIEWS.bytes;
      if (shown.expires > made && !(isInTheWay && this.#quota.refusal(token, patchId, bytes))) continue;
      this.#remembered.delete(id);
      this.#quota.release(id);
    }
    return this.#quota.admit(token, patchId, bytes);
  }
}

/** Refused because what would be made is not what was shown. */
export function previewMoved(message: string, details: Record<string, unknown> = {}): Refusal {
  return new Refusal("CONFLICT", message, {
    suggestion: "Call preview.create again, look at what it shows, and apply that.",
    details: { status: 409, ...details },
  });
}

function replay({ document, request, resolved }: Ready): EditRequest {
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

/** True when both do the same to the same versions of the same documents. */
function same(a: readonly PreviewedFile[], b: readonly PreviewedFile[]): boolean {
  return JSON.stringify(a.map(effectOf)) === JSON.stringify(b.map(effectOf));
}

function effectOf({ docId, version, splices }: PreviewedFile): unknown {
  return [docId, version, splices];
}

function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

/** What a preview takes in memory, roughly, in bytes. */
function bytesOf(files: readonly PreviewedFile[]): number {
  const splices = files.flatMap((file) => file.splices);
  const warnings = files.flatMap((file) => file.warnings);
  return (
    PREVIEW_BYTES +
    splices.reduce((sum, { insert }) => sum + Buffer.byteLength(insert) + SPLICE_BYTES, 0) +
    warnings.reduce((sum, warning) => sum + Buffer.byteLength(warning), 0)
  );
}
