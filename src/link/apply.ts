import type { DocPath } from "../mirror/path.ts";
import { type Store, type StoreError, storeFailure } from "../store/store.ts";
import type { Actor } from "../workspace/access/actor.ts";
import { FULL_RIGHTS } from "../workspace/access/rights.ts";
import type { Document } from "../workspace/document/document.ts";
import type { Workspace } from "../workspace/folder/workspace.ts";
import type { Made } from "../workspace/journal/change.ts";
import { isRefusal, type Outcome, type Refusal } from "../workspace/outcome/refusal.ts";
import type { LinkedDocument, LinkState } from "./link-state.ts";
import type { KnownRecord } from "./known-records.ts";
import type { ChangeItem, DocumentItem, Facts, Item, RecordItem, Source } from "./message.ts";
import { compareStamps, type Name } from "./names.ts";
import type { Places } from "./places.ts";
import type { RecordExchange } from "./record-exchange.ts";
import type { Sealer } from "./sealer.ts";
import type { SnapshotDocument } from "./snapshot.ts";
import type { Vector } from "./vector.ts";

/** The store or a file refuses an item for now; it is applied later. */
export class NotNow extends Error {}

interface ApplierParts {
  readonly workspace: Workspace;
  readonly state: LinkState;
  readonly places: Places;
  readonly sealer: Sealer;
  /** Has a document's own changes sent. */
  readonly mark: (docId: string) => void;
  readonly records: RecordExchange;
}

/** The codes of refusals that pass. */
const PASSING: ReadonlySet<string> = new Set(["STORAGE_FULL", "INTERNAL", "OVERLOADED", "MIRROR_BLOCKED"]);

/**
 * Applies what other machines did, to documents and their files. Applying an item a second time has no effect (M3, M12).
 */
export class Applier {
  readonly #parts: ApplierParts;
  readonly #store: Store;

  constructor(parts: ApplierParts) {
    this.#parts = parts;
    this.#store = parts.workspace.ports.store;
  }

  /** Applies an item; resolves once it is durable. @throws NotNow */
  apply(item: Item, source: Source): Promise<void> {
    if (item.is === "record") return this.record(item, source);
    return item.is === "document" ? this.#document(item, source) : this.#change(item, source);
  }

