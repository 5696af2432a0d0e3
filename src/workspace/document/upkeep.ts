import { setImmediate } from "node:timers/promises";
import type { Mirror } from "../../mirror/mirror.ts";
import type { ChangeRecord, Seq } from "../../store/store.ts";
import { PAUSE_MS, runsOf } from "../journal/runs.ts";
import type { Context } from "./context.ts";
import type { DocumentState } from "./document-state.ts";

/** The time without edits after which the daemon syncs a file, and its interval during edits; milliseconds. */
const SYNC_REST_MS = 1_000;
const SYNC_EVERY_MS = 5_000;

/**
 * The most changes, and UTF-16 units of text, to fold at once. A document in use is folded, too, once it has this many
 * changes.
 */
const MOST_FOLDED = 4096;
const MOST_CHARS = 1 << 18;
/** The changes that are read before other requests continue (I14). */
const READ_AT_ONCE = 500;
/** The number of changes from which a fold is worthwhile even if no two of them become one. */
const WORTH_FOLDING = 64;

/** The options of a fold of the journal. */
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
  /** The newest change at the last look, and the elapsed time when it was new. */
  #newest = { seq: -1, since: 0 };
  /** The newest change when nothing was worth folding. */
  #lookedAt = -1;

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
   * needs the journal to find the content of the file.
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
   * Folds the journal into the snapshot when it has outgrown it, which a document at rest does sooner. `leaving`: the
   * document is about to be dropped, so it also drops changes older than `keepMs`, unless that is 0. A fold removes
   * stored changes from the journal, so a change on its way into the store postpones it to the next time.
   */
  async compact({ leaving, keepMs = this.#context.limits.keepHistoryMs }: Compaction): Promise<void> {
    const state = this.#state;
    const { journal, versions, record } = state;
    if (!this.restful || journal.failure) return;
    const keepFrom = () => (leaving && keepMs > 0 ? this.#context.keepFrom(state.id, keepMs) : 0);
    const dropsHistory = keepFrom() > versions.oldest.seq;
    if (!journal.outgrown(leaving || this.#rests) && !dropsHistory) return;
    await journal.durable;
    await this.sync();
    if (state.closed !== undefined || !this.restful || record.current.synced !== state.head.seq) return;
    if (!journal.kept) return;
    if (this.#context.linked()?.isTold(state.id) === false) return;
    const { seq } = state.head;
    // Edits that other machines made meanwhile build on operations that a shallow snapshot would lack.
    const shallow = keepMs > 0 && this.#context.linked() === undefined;
    // A proposal or a message made meanwhile may need older changes.
    await journal.fold(seq, state.replicas.save({ shallow, edits: seq }), keepFrom());
  }

  /**
   * Folds the history once it rests: small edits of one author that touch one another become one entry. A document in
   * use is folded only once it has many changes. A power cut can turn the file back to a version that was not synced.
   * The daemon recognizes that version by its hash, so its change stays as it is.
   */
  async fold(): Promise<void> {
    const { id, record, journal, versions, head, closed } = this.#state;
    const last = Math.min(record.synced, head.seq);
    const isDue = this.#rests
      ? last === head.seq && this.#lookedAt !== last
      : last - versions.folded > MOST_FOLDED;
    if (!isDue || closed !== undefined || journal.failure !== undefined) return;
    await journal.durable;
    const { changes, undone } = await this.#unfolded(last);
    const isAll = changes.at(-1)?.seq === last && last === head.seq;
    const found = runsOf(changes, undone);
    const runs = isAll ? found : found.slice(0, -1); // the last run may go on
    if (isAll) this.#lookedAt = last;
    const size = runs.reduce((sum, run) => sum + run.length, 0);
    if (runs.length === size && size < WORTH_FOLDING) return;
    await this.#context.ports.store.fold(id, runs);
    versions.wasFolded(runs.at(-1)!.at(-1)!.seq);
  }

  /** True a while after the newest change. */
  get #rests(): boolean {
    const { seq } = this.#state.head;
    const now = this.#context.ports.clock.elapsed();
    if (seq !== this.#newest.seq) this.#newest = { seq, since: now };
    return now - this.#newest.since >= PAUSE_MS;
  }

  /** Returns the oldest unfolded changes up to `last`, and the ids of the changes that any unfolded one undoes. */
  async #unfolded(
    last: Seq,
  ): Promise<{ readonly changes: readonly ChangeRecord[]; readonly undone: ReadonlySet<string> }> {
    const changes: ChangeRecord[] = [];
    const undone = new Set<string>();
    let left = MOST_CHARS;
    for (let after = -1; ; await setImmediate()) {
      const page = this.#context.ports.store.unfolded(this.#state.id, after, READ_AT_ONCE);
      for (const change of page) {
        for (const id of [change.undoes ?? [], change.alsoUndoes ?? []].flat()) undone.add(id);
        if (change.seq > last || changes.length === MOST_FOLDED || left < 0) continue;
        changes.push(change);
        left -= charsOf(change);
      }
      if (page.length < READ_AT_ONCE) return { changes, undone };
      after = page.at(-1)!.seq;
    }
  }

  #writeAgain(): void {
    const { record, head } = this.#state;
    record.update({ landed: Math.min(record.current.landed, head.seq - 1) });
    this.#mirror.push();
  }
}

function charsOf({ splices, removed }: ChangeRecord): number {
  const sum = (all: number, text: string) => all + text.length;
  return removed.reduce(sum, splices.map(({ insert }) => insert).reduce(sum, 0));
}
