import type { Workspace } from "../../workspace/folder/workspace.ts";
import { breather } from "../base/breath.ts";
import { longer } from "../base/pause.ts";
import { includes, sizeOf, type Vector } from "../base/vector.ts";
import type { Carrier } from "../carrier/carrier.ts";
import type { Sealer } from "../members/sealer.ts";
import type { RecordExchange } from "../messages/record-exchange.ts";
import type { Applier } from "../receiving/apply.ts";
import type { Patience } from "../receiving/patience.ts";
import type { Places } from "../receiving/places.ts";
import { admit } from "../receiving/withheld.ts";
import type { Outbox } from "../sending/outbox.ts";
import {
  encodeHead,
  headName,
  makeSnapshot,
  partName,
  partNames,
  type SnapshotHead,
} from "../snapshots/snapshot.ts";
import { type LinkState, lacksSome } from "../state/link-state.ts";
import { SnapshotError, SnapshotReader, takeSnapshot } from "./newcomer.ts";

/** The messages after which a new snapshot is stored. */
const EVERY = 2_000;
/**
 * The first pause until a snapshot is tried again of which a document was set aside, and until another one is stored for
 * a machine that lacks changes; milliseconds.
 */
const AGAIN_MS = 20_000;
/** The time between two looks at the documents that a rule left out; milliseconds. */
const ADMIT_MS = 10_000;

interface KeeperParts {
  readonly workspace: Workspace;
  readonly carrier: Carrier;
  readonly sealer: Sealer;
  readonly state: LinkState;
  readonly applier: Applier;
  readonly places: Places;
  readonly records: RecordExchange;
  readonly outbox: Outbox;
  readonly patience: Patience;
  readonly signal: AbortSignal;
}

