import { createHash } from "node:crypto";
import type { DocPath } from "../../mirror/path.ts";
import { levelIncludes } from "../../workspace/access/rights.ts";
import type {
  About,
  GivenRecord,
  RecordKind,
  SharedRecords,
  Telling,
} from "../../workspace/document/shared-records.ts";
import type { Workspace } from "../../workspace/folder/workspace.ts";
import type { Sealer } from "../members/sealer.ts";
import { GONE, type KnownRecord, recordKey } from "../state/known-records.ts";
import type { LinkState } from "../state/link-state.ts";
import { compareStamps, type Stamp } from "../state/names.ts";
import type { RecordItem, Source } from "./message.ts";

/** The most characters of a record: it fits into a message. */
const MOST_CHARS = 20 << 20;

/** A record that is ready to be sent in the message with a number. */
export type Offer = (number: number) => RecordItem;

/** The outbox, for a record exchange. */
interface Outgoing {
  /** Sends a document's own changes. */
  mark(docId: string): void;
  /** Sends a record after the changes of the marked documents. */
  offer(offer: Offer): void;
}

interface ExchangeParts {
  readonly workspace: Workspace;
  readonly state: LinkState;
  readonly sealer: Sealer;
  readonly outbox: Outgoing;
}

/** A record of a snapshot, with the first message that had it. */
export interface SnapshotRecordItem {
  readonly item: RecordItem;
  readonly born: KnownRecord["born"];
}

/**
 * Exchanges the records that machines share beside documents: threads, checkpoints and proposals. It sends a record
 * when its facts differ from those that the machines know, also after a crash (M12). It stores another machine's record
 * together with the record's state.
 */
