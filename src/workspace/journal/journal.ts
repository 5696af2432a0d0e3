import type { Saved } from "../../doc/replica.ts";
import { type JournalEntry, type Seq, type SnapshotRecord, StoreError } from "../../store/store.ts";
import type { Ports } from "../ports.ts";
import type { Failure } from "./change.ts";
import { JournalTransaction } from "./journal-transaction.ts";

/** The bytes by which a journal may exceed four snapshots before it is folded while the document is in use. */
const SLACK_BYTES = 4 << 20;

/** Owns the journal of one document: appends its changes to the store, and knows which are durable. */
export class Journal {
  readonly #ports: Pick<Ports, "store" | "reached">;
  readonly #id: string;
  readonly #onFailure: (failure: Failure) => void;
  #durable: Promise<void>;
  #settled: Promise<unknown>;
  #failure: Failure | undefined;
  #snapshotBytes: number;
  #bytes = 0;
  #underWay = 0;
  #group: JournalTransaction | undefined;

  constructor(
    ports: Pick<Ports, "store" | "reached">,
    id: string,
    start: { readonly durable: Promise<void>; readonly snapshotBytes: number },
    onFailure: (failure: Failure) => void,
  ) {
    this.#ports = ports;
    this.#id = id;
    this.#onFailure = onFailure;
    this.#durable = start.durable;
    this.#settled = start.durable.catch(() => undefined);
    this.#snapshotBytes = start.snapshotBytes;
    this.#watch(start.durable, 0);
  }

  /** Resolves once every change appended so far is durable; rejects when the store refused any of them. */
  get durable(): Promise<void> {
    return this.#durable;
  }

  /** True when every change appended so far is durable. */
  get kept(): boolean {
    return this.#underWay === 0 && this.#failure === undefined;
  }

  /** Resolves once the store is done with every change appended so far, with or without success. */
  get settled(): Promise<unknown> {
    return this.#settled;
  }

  /** Set once the store refused a change, or after a defect: no later change is durable. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  /**
   * Appends a change, which is durable only if all earlier ones are. Changes appended before the next turn of the event
   * loop are stored together or not at all. So are those of other documents in `transaction`.
   */
  append(entry: JournalEntry, transaction?: JournalTransaction): Promise<void> {
    const { memory, disk } = entry.updates;
    this.#bytes += (memory?.length ?? 0) + (disk?.length ?? 0);
    this.#group = transaction ?? (this.#group?.open ? this.#group : new JournalTransaction(this.#ports));
    this.#durable = this.#group.add(this.#id, entry, this.#durable);
    const before = this.#settled;
    this.#settled = this.#durable.then(
      () => before,
      () => before,
    );
    this.#watch(this.#durable, entry.change.seq);
    return this.#durable;
  }

  /** Fails the journal from change `seq` on; ignores every failure after the first. */
  fail(seq: Seq, error: unknown): void {
    if (this.#failure !== undefined) return;
    const reason = error instanceof StoreError ? error : new StoreError("failed", String(error));
    this.#failure = { seq, error: reason };
    this.#onFailure(this.#failure);
  }

  /** Returns true when the journal has outgrown its snapshot by enough to fold it (I15); sooner for one at rest. */
  outgrown(atRest: boolean): boolean {
    return this.#bytes > (atRest ? this.#snapshotBytes / 2 : this.#snapshotBytes * 4 + SLACK_BYTES);
  }

  /** Replaces snapshot and journal by one snapshot, and drops the history before change `keepFrom`. */
  async fold(seq: Seq, saved: Saved, keepFrom: Seq): Promise<void> {
    const snapshot: SnapshotRecord = { seq, ...saved };
    this.#snapshotBytes = saved.bytes.length;
    this.#bytes = 0;
    await this.#ports.store.compact(this.#id, snapshot, keepFrom);
  }

  #watch(durable: Promise<void>, seq: Seq): void {
    this.#underWay++;
    durable
      .catch((error: unknown) => this.fail(seq, error))
      .finally(() => {
        this.#underWay--;
      });
  }
}