/** Stores snapshots at the carrier, and takes in those of others. */
export class SnapshotKeeper {
  readonly reader: SnapshotReader;
  readonly #parts: KeeperParts;
  #newest: Vector | undefined;
  /** True if the newest snapshot is another machine's, which lacked something. */
  #isPartial = false;
  /** The ids of the snapshots that this machine took in as a whole: they bring nothing more. */
  readonly #whole = new Set<string>();
  /** The snapshots that were taken in without something of theirs, by their ids, and the next try of each. */
  readonly #partial = new Map<string, { readonly pause: number; readonly until: number }>();
  /** The time of the next look at the documents that a rule left out. */
  #admitAt = 0;
  /** The time of the last snapshot that this machine stored, and the shortest time to the next for who lacks changes. */
  #storedAt = 0;
  #rest = AGAIN_MS;
  /** The result of `#gives` for that snapshot; undefined where the carrier may have lost it. */
  #given: string | undefined;
  /** The names of the parts of the newest snapshot that this machine stored. */
  #stored: readonly string[] = [];

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.reader = new SnapshotReader(parts.carrier, parts.sealer);
  }

  /** The number of this machine's newest message that a stored snapshot contains; 0 without any. */
  get covered(): number {
    return this.#newest?.[this.#parts.sealer.machine] ?? 0;
  }

  /** Returns true if a stored snapshot contains all of these messages. */
  contains(messages: Vector): boolean {
    return this.#newest !== undefined && includes(this.#newest, messages);
  }

  /**
   * Returns true once `EVERY` messages are newer than the newest snapshot, or without a snapshot. While another machine
   * `lacks` changes, one newer message is enough, after growing pauses, or that the newest snapshot is of another machine
   * that lacked something itself. This machine's last snapshot had none of what is new then.
   */
  isDue({ lacks }: { readonly lacks: boolean }): boolean {
    if (!lacks) this.#rest = AGAIN_MS;
    if (this.#newest === undefined) return true;
    const { received, next } = this.#parts.state.standing;
    const newer = sizeOf(received) + next - 1 - sizeOf(this.#newest);
    const isBetter = newer > 0 || this.#isPartial;
    if (newer >= EVERY) return true;
    return lacks && isBetter && this.#now() >= this.#storedAt + this.#rest && this.#gives() !== this.#given;
  }

  /**
   * Finds the newest readable snapshot of the carrier, whose memory may be another one, or older. Without one that has
   * everything, a snapshot of a machine that lacks nothing is due. @throws CarrierError
   */
  async look(): Promise<void> {
    this.#given = undefined;
    if (this.#newest === undefined) return;
    let head: SnapshotHead | undefined;
    try {
      head = await this.reader.head();
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error;
    }
    const lacksFiles = head?.isPartial === true && !this.#parts.state.isPartial;
    this.#keep(lacksFiles ? undefined : head);
  }

  /**
   * Takes in again, also from a snapshot that it knows, what a rule of this machine left out before. Sends what others
   * ignored before, if this machine may change it by now.
   */
  async admit(): Promise<void> {
    if (this.#now() < this.#admitAt) return;
    this.#admitAt = this.#now() + ADMIT_MS;
    const { state, outbox } = this.#parts;
    for (const { id, ignoredAt } of state.documents) if (ignoredAt !== undefined) outbox.mark(id);
    if (await admit(this.#parts)) this.#whole.clear();
  }

  /** Stores a snapshot of everything that this machine has. @throws CarrierError, StoreError */
  async store(): Promise<void> {
    const { workspace, carrier, sealer, state, records, outbox } = this.#parts;
    const { store, clock } = workspace.ports;
    const { machine } = sealer;
    const gives = this.#gives();
    const put = (name: string, bytes: Uint8Array) => carrier.put(name, sealer.seal(0, bytes));
    const having = { store, state, records, machine, now: clock.now(), breathe: breather(clock) };
    const head = await makeSnapshot(having, (part, id, bytes) => put(partName(id, part), bytes));
    // A number that a restart would use again must not reach others: the snapshot may have messages made just now.
    await state.save();
    outbox.own.published(head.vector[machine] ?? 0); // also those that the carrier does not have yet
    await put(headName(machine), encodeHead(head));
    this.#keep(head);
    this.#given = gives;
    this.#storedAt = this.#now();
    this.#rest = longer(this.#rest);
    // Another machine may be reading the snapshot before this one, so the parts of that snapshot stay until the next.
    const before = this.#stored;
    this.#stored = partNames(head);
    for (const name of before) await carrier.remove(name);
  }

  /** Takes in the newest snapshot, if there is any. @throws CarrierError, SnapshotError, NotNow, StoreError */
  async take(): Promise<SnapshotHead | undefined> {
    const head = await this.reader.head();
    if (head !== undefined) await this.#take(head);
    return head;
  }

  /**
   * Takes in a snapshot of another machine that contains the messages of `lacking`, unless it was taken in before. If a
   * document of it was set aside, that is tried again after growing pauses, and meanwhile the snapshots of other machines
   * are. @throws as `take`
   */
  async takeLacking(lacking: Vector): Promise<void> {
    const brings = ({ machine, id }: SnapshotHead) =>
      machine !== this.#parts.sealer.machine &&
      !this.#whole.has(id) &&
      this.#now() >= (this.#partial.get(id)?.until ?? 0);
    const head = await this.reader.head(lacking, brings);
    if (head !== undefined) await this.#take(head);
  }

  async #take(head: SnapshotHead): Promise<void> {
    const isWhole = await takeSnapshot(this.#parts, this.reader, head);
    this.#keep(head);
    const { id } = head;
    const before = this.#partial.get(id);
    this.#partial.delete(id);
    if (isWhole) this.#whole.add(id);
    else {
      const pause = before === undefined ? AGAIN_MS : longer(before.pause);
      this.#partial.set(id, { pause, until: this.#now() + pause });
    }
  }

  #keep(newest: SnapshotHead | undefined): void {
    this.#newest = newest?.vector;
    this.#isPartial = newest?.isPartial === true && newest.machine !== this.#parts.sealer.machine;
  }

  /** Returns what a snapshot of this machine would have for one that lacks changes, as text to compare. */
  #gives(): string {
    const { state, workspace } = this.#parts;
    const { received, next, lacks } = state.standing;
    const partial = [...state.documents]
      .filter(lacksSome)
      .map(({ id, lacks: { messages } = {}, withheld }) => {
        const [newest] = workspace.ports.store.changes(id, { limit: 1 });
        return { id, messages, withheld, seq: newest?.seq };
      });
    return JSON.stringify({ received, next, lacks, partial });
  }

  #now(): number {
    return this.#parts.workspace.ports.clock.elapsed();
  }
}