export class RecordExchange {
  readonly #parts: ExchangeParts;
  /** The work of sending, one record after the other. */
  #telling: Promise<void> = Promise.resolve();
  #isEnded = false;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
  }

  /** Sends every record that the others do not know, and each later change, until the returned function is called. */
  follow(): () => void {
    const { shared } = this.#parts.workspace;
    const ends = [...shared].map((records) => records.listen((id) => this.#mark(records, id)));
    for (const records of shared) for (const id of records.ids()) this.#mark(records, id);
    return () => {
      this.#isEnded = true;
      for (const end of ends) end();
    };
  }

  /** Resolves once every record that was marked is offered. */
  settled(): Promise<void> {
    return this.#telling;
  }

  /** Takes in a record of another machine. Taking it a second time has no effect. @throws StoreError */
  async take(item: RecordItem, source: Source, born: KnownRecord["born"] = source): Promise<void> {
    const { workspace, state, sealer } = this.#parts;
    const { kind, id, stamp } = item;
    state.saw(stamp);
    const key = recordKey(kind, id);
    const known = state.records.get(key);
    const records = workspace.shared.of(kind);
    if (records === undefined || (known !== undefined && compareStamps(known.stamp, stamp) === 0)) return;
    const given = item.given === null ? null : withoutOwn(item.given, sealer.nameOf(sealer.machine));
    // The machine that gives a record says what it is about. What the record here is about counts, too.
    const about = [given, records.about(id)].filter((one) => one !== null && one !== undefined);
    if (about.length > 0 && !this.#isAllowed(kind, about, item, source)) return;
    const facts = records.facts(id);
    const isChanged = facts !== undefined && hashOf(facts) !== known?.hash;
    const again: [SharedRecords, string][] = [];
    const telling: Telling = {
      machine: sealer.nameOf(born.machine),
      self: sealer.nameOf(sealer.machine),
      isNewer: !isChanged && (known === undefined || compareStamps(stamp, known.stamp) > 0),
      saw: (...named) => this.#saw(state.records.get(recordKey(...named)), source),
      again: (other, otherId) => void again.push([workspace.shared.of(other)!, otherId]),
      store: async (now, ...shelved) => {
        const newest = known === undefined || compareStamps(stamp, known.stamp) > 0 ? stamp : known.stamp;
        const first = known === undefined || known.hash === GONE ? born : known.born;
        const { machine, number } = first;
        const after: KnownRecord = { key, stamp: newest, born: { machine, number }, hash: hashOf(now) };
        await workspace.ports.store.shelve(...shelved, state.records.shelved(after));
        state.records.stored(after);
      },
    };
    await records.take(id, given, telling);
    for (const [others, otherId] of again) this.#tellAgain(others, otherId);
    if (isChanged) this.#mark(records, id);
  }

  /** Yields all records that the machines know, for a snapshot. */
  async *all(): AsyncIterable<SnapshotRecordItem> {
    const { workspace, state } = this.#parts;
    for (const records of workspace.shared)
      for (const id of records.ids()) {
        const known = state.records.get(recordKey(records.kind, id));
        const facts = records.facts(id);
        // A message after the snapshot sends the facts that the machines do not know yet.
        if (known === undefined || hashOf(facts ?? null) !== known.hash) continue;
        const given = facts === undefined ? null : await records.give(id);
        const { stamp, born } = known;
        if (given !== undefined) yield { item: { is: "record", kind: records.kind, id, stamp, given }, born };
      }
  }

  #saw(known: KnownRecord | undefined, { machine, after }: Source): boolean {
    if (known === undefined) return false;
    const { born } = known;
    return born.machine === machine || born.number <= (after[born.machine] ?? 0);
  }

  #tellAgain(records: SharedRecords, id: string): void {
    const { state } = this.#parts;
    const known = state.records.get(recordKey(records.kind, id));
    if (known !== undefined) state.records.set({ ...known, hash: "" });
    this.#mark(records, id);
  }

  #mark(records: SharedRecords, id: string): void {
    const { report } = this.#parts.workspace.ports;
    const failed = (error: unknown) => report("link.defect", { record: records.kind, reason: String(error) });
    this.#telling = this.#telling.then(() => this.#tell(records, id)).catch(failed);
  }

  /** Offers a record to the outbox if its facts differ from those that the machines know. */
  async #tell(records: SharedRecords, id: string): Promise<void> {
    const { workspace, state, sealer, outbox } = this.#parts;
    const { kind } = records;
    const key = recordKey(kind, id);
    const known = state.records.get(key);
    const facts = records.facts(id);
    const hash = hashOf(facts ?? null);
    if (this.#isEnded || known?.hash === hash || (facts === undefined && known === undefined)) return;
    const given = facts === undefined ? null : await records.give(id);
    if (given === undefined) return;
    if (given !== null && JSON.stringify(given).length > MOST_CHARS)
      return workspace.ports.report("link.too_large", { record: kind, id });
    for (const doc of given?.docs ?? []) outbox.mark(doc);
    outbox.offer((number) => {
      const now = state.records.get(key);
      const stamp: Stamp = state.stamp(sealer.machine, now?.stamp);
      const born = now === undefined || now.hash === GONE ? { machine: sealer.machine, number } : now.born;
      state.records.set({ key, stamp, born, hash });
      return { is: "record", kind, id, stamp, given };
    });
  }

  /** Returns true for a record that a machine may give, and this one may have (M10); reports any other. */
  #isAllowed(
    kind: RecordKind,
    about: readonly About[],
    { given }: RecordItem,
    { machine, number }: Source,
  ): boolean {
    const { sealer, workspace } = this.#parts;
    const paths = about.flatMap(({ docs, places }) => [...docs.map((doc) => this.#pathOf(doc)), ...places]);
    const known = paths.filter((path) => path !== undefined) as DocPath[];
    const mayRead = (...who: readonly [string, number?]) =>
      known.every((path) => sealer.mayRead(who[0], path, who[1]));
    const level = sealer.levelOf(machine, number);
    // A checkpoint is about documents of which a machine may lack some.
    if (kind !== "checkpoint" && (known.length < paths.length || !mayRead(sealer.machine))) return false;
    const isDecision =
      given === null || (kind === "proposal" && (given as { status?: string }).status !== "pending");
    const isAllowed =
      machine === sealer.machine ||
      (kind === "checkpoint"
        ? levelIncludes(level, "write")
        : isDecision
          ? known.every((path) => sealer.mayWrite(machine, path, number))
          : mayRead(machine, number) && (kind !== "proposal" || levelIncludes(level, "propose")));
    if (!isAllowed) workspace.ports.report("link.denied", { machine: sealer.nameOf(machine), record: kind });
    return isAllowed;
  }

  #pathOf(doc: string): string | undefined {
    const { state, workspace } = this.#parts;
    return state.document(doc)?.name.path ?? workspace.ports.store.document(doc)?.path;
  }
}

/** Returns a record without the name of the machine where it was made, if that is this machine. */
function withoutOwn(given: GivenRecord, name: string): GivenRecord {
  const { machine, ...rest } = given;
  return machine === name ? { ...rest, machine: undefined } : given;
}

/** Returns a hash of a record's facts, independent of the order of the fields. */
function hashOf(facts: object | null): string {
  if (facts === null) return GONE;
  const sorted = (_key: string, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return createHash("sha256").update(JSON.stringify(facts, sorted)).digest("base64url").slice(0, 22);
}
