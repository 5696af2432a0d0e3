import { type Shelved, shelfOf } from "../../store/shelf.ts";
import { type ChangeRecord, storeFailure } from "../../store/store.ts";
import type { Actor } from "../access/actor.ts";
import { FULL_RIGHTS } from "../access/rights.ts";
import type { Document } from "../document/document.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { storeRefusal } from "../outcome/refusals.ts";
import { digest } from "../versions/digest.ts";
import { type Aside, type FileStep, type PlacedStep, placedSteps } from "./file-steps.ts";
import { GuardedWorkspace } from "./guarded-workspace.ts";
import type { Workspace } from "./workspace.ts";

/** A step that was made, and its change in the history of its document. */
export interface DoneStep {
  readonly step: FileStep;
  readonly document: Document;
  readonly change: ChangeRecord;
}

/** A step as the store has it while its batch is under way. */
interface StoredStep {
  readonly do: (FileStep | Aside)["do"];
  readonly path: string;
  readonly docId?: string;
  readonly to?: string;
  readonly via?: string;
  /** The hash of a new file. */
  readonly sha256?: string;
}

/** A batch that has not ended: a restart takes its steps back. */
interface BatchUnderWay extends Pick<Actor, "name" | "agent"> {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly steps: readonly StoredStep[];
}

const stepShelf = shelfOf<BatchUnderWay>("steps");

/** The result of a batch; `at` is the index of the refused step, absent where `finish` was refused. */
export type FileBatchResult<T> = { readonly made: T } | { readonly refused: Refusal; readonly at?: number };

/** The newest changes of a document among which that of a step is looked for. */
const NEWEST = 50;
/** The kernel's clock of files may lag behind the daemon's by as much. */
const CLOCK_SLACK_MS = 50;

/**
 * Makes changes of several files as one (I13). The store knows the steps of a batch before the first is made, until the
 * batch has ended. So a batch that is refused or cut off, also by a crash, is taken back.
 */
