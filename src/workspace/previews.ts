import { createHash } from "node:crypto";
import type { Splice } from "../text/splice.ts";
import type { TogetherOptions } from "./commit.ts";
import type { EditRequest, EditResult } from "./edit.ts";
import type { Ready } from "./prepare.ts";
import { type Outcome, Refusal } from "./refusal.ts";
import type { Version } from "./version.ts";
import type { Workspace } from "./workspace.ts";

/** Edits that were resolved and shown instead of made. */
export interface Shown {
  readonly patchId: string;
  /** Names the exact texts that they were shown for. */
  readonly baseHash: string;
  /** What makes them: the shown splices against the shown version, or nothing. */
  readonly requests: readonly EditRequest[];
  readonly options: TogetherOptions;
  /** Why somebody has to look at them before they are made; undefined when that is not needed. */
  readonly confirm: string | undefined;
  /** Milliseconds since the epoch; after that it has to be shown again. */
  readonly expires: number;
}

interface Remembered {
  readonly shown: Shown;
  readonly effect: Effect;
  readonly weight: number;
  /** The changes that it became. */
  applied?: readonly string[];
}

/** What edits do to which versions of which documents. */
type Effect = readonly (readonly [docId: string, version: Version, splices: readonly Splice[]])[];

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

  /** Remembers edits under a new id. */
  show(ready: readonly Ready[], options: TogetherOptions): Shown {
    const patchId = this.#workspace.newId("patch");
    const effect = effectOf(ready);
    const reasons = ready.flatMap(({ resolved }) => resolved.plan.confirm ?? []);
    const shown: Shown = {
      patchId,
      baseHash: hashOf(effect.map(([docId, version]) => [docId, version])),
      requests: ready.map(replay),
      options,
      confirm: reasons.length === 0 ? undefined : reasons.join("; "),
      expires: this.#workspace.ports.clock.now() + EXPIRES_MS,
    };
    const weight = weightOf(effect);
    this.#remembered.set(patchId, { shown, effect, weight });
    this.#weight += weight;
    this.#forget();
    return shown;
  }

  /** What is to be made when both tokens are those that were told; anything else has to be shown again. */
  find(patchId: string, baseHash: string): Outcome<Shown> {
    const found = this.#find(patchId);
    if (found === undefined)
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
    if (found !== undefined && found.applied === undefined && same(found.effect, effectOf(ready)))
      return undefined;
    return new Refusal("CONFLICT", "the document or the edit is not what was shown", {
      suggestion: "Send the edit without confirm to see it again.",
      details: { status: 409, version: ready[0]?.document.version },
    });
  }

  /** It was made, and is not made again. */
  applied(patchId: string, made: readonly EditResult[]): void {
    const found = this.#remembered.get(patchId);
    if (found !== undefined) found.applied = made.flatMap(({ changeId }) => changeId ?? []);
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

function effectOf(ready: readonly Ready[]): Effect {
  return ready.map(({ document, resolved }) => [document.id, document.version, resolved.splices]);
}

function same(a: Effect, b: Effect): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

/** Roughly what an effect takes in memory, in characters. */
function weightOf(effect: Effect): number {
  const splices = effect.flatMap(([, , splices]) => splices);
  return splices.reduce((sum, { insert }) => sum + insert.length + SPLICE_WEIGHT, 0);
}
