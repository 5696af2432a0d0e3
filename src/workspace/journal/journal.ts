import type { Saved } from "../../doc/replica.ts";
import { updateSize } from "../../store/size.ts";
import {
  type DocumentRecord,
  type JournalEntry,
  type Seq,
  type SnapshotRecord,
  StoreError,
  type UpdateRecord,
} from "../../store/store.ts";
import type { Ports } from "../ports.ts";
import type { CommitOptions, DocumentParts, Failure } from "./change.ts";
import { JournalTransaction } from "./journal-transaction.ts";

/** The bytes by which a journal may exceed four snapshots before it is folded while the document is in use. */
const SLACK_BYTES = 4 << 20;

export interface AppendOptions extends Pick<CommitOptions, "records"> {
  readonly transaction?: JournalTransaction | undefined;
  readonly waits?: boolean;
  /**
   * Returns the record of the document's file, to be stored with the change; undefined for none. `isKept`: the store has
   * every change of the document once it has this one.
   */
  readonly record?: ((isKept: boolean) => DocumentRecord | undefined) | undefined;
}

/** Owns the journal of one document: appends its changes to the store, and knows which are durable. */
export class Journal {
  readonly #ports: Pick<Ports, "store" | "reached">;
  readonly #id: string;
  readonly #onFailure: (failure: Failure) => void;
  readonly #seal: () => void;
  #durable: Promise<void>;
  #settled: Promise<unknown>;
  #failure: Failure | undefined;
  #snapshotBytes: number;
  #bytes: number;
  #underWay = 0;
  #group: JournalTransaction | undefined;

  /** `seal` completes the entries of joined edits, before the store gets them. */
  constructor(
    ports: Pick<Ports, "store" | "reached">,
    id: string,
    start: Pick<DocumentParts, "durable" | "snapshotBytes" | "journalBytes">,
    { onFailure, seal }: { readonly onFailure: (failure: Failure) => void; readonly seal: () => void },
  ) {
    this.#ports = ports;
    this.#id = id;
    this.#onFailure = onFailure;
    this.#seal = seal;
    this.#durable = start.durable;
    this.#settled = start.durable.catch(() => undefined);
    this.#snapshotBytes = start.snapshotBytes;
    this.#bytes = start.journalBytes;
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
   * Appends a change, which is durable only if all earlier ones are. Changes appended until the journal begins to store
   * them are stored together or not at all. So are the changes of other documents in `transaction`. A change that
   * `waits` may be stored with all changes that are appended in this turn of the event loop.
   */
  append(entry: JournalEntry, { transaction, waits = false, record }: AppendOptions = {}): Promise<void> {
    if (this.#failure !== undefined) return this.#refuse(this.#failure, transaction);
    if (transaction !== undefined && transaction !== this.#group) this.begin();
    this.#group = transaction ?? (this.#group?.open ? this.#group : new JournalTransaction(this.#ports));
    const present = record && (() => record(this.#underWay === 1 && this.#failure === undefined));
    const joining = { seal: this.#seal, waits, record: present };
    const durable = this.#group.add(this.#id, entry, this.#durable, joining);
    if (durable === this.#durable) return durable; // a change of the same group waits for it already
    this.#durable = durable;
    const before = this.#settled;
    this.#settled = durable.then(
      () => before,
      () => before,
    );
    this.#watch(durable, entry.change.seq);
    return durable;
  }

  /** Begins to store every change appended so far; later writes to the store come after them. */
  begin(): void {
    this.#group?.begin();
  }

  /** Notes the size of an update on its way into the journal. */
  grew(updates: UpdateRecord): void {
    this.#bytes += updateSize(updates);
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
    const folded = this.#bytes;
    await this.#ports.store.compact(this.#id, snapshot, keepFrom);
    this.#snapshotBytes = saved.bytes.length;
    this.#bytes -= folded;
  }

  /** The store gets no change after a failure: a change with the number of the first refused one would count as sound. */
  #refuse({ seq, error }: Failure, transaction: JournalTransaction | undefined): Promise<void> {
    transaction?.abandon(error);
    this.#durable = Promise.reject(error);
    this.#watch(this.#durable, seq);
    return this.#durable;
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
