import { createHash } from "node:crypto";
import type { Actor } from "./actor.ts";
import type { TogetherOptions } from "./commit.ts";
import type { EditRequest, EditResult } from "./edit.ts";
import type { Ready } from "./prepare.ts";
import { type Outcome, Refusal } from "./refusal.ts";
import { type ShownFile, shownFile } from "./shown-file.ts";
import type { Workspace } from "./workspace.ts";

/** Edits that were resolved and shown instead of made. */
export interface Shown {
  readonly patchId: string;
  /** Names the exact texts that they were shown for. */
  readonly baseHash: string;
  /** Who asked for them; the changes are theirs, whoever applies them. */
  readonly author: Pick<Actor, "name" | "agent">;
  readonly files: readonly ShownFile[];
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

/** What is told of a preview that somebody has to confirm. */
export type PreviewStatus = "waiting" | "applied";

interface Remembered {
  readonly shown: Shown;
  readonly weight: number;
  /** The changes that it became. */
  applied?: readonly string[];
}

const EXPIRES_MS = 10 * 60 * 1000;
/** How many are remembered, and of what weight together; the oldest go first (I15). */
const KEPT = 500;
const KEPT_WEIGHT = 32 << 20;
/** Of a splice beside the characters that it inserts. */
const SPLICE_WEIGHT = 32;

/** Remembers for a while what was shown, so that just that can be made. */
export class Previews {
  readonly #workspace: Workspace;
  readonly #remembered = new Map<string, Remembered>();
  #weight = 0;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Remembers edits under a new id, and tells of those that have to be confirmed. */
  show({ name, agent }: Actor, ready: readonly Ready[], options: TogetherOptions): Shown {
    const files = ready.map(shownFile);
    const reasons = ready.flatMap(({ resolved }) => resolved.plan.confirm ?? []);
    const made = this.#workspace.ports.clock.now();
    const shown: Shown = {
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
    const weight = weightOf(files);
    this.#remembered.set(shown.patchId, { shown, weight });
    this.#weight += weight;
    this.#forget();
    this.#tell(shown, "waiting", null);
    return shown;
  }

  /** Those that somebody has to confirm, newest first. */
  waiting(): Shown[] {
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
  find({ rights }: Actor, patchId: string, baseHash: string): Outcome<Shown> {
    const found = this.#find(patchId);
    if (found === undefined || !found.shown.files.every((file) => rights.allows(this.#pathOf(file), "read")))
      return moved(`there is no preview ${JSON.stringify(patchId)}: it was never made, or has expired`);
    if (found.shown.baseHash !== baseHash)
      return moved(`base_hash is not that of ${patchId}; nothing was applied`);
    if (found.applied !== undefined)
      return moved(`${patchId} was applied already`, { changeIds: found.applied });
    return found.shown;
  }

  /** Undefined when what was shown under an id is exactly what is about to be made. */
  mismatch(patchId: string, ready: readonly Ready[]): Refusal | undefined {
    const found = this.#find(patchId);
    if (found !== undefined && found.applied === undefined && same(found.shown.files, ready.map(shownFile)))
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
  #tell({ patchId, author, files, confirm }: Shown, status: PreviewStatus, confirmer: string | null): void {
    if (confirm === undefined) return;
    const told = { patch_id: patchId, status, author: author.name, agent_id: author.agent, confirmer };
    for (const { path } of files) this.#workspace.tell({ type: "preview", path, ...told });
  }

  /** Where a document that was shown is by now. */
  #pathOf({ docId, path }: ShownFile): string {
    return this.#workspace.ports.store.document(docId)?.path ?? path;
  }

  #find(patchId: string): Remembered | undefined {
    const found = this.#remembered.get(patchId);
    return found !== undefined && found.shown.expires > this.#workspace.ports.clock.now() ? found : undefined;
  }

  #forget(): void {
    const now = this.#workspace.ports.clock.now();
    for (const [id, { shown, weight }] of this.#remembered) {
      const tooMany = this.#remembered.size > KEPT || this.#weight > KEPT_WEIGHT;
      if (shown.expires > now && !tooMany) return;
      this.#remembered.delete(id);
      this.#weight -= weight;
    }
  }
}

/** Refused because what would be made is not what was shown. */
export function moved(message: string, details: Record<string, unknown> = {}): Refusal {
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
function same(a: readonly ShownFile[], b: readonly ShownFile[]): boolean {
  return JSON.stringify(a.map(effectOf)) === JSON.stringify(b.map(effectOf));
}

function effectOf({ docId, version, splices }: ShownFile): unknown {
  return [docId, version, splices];
}

function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

/** Roughly what it takes in memory, in characters. */
function weightOf(files: readonly ShownFile[]): number {
  const splices = files.flatMap((file) => file.splices);
  return splices.reduce((sum, { insert }) => sum + insert.length + SPLICE_WEIGHT, 0);
}