  /** Takes in a record; `born` is the message that told it first. @throws NotNow */
  async record(item: RecordItem, source: Source, born?: KnownRecord["born"]): Promise<void> {
    const failure = await storeFailure(this.#parts.records.take(item, source, born));
    if (failure !== undefined) throw new NotNow(failure.message);
  }

  /** Takes in a document of a snapshot, with the changes after it. @throws NotNow */
  async adopt({ document, changes, machines, last }: SnapshotDocument, source: Source): Promise<void> {
    const { state } = this.#parts;
    const { doc } = document;
    await this.#document(document, source);
    for (const [i, item] of changes.entries())
      if (this.#store.find(item.facts.id) === undefined)
        await this.#text(doc, item, source, machines[i] ?? undefined);
    const linked = state.document(doc);
    if (linked === undefined) return;
    const seq = this.#parts.workspace.loaded.byId(doc)?.head.seq ?? linked.sent;
    const known = Object.entries(last).map(([machine, number]) => [machine, { number, seq }]);
    state.set({ ...linked, last: { ...Object.fromEntries(known), ...linked.last } });
  }

  async #document(item: DocumentItem, { machine, number }: Source): Promise<void> {
    const { state, sealer, places } = this.#parts;
    const { doc, snapshot, born, name, changes } = item;
    for (const stamp of [born, name.stamp]) state.saw(stamp);
    if (!this.#mayWrite(machine, name.path)) return;
    const known = state.document(doc);
    const isHere = this.#store.document(doc) !== undefined;
    if (known !== undefined || isHere) {
      // Several machines found the same text at the same path, and made the same document of it.
      const own = known ?? { id: doc, born, name, sent: 0, last: {} };
      const older = compareStamps(born, own.born) < 0 ? born : own.born;
      await places.settle(state.set({ ...own, born: older, name: newer(name, own.name) }));
      const facts: Facts = changes.at(-1)!;
      if (snapshot.seq > 0) await this.#text(doc, { facts, updates: [snapshot.bytes] }, { machine, number });
      if (known === undefined) this.#parts.mark(doc);
      return;
    }
    const linked: LinkedDocument = {
      id: doc,
      born,
      name,
      sent: snapshot.seq,
      last: { [machine]: { number, seq: snapshot.seq } },
    };
    const affected = state.set(linked);
    await places.settle(affected.filter((id) => id !== doc));
    const from = sealer.nameOf(machine);
    const history = changes.map((change) => ({ ...change, machine: change.machine ?? from }));
    for (;;) {
      const path = state.names.placeOf(doc);
      if (path === undefined) return;
      const refused = sealer.mayRead(sealer.machine, path)
        ? await this.#parts.workspace.receive({ ...item, id: doc, path, changes: history })
        : "not readable here";
      if (typeof refused === "string" || isRefusal(refused)) {
        const isTaken = typeof refused !== "string" && refused.code === "ALREADY_EXISTS";
        if (isTaken && (await places.makeRoom(path))) continue;
        this.#withhold(linked, refused);
      }
      return;
    }
  }

  async #change(item: ChangeItem, source: Source): Promise<void> {
    const { state } = this.#parts;
    const { doc, facts, name } = item;
    const linked = state.document(doc);
    if (linked === undefined) return this.#report("link.unknown_document", source, { doc });
    if (name !== undefined) state.saw(name.stamp);
    if (!this.#mayWrite(source.machine, name?.path ?? linked.name.path)) return;
    const found = this.#store.find(facts.id);
    if (found !== undefined) this.#applied(doc, source, found.seq);
    else if (name === undefined) await this.#text(doc, item, source);
    else await this.#event(linked, item, name, source);
  }

  /** Imports a change of a document's text; brings a document back whose deletion did not know of the change (M9). */
  async #text(
    doc: string,
    { facts, updates }: Pick<ChangeItem, "facts" | "updates">,
    source: Pick<Source, "machine" | "number"> & Partial<Source>,
    maker?: string,
  ): Promise<void> {
    const { state, workspace, sealer } = this.#parts;
    const linked = state.document(doc)!;
    if (linked.withheld !== undefined || updates.length === 0) return;
    const document = await this.#open(doc);
    if (document === undefined) return;
    const actor = actorOf(facts);
    const made: Made = { id: facts.id, time: facts.time, machine: maker ?? sealer.nameOf(source.machine) };
    const knewDeletion =
      linked.deletedBy !== undefined &&
      (source.after?.[linked.deletedBy.machine] ?? 0) >= linked.deletedBy.number;
    if (document.deleted && !knewDeletion) {
      state.set({ ...linked, name: { ...linked.name, isDeleted: false } });
      const path = state.names.placeOf(doc) ?? document.path;
      this.#report("link.brought_back", source, { path });
      const cause = { origin: "remote", made: { ...made, id: workspace.newId("chg") } } as const;
      need(await workspace.restore(actor, document.path, cause));
    }
    const { certainty: _certainty, candidates: _candidates, ...shared } = facts;
    const meta = { ...shared, origin: "remote", made } as const;
    need(document.receive(actor, updates, meta));
    await durable(document);
    this.#applied(doc, source, document.head.seq);
  }

  /** Applies a creation, deletion or renaming of a document's file. */
  async #event(linked: LinkedDocument, item: ChangeItem, name: Name, source: Source): Promise<void> {
    const { state, workspace, sealer, places } = this.#parts;
    const { doc, facts } = item;
    const made: Made = { id: facts.id, time: facts.time, machine: sealer.nameOf(source.machine) };
    const cause = { made, origin: "remote" as const, undoes: facts.undoes, batch: facts.batch };
    const actor = actorOf(facts);
    const isUnseen = name.isDeleted && this.#hasUnseen(linked, item.seen ?? {}, source.machine);
    if (isUnseen) this.#report("link.kept", source, { path: linked.name.path });
    const isNewer = compareStamps(name.stamp, linked.name.stamp) > 0;
    const deletedBy = name.isDeleted ? { deletedBy: source } : {};
    const affected = isNewer
      ? state.set({
          ...linked,
          ...(deletedBy && { deletedBy: { machine: source.machine, number: source.number } }),
          name: isUnseen ? { ...name, isDeleted: false } : name,
        })
      : [];
    if (isNewer && linked.withheld === undefined) {
      const document = await this.#open(doc);
      if (document === undefined) return;
      if (name.isDeleted && !isUnseen && !document.deleted)
        need(await workspace.remove(actor, document, defined(cause)));
      else if (!name.isDeleted && document.deleted)
        need(await workspace.restore(actor, document.path, defined(cause)));
      await places.settle(affected, { id: doc, actor, cause: defined(cause) });
      await durable(document);
    } else await places.settle(affected);
    this.#applied(doc, source, this.#parts.workspace.loaded.byId(doc)?.head.seq ?? linked.sent);
  }