export class FileBatches {
  readonly #workspace: Workspace;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /**
   * Makes the steps, then calls `finish`, which makes the rest of the batch. It must store `ended` together with that:
   * from then on nothing is taken back.
   */
  async run<T>(
    actor: Actor,
    steps: readonly FileStep[],
    finish: (done: readonly DoneStep[], ended: readonly Shelved[]) => Promise<Outcome<T>>,
  ): Promise<FileBatchResult<T>> {
    if (steps.length === 0) return resultOf(await finish([], []));
    const { id } = steps[0]!.cause.batch;
    const placed = placedSteps(steps, id);
    const batch = await this.#underWay(actor, id, placed);
    const failure = await storeFailure(this.#store.shelve({ shelf: stepShelf, id: batch.id, record: batch }));
    if (failure !== undefined) return { refused: storeRefusal(failure) };
    const done: DoneStep[] = [];
    try {
      for (const [count, { index: at, step }] of placed.entries()) {
        const made = await (step.do === "aside" ? this.#putAside(actor, step) : this.#make(actor, step));
        if (isRefusal(made)) return { refused: await this.#abandon(batch, count, made), at };
        if (made !== undefined) done.push(made);
        this.#workspace.ports.reached("stepped");
      }
      const finished = await finish(done, [{ shelf: stepShelf, id: batch.id, record: null }]);
      return isRefusal(finished)
        ? { refused: await this.#abandon(batch, placed.length, finished) }
        : { made: finished };
    } catch (error) {
      await this.#takeBack(batch, placed.length);
      throw error;
    }
  }

  /** Rolls back every batch that an earlier process began and did not end. */
  async recover(): Promise<void> {
    for (const batch of [...this.#store.shelf(stepShelf)]) {
      const left = await this.#takeBack(batch, batch.steps.length);
      const failed = left.map(({ path, refusal: { code } }) => ({ path, code }));
      this.#workspace.ports.report("batch.taken_back", { batchId: batch.id, failed });
    }
  }

  async #underWay({ name, agent }: Actor, id: string, placed: readonly PlacedStep[]): Promise<BatchUnderWay> {
    const stored: StoredStep[] = [];
    for (const { step } of placed) {
      const { do: what, path } = step;
      if (what === "create") stored.push({ do: what, path, sha256: await digest(step.content) });
      else if (what === "rename" || what === "aside") {
        const { docId, to } = step;
        stored.push({ do: what, path, docId, to, ...("via" in step && { via: step.via }) });
      } else stored.push({ do: what, path, docId: step.docId });
    }
    return {
      id,
      name,
      agent,
      time: this.#workspace.ports.clock.now(),
      steps: stored,
    };
  }

  async #make(actor: Actor, step: FileStep): Promise<Outcome<DoneStep>> {
    const guarded = new GuardedWorkspace(this.#workspace, actor, "write");
    const { path, cause } = step;
    if (step.do === "create") {
      const document = await guarded.create(path, step.content, cause);
      return isRefusal(document) ? document : doneOf(step, document);
    }
    const document = (await guarded.openedById(step.docId)) ?? gone(path);
    if (isRefusal(document)) return document;
    if (document.id !== step.docId) return gone(path);
    const made = await this.#change(guarded, step, document);
    return isRefusal(made) ? made : doneOf(step, document);
  }

  async #change(
    guarded: GuardedWorkspace,
    step: Exclude<FileStep, { do: "create" }>,
    document: Document,
  ): Promise<Outcome<unknown>> {
    switch (step.do) {
      case "remove":
        if (document.deleted) return gone(step.path);
        return guarded.remove(document, step.cause, step.check);
      case "restore":
        return guarded.restore(document.path, step.cause);
      case "rename":
        if (document.deleted) return gone(step.path);
        return guarded.rename(
          document,
          step.to,
          step.cause,
          step.via === undefined ? {} : { from: step.path },
        );
    }
  }

  /** Renames a file for the time of the batch, which its history does not name. */
  async #putAside(actor: Actor, { docId, path, to }: Aside): Promise<Outcome<undefined>> {
    const guarded = new GuardedWorkspace(this.#workspace, actor, "write");
    const document = (await guarded.openedById(docId)) ?? gone(path);
    if (isRefusal(document)) return document;
    if (document.deleted || document.id !== docId) return gone(path);
    const refused = guarded.unwritable(document);
    const made = refused ?? (await this.#workspace.rename(actor, document, to, undefined, { isAside: true }));
    return isRefusal(made) ? made : undefined;
  }

  /** Rolls the first `count` steps back; returns the refusal with the steps that it could not roll back. */
  async #abandon(batch: BatchUnderWay, count: number, refusal: Refusal): Promise<Refusal> {
    const left = await this.#takeBack(batch, count);
    if (left.length === 0) return refusal;
    const { code, message, suggestion, details } = refusal;
    const named = left.map(({ path, refusal: { message: why } }) => `${path} (${why})`).join(", ");
    return new Refusal(code, `${message}; the daemon could not take back ${named}`, {
      ...(suggestion !== undefined && { suggestion }),
      details,
    });
  }

  async #takeBack(
    batch: BatchUnderWay,
    count: number,
  ): Promise<readonly { readonly path: string; readonly refusal: Refusal }[]> {
    const { name, agent } = batch;
    const guarded = new GuardedWorkspace(this.#workspace, { name, agent, rights: FULL_RIGHTS }, "write");
    const left: { path: string; refusal: Refusal }[] = [];
    for (const step of batch.steps.slice(0, count).reverse()) {
      const taken = await this.#reverse(guarded, batch, step);
      if (isRefusal(taken)) left.push({ path: step.path, refusal: taken });
    }
    const failure = await storeFailure(this.#store.shelve({ shelf: stepShelf, id: batch.id, record: null }));
    if (failure !== undefined)
      this.#workspace.ports.report("batch.not_ended", { batchId: batch.id, reason: failure.message });
    return left;
  }

  /** Rolls one step back; does nothing for a step that was not made. */
  async #reverse(
    guarded: GuardedWorkspace,
    batch: BatchUnderWay,
    step: StoredStep,
  ): Promise<Outcome<unknown>> {
    const document = await (step.docId === undefined
      ? guarded.opened(step.path)
      : guarded.openedById(step.docId));
    if (document === undefined) return undefined;
    if (!isRefusal(document) && step.docId !== undefined && document.id !== step.docId)
      return gone(step.path);
    if (isRefusal(document))
      return step.do === "create" && document.code === "NOT_FOUND" ? undefined : document;
    const change = changeOf(document, batch.id);
    const cause = change && { undoes: change.id };
    switch (step.do) {
      case "create": {
        if (document.deleted || (change === undefined && !isBornSince(document, batch))) return undefined;
        const { version } = document;
        const isAsMade = (await digest(document.content)) === step.sha256;
        const changed = new Refusal("CONFLICT", `${step.path} was changed since it was created`);
        if (!isAsMade) return change && changed;
        return guarded.remove(document, cause, (now) => (now.version === version ? undefined : changed));
      }
      case "restore":
        return document.deleted || change === undefined ? undefined : guarded.remove(document, cause);
      case "remove":
        if (!document.deleted || (change === undefined && !this.#isDeletedSince(document, batch)))
          return undefined;
        return guarded.restore(document.path, cause);
      case "rename":
        return document.path === step.to ? guarded.rename(document, step.via ?? step.path, cause) : undefined;
      case "aside": {
        const isAside = document.head.file?.kind !== "rename";
        return document.path === step.to
          ? guarded.rename(document, step.path, isAside ? undefined : cause, { isAside })
          : undefined;
      }
    }
  }

  /** True for a document whose deletion was noticed since a batch began; a crash may leave its record without its event. */
  #isDeletedSince({ id, head }: Document, { time }: BatchUnderWay): boolean {
    const noticed = this.#store.document(id)?.deletedAt;
    return (noticed !== undefined && noticed >= time) || (head.file?.kind === "delete" && head.time >= time);
  }

  get #store() {
    return this.#workspace.ports.store;
  }
}

function resultOf<T>(outcome: Outcome<T>): FileBatchResult<T> {
  return isRefusal(outcome) ? { refused: outcome } : { made: outcome };
}

function doneOf(step: FileStep, document: Document): DoneStep {
  const change = changeOf(document, step.cause.batch.id) ?? document.head;
  return { step, document, change };
}

/** Returns the newest event of a document's file that a batch made. */
function changeOf({ head, versions }: Document, batchId: string): ChangeRecord | undefined {
  for (let { seq } = head; seq >= Math.max(0, head.seq - NEWEST); seq--) {
    const change = versions.change(seq);
    if (change?.file !== undefined && change.batch?.id === batchId) return change;
  }
  return undefined;
}

/** True for a document of a file that appeared since a batch began, if its step was cut off by a crash. */
function isBornSince({ head, mirror: { image } }: Document, { time }: BatchUnderWay): boolean {
  return head.seq === 0 && image !== undefined && image.ctimeNs >= BigInt(time - CLOCK_SLACK_MS) * 1_000_000n;
}

function gone(path: string): Refusal {
  return new Refusal("DELETED", `${path} is deleted`, { suggestion: "doc.restore restores it." });
}
