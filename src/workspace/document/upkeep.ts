import type { Mirror } from "../../mirror/mirror.ts";
import type { Context } from "./context.ts";
import type { DocumentState } from "./document-state.ts";

/** The time without edits after which the daemon syncs a file, and its interval during edits; milliseconds. */
const SYNC_REST_MS = 1_000;
const SYNC_EVERY_MS = 5_000;

/** How a journal is folded. */
export interface Compaction {
  readonly leaving: boolean;
  readonly keepMs?: number;
}

/** Owns a document's upkeep: its file outlasts a power cut, its journal stays short (I15). No edit waits for either. */
export class Upkeep {
  readonly #context: Context;
  readonly #state: DocumentState;
  readonly #mirror: Mirror;
  #syncedAt = Number.NEGATIVE_INFINITY;

  constructor(context: Context, state: DocumentState, mirror: Mirror) {
    this.#context = context;
    this.#state = state;
    this.#mirror = mirror;
  }

  /** True when nothing is under way and nothing would be lost by dropping the document. */
  get restful(): boolean {
    const { unwritten, behind } = this.#state;
    return unwritten.length === 0 && !behind && this.#mirror.idle && this.#mirror.problem === undefined;
  }

  /**
   * Syncs the file, if the daemon wrote it since the last sync, so that it outlasts a power cut. Until then a restart
   * needs the journal to find out what the file contains.
   */
  async sync(): Promise<void> {
    const { record, journal, path } = this.#state;
    const { landed, synced = -1 } = record.current;
    if (landed <= synced || record.deleted || journal.failure || this.#mirror.problem) return;
    const { clock, files, reached, report } = this.#context.ports;
    this.#syncedAt = clock.elapsed();
    const problem = await files.sync(path);
    reached("synced");
    if (problem === undefined) return record.holds({ synced: landed }, journal.durable);
    report("mirror.sync_failed", { path, problem: problem.kind });
    // The system drops data that it could not write, so a second sync would succeed without it.
    if (problem.kind === "io") this.#writeAgain();
  }

  /** Returns true a while after the last edit, or after many edits. */
  isDue(lastUsed: number): boolean {
    const { landed, synced = -1 } = this.#state.record.current;
    const now = this.#context.ports.clock.elapsed();
    const [rested, since] = [now - lastUsed, now - this.#syncedAt];
    return landed > synced && since >= SYNC_REST_MS && (rested >= SYNC_REST_MS || since >= SYNC_EVERY_MS);
  }

  /**
   * Folds the journal into the snapshot when it has outgrown it. `leaving`: the document is about to be dropped, so it
   * also drops changes older than `keepMs`, unless that is 0.
   */
  async compact({ leaving, keepMs = this.#context.limits.keepHistoryMs }: Compaction): Promise<void> {
    const state = this.#state;
    const { journal, versions, record } = state;
    if (!this.restful || journal.failure) return;
    const keepFrom = leaving && keepMs > 0 ? this.#context.keepFrom(state.id, keepMs) : 0;
    const dropsHistory = keepFrom > 0 && keepFrom > versions.oldest.seq;
    if (!journal.outgrown(leaving) && !dropsHistory) return;
    await journal.durable;
    await this.sync();
    if (state.closed !== undefined || !this.restful || record.current.synced !== state.head.seq) return;
    await journal.fold(state.head.seq, state.save({ shallow: keepMs > 0 }), keepFrom);
  }

  #writeAgain(): void {
    const { record, head } = this.#state;
    record.update({ landed: Math.min(record.current.landed, head.seq - 1) });
    this.#mirror.push();
  }
}