  /** Returns true if the document has changes that a deletion on another machine had not seen. */
  #hasUnseen({ id, last, sent }: LinkedDocument, seen: Vector, by: string): boolean {
    const isBeyond = Object.entries(last).some(
      ([machine, { number }]) => machine !== by && number > (seen[machine] ?? 0),
    );
    if (isBeyond) return true;
    for (const change of this.#store.changes(id)) {
      if (change.seq <= sent) return false;
      if (change.machine === undefined) return true;
    }
    return false;
  }

  /** Opens a document by its id, also a deleted one; undefined for one whose file this machine cannot have. */
  async #open(doc: string): Promise<Document | undefined> {
    const opened = await this.#parts.workspace.openedById(doc);
    if (opened === undefined) return undefined;
    if (!isRefusal(opened)) return opened;
    if (PASSING.has(opened.code)) throw new NotNow(opened.message);
    const linked = this.#parts.state.document(doc)!;
    this.#withhold(linked, opened);
    return undefined;
  }

  #applied(doc: string, { machine, number }: Pick<Source, "machine" | "number">, seq: number): void {
    const { state } = this.#parts;
    const linked = state.document(doc)!;
    state.set({ ...linked, last: { ...linked.last, [machine]: { number, seq } } });
  }

  #withhold(linked: LinkedDocument, why: Refusal | string): void {
    if (typeof why !== "string" && PASSING.has(why.code)) throw new NotNow(why.message);
    const withheld = typeof why === "string" ? why : why.code;
    const { state, workspace } = this.#parts;
    state.set({ ...(state.document(linked.id) ?? linked), withheld });
    workspace.ports.report("link.withheld", { path: linked.name.path, reason: withheld });
  }

  /** Returns true if a machine may change a path here; reports one that may not (M10). */
  #mayWrite(machine: string, path: DocPath): boolean {
    const { sealer } = this.#parts;
    if (machine === sealer.machine || sealer.mayWrite(machine, path)) return true;
    this.#parts.workspace.ports.report("link.denied", { machine: sealer.nameOf(machine), path });
    return false;
  }

  #report(
    event: string,
    { machine }: Pick<Source, "machine">,
    details: Readonly<Record<string, unknown>>,
  ): void {
    const { workspace, sealer } = this.#parts;
    workspace.ports.report(event, { machine: sealer.nameOf(machine), ...details });
  }
}

function newer(a: Name, b: Name): Name {
  return compareStamps(a.stamp, b.stamp) > 0 ? a : b;
}

/** Returns the author of another machine's change; their machine has checked the author's rights. */
export function actorOf({ author: name, agent, session, answers, certainty, candidates }: Facts): Actor {
  return {
    name,
    agent,
    rights: FULL_RIGHTS,
    ...(session !== undefined && { session }),
    ...(answers !== undefined && { answers }),
    ...(certainty !== undefined && { credit: { certainty, ...(candidates && { candidates }) } }),
  };
}

/** @throws NotNow for a refusal that may pass */
function need<T>(outcome: Outcome<T>): T {
  if (isRefusal(outcome)) throw new NotNow(outcome.message);
  return outcome;
}

/** Resolves once a document's changes are durable. @throws NotNow */
async function durable(document: Document): Promise<void> {
  const failure: StoreError | undefined = await storeFailure(document.durable);
  if (failure !== undefined) throw new NotNow(failure.message);
}

function defined<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
