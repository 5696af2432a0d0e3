import type { DocPath } from "../../mirror/path.ts";
import { type Store, storeFailure } from "../../store/store.ts";
import type { Document } from "../../workspace/document/document.ts";
import type { Workspace } from "../../workspace/folder/workspace.ts";
import type { Made } from "../../workspace/journal/change.ts";
import { KeyedQueue } from "../../workspace/keyed-queue.ts";
import type { Vector } from "../base/vector.ts";
import type { Sealer } from "../members/sealer.ts";
import { actorOf, defined } from "../messages/elsewhere.ts";
import type {
  ChangeItem,
  DocumentItem,
  Facts,
  Item,
  RecordItem,
  Sender,
  Source,
  TextItem,
} from "../messages/message.ts";
import type { RecordExchange } from "../messages/record-exchange.ts";
import { countingName, deniedPath, heardApart } from "../messages/rights.ts";
import type { Outbox } from "../sending/outbox.ts";
import type { SnapshotDocument } from "../snapshots/snapshot.ts";
import type { KnownRecord } from "../state/known-records.ts";
import { isGone, type LinkedDocument, type LinkState, withAll } from "../state/link-state.ts";
import { heardAt, named } from "../state/moved.ts";
import { compareStamps, type Name } from "../state/names.ts";
import { type Brought, broughtAgain, Traces } from "../state/traces.ts";
import { barred, unreadable } from "./barred.ts";
import { noteUnknown } from "./missing.ts";
import { allKept, LeftOut, NotNow, need } from "./not-now.ts";
import type { Places } from "./places.ts";
import { loadedSound, openFile, openLinked, receiveAt, storedSeq, storedSeqs } from "./stored.ts";
import { admitted, follow, readable, unlessLeftOut, withhold } from "./withheld.ts";

interface ApplierParts {
  readonly workspace: Workspace;
  readonly state: LinkState;
  readonly places: Places;
  readonly sealer: Sealer;
  /** Returns true while a file here may become this document. */
  readonly begins: (docId: string) => boolean;
  readonly outbox: Outbox;
  readonly records: RecordExchange;
}

/** A change of a text, its message, the newest messages of each machine that it brings, and the machine that made it. */
type Change = readonly [item: TextItem, source: Sender, last: Vector, maker?: string | undefined];

/** Applies other machines' changes to documents and their files. A second time this has no effect (M3, M12). */
export class Applier {
  readonly #parts: ApplierParts;
  readonly #store: Store;
  readonly #traces: Traces;
  /** Orders what comes about one document: a snapshot and a message may bring it at once. */
  readonly #queue = new KeyedQueue<string>();
  /** Documents whose newest changes may not be durable yet. */
  readonly #unkept = new Set<Document>();

  constructor(parts: ApplierParts) {
    this.#parts = parts;
    this.#store = parts.workspace.ports.store;
    this.#traces = new Traces(this.#store, parts.state);
  }

  /**
   * Applies an item, which is durable once `durable` resolves. Returns undefined where that needs no wait, as for most
   * changes of loaded documents. @throws NotNow
   */
  apply(item: Item, source: Source): Promise<void> | undefined {
    if (item.is === "record") return this.record(item, source);
    const last = { [source.machine]: source.number };
    const work = () =>
      item.is === "document" ? this.#document(item, source, last) : this.#change(item, source, last);
    return this.#queue.runNow(item.doc, () => unlessLeftOut(this.#parts, item.doc, source, work));
  }

  /** Resolves once every item that was applied is durable. @throws NotNow if the store refused one of them */
  async durable(): Promise<void> {
    const documents = [...this.#unkept];
    this.#unkept.clear();
    await allKept(documents);
  }

  /** Writes files now: those of the items that were applied last, or of all changes that wait. */
  write(which: "last" | "all"): void {
    for (const { pendingWrites, mirror } of which === "last" ? this.#unkept : this.#parts.workspace.loaded)
      if (pendingWrites > 0) mirror.push({ atOnce: true });
  }

  /** Takes in a record; `born` is the first message with it. @throws NotNow */
  async record(item: RecordItem, source: Source, born?: KnownRecord["born"]): Promise<void> {
    await allKept(this.#unkept); // the record may name changes that came right before it
    const failure = await storeFailure(this.#parts.records.take(item, source, born));
    if (failure !== undefined) throw new NotNow(failure.message);
  }

  /** Takes in a document of a snapshot, with the changes after it. @throws NotNow */
  adopt(adopted: SnapshotDocument, source: Source): Promise<void> {
    const { doc } = adopted.document;
    const work = () => this.#adopt(adopted, source);
    return this.#queue.run([doc], async () => unlessLeftOut(this.#parts, doc, source, work));
  }

  async #adopt(adopted: SnapshotDocument, source: Source): Promise<void> {
    const { document, changes, machines, last } = adopted;
    const { state, workspace } = this.#parts;
    const { doc, name, born, snapshot } = document;
    const first = withAll({ id: doc, born, name, sent: snapshot.seq, last: {} }, last, snapshot.seq);
    if (isGone(first)) return this.#adoptGone(adopted, first, source);
    await this.#document(document, source, last);
    if (state.document(doc)?.withheld !== undefined) return; // this machine has the name alone
    for (const [i, item] of changes.entries())
      if (this.#store.find(item.facts.id) === undefined)
        await this.#text(doc, item, source, last, machines[i] ?? undefined);
    const linked = state.document(doc);
    if (linked === undefined) return;
    const known: Brought = { seq: workspace.loaded.byId(doc)?.head.seq ?? linked.sent, as: "known" };
    this.#traces.set(linked, broughtAgain(storedSeqs(workspace, document, changes), known), last);
    this.#parts.outbox.mark(doc); // changes here may have waited for what the snapshot brought
  }

  /** Takes in a deleted document, which has no file; a person or an agent may restore it. */
  async #adoptGone(
    { document, changes, machines, last }: SnapshotDocument,
    gone: LinkedDocument,
    source: Source,
  ): Promise<void> {
    const { state, sealer, places, workspace } = this.#parts;
    const { doc, name, snapshot, born } = document;
    for (const stamp of [born, name.stamp]) state.saw(stamp);
    if (!this.#mayChange(doc, source, name.path)) return;
    const known = state.document(doc);
    const withheld = barred(sealer, workspace, name.path);
    const isHere = this.#store.snapshot(doc) !== undefined;
    if (withheld === undefined) {
      if (!isHere) need(await receiveAt(this.#parts, document, name.path, source, true));
      if (isHere) await this.#importWhole(document, source);
      for (const [i, item] of changes.entries())
        if (this.#store.find(item.facts.id) === undefined)
          this.#import(await openLinked(workspace, doc), item, source, machines[i] ?? undefined);
    }
    const seq = workspace.loaded.byId(doc)?.head.seq ?? snapshot.seq;
    const first = { ...gone, sent: isHere ? 0 : snapshot.seq, last: {} };
    const { found: _, ...before }: LinkedDocument = admitted(state, known ?? first);
    const linked = withAll({ ...before, name: countingName(sealer, name, before.name) }, last, seq);
    await places.settle(state.set(withheld === undefined ? linked : { ...linked, withheld }));
  }

  /** `last` has the newest messages that changed the document's text: one machine may tell what others made. */
  async #document(item: DocumentItem, source: Source, last: Vector): Promise<void> {
    const { state, places, sealer } = this.#parts;
    const { doc, snapshot, born, name } = item;
    for (const stamp of [born, name.stamp]) state.saw(stamp);
    if (!this.#mayChange(doc, source, name.path)) return;
    // The same text at the same path makes the same document here (M13).
    if (state.document(doc) === undefined) await openFile(this.#parts.workspace, state, item);
    const loaded = this.#parts.workspace.loaded.byId(doc);
    // The store may still have a record of the file after it refused its creation.
    const isHere = loaded === undefined ? this.#store.snapshot(doc) !== undefined : loaded.failure?.seq !== 0;
    if (!isHere && this.#parts.begins(doc)) throw new NotNow("the same file becomes a document here");
    const first: LinkedDocument = { id: doc, born, name, sent: isHere ? 0 : snapshot.seq, last: {} };
    const known = heardApart(sealer, admitted(state, state.document(doc) ?? first), name, source);
    const older = compareStamps(born, known.born) < 0 ? born : known.born;
    const counting = countingName(sealer, name, known.name);
    const withheld = isHere ? unreadable(sealer, counting.path) : undefined;
    const linked = { ...named(known, counting, source), born: older, ...(withheld && { withheld }) };
    const { seq } = snapshot; // also where an earlier snapshot, of which it was set aside, had another one
    let affected = state.set(isHere ? linked : withAll({ ...linked, sent: seq }, last, seq));
    try {
      if (withheld !== undefined) throw new LeftOut(withheld);
      if (isHere) {
        const brought = await this.#importWhole(item, source);
        affected = [...affected, ...this.#traces.set(state.document(doc)!, brought, last)];
        this.#parts.outbox.mark(doc);
      } else await this.#receive(item, source);
    } finally {
      // Also where the store refuses the document for now: the next try finds that the name is known, and moves nothing.
      await places.settle(affected);
    }
  }

  /** Imports a whole document into one that is here. Unless the import brings one change, it gets an id of its own. */
  async #importWhole({ doc, changes, snapshot }: DocumentItem, source: Source): Promise<Brought> {
    const { workspace } = this.#parts;
    const last = changes.at(-1)!;
    const isBegun = last.seq === 0 && last.id === workspace.loaded.byId(doc)?.head.id; // both began with one file
    const seqs = storedSeqs(workspace, { doc, changes });
    const facts = changes[seqs.indexOf(undefined)] === last ? last : { ...last, id: workspace.newId("chg") };
    const text = { facts, updates: isBegun ? [] : [snapshot.bytes] };
    return broughtAgain(seqs, this.#import(await openLinked(workspace, doc), text, source, last.machine));
  }

  /** Adds a document that this machine does not have. */
  async #receive(item: DocumentItem, source: Source): Promise<void> {
    const { state, sealer, places, workspace } = this.#parts;
    const { doc, name } = item;
    const place = state.names.placeOf(doc);
    const path = place ?? name.path;
    const withheld = unreadable(sealer, name.path) ?? barred(sealer, workspace, path);
    if (withheld !== undefined) return withhold(this.#parts, doc, withheld);
    if (place !== undefined) await places.makeRoom(place);
    need(await receiveAt(this.#parts, item, path, source));
  }

  #change(item: ChangeItem, source: Source, last: Vector): Promise<void> | undefined {
    const { doc, name } = item;
    const { state, places } = this.#parts;
    const linked = state.document(doc);
    if (linked === undefined) return noteUnknown(this.#parts, doc, source);
    if (name !== undefined) state.saw(name.stamp);
    if (!this.#mayChange(doc, source, name?.path)) return undefined;
    const { path } = name === undefined ? linked.name : countingName(this.#parts.sealer, linked.name, name);
    const shown = readable(this.#parts, linked, path);
    if (shown.withheld !== undefined) return places.settle(follow(this.#parts, shown, item, source, last));
    return name === undefined
      ? this.#text(doc, item, source, last, item.machine)
      : this.#event(linked, item, name, source);
  }

  /** Imports a change of a document's text; brings a document back whose deletion had not seen the change (M9). */
  #text(doc: string, ...change: Change): Promise<void> | undefined {
    const { workspace } = this.#parts;
    const loaded = loadedSound(workspace, doc);
    if (loaded !== undefined) return this.#textOf(loaded, ...change);
    // After refusals of the store the journal may have a hole, which opening removes.
    return openLinked(workspace, doc).then((opened) => this.#textOf(opened, ...change));
  }

  #textOf(document: Document, ...[item, source, last, maker]: Change): Promise<void> | undefined {
    const { state, places, outbox, workspace } = this.#parts;
    const { id: doc } = document;
    const stored = storedSeq(workspace, doc, item.facts.id);
    const again = stored === undefined ? undefined : ({ seq: stored, as: "again" } as const);
    const brought = again ?? this.#import(document, item, source, maker);
    const wasPlaced = state.names.has(doc);
    const affected = this.#traces.set(state.document(doc)!, brought, last);
    // Later local changes waited until this change's message is known.
    if (document.head.seq > brought.seq) outbox.mark(doc);
    const path = wasPlaced ? undefined : state.names.placeOf(doc);
    if (path !== undefined) this.#report("link.brought_back", source, { path });
    return places.settle(affected, () => {
      const made = this.#made(workspace.newId("chg"), item.facts, source);
      return { id: doc, actor: actorOf(item.facts), cause: { origin: "remote", made } };
    });
  }

  /** Imports the operations of a change that is not stored here. */
  #import(document: Document, { facts, updates }: TextItem, source: Sender, maker?: string): Brought {
    const made = this.#made(facts.id, facts, source, maker);
    const before = document.head.seq;
    const { certainty: _certainty, candidates: _candidates, ...shared } = facts;
    const meta = { ...shared, origin: "remote", made } as const;
    if (updates.length > 0) need(document.receive(actorOf(facts), updates, meta, { waits: true }));
    this.#unkept.add(document);
    return { seq: document.head.seq, as: document.head.seq > before ? "new" : "known" };
  }

  /** Applies a creation, deletion or renaming of a document's file. */
  async #event(
    before: LinkedDocument,
    { doc, facts }: ChangeItem,
    name: Name,
    source: Source,
  ): Promise<void> {
    const { state, places, workspace, sealer } = this.#parts;
    const linked = heardAt(before, name, source);
    if (countingName(sealer, linked.name, name) !== name) return void state.set(linked);
    const affected = state.set(named(linked, name, source));
    if (name.isDeleted && state.names.placeOf(doc) !== undefined)
      this.#report("link.kept", source, { path: name.path });
    const id = storedSeq(workspace, doc, facts.id) === undefined ? facts.id : workspace.newId("chg");
    const made = this.#made(id, facts, source);
    const cause = defined({ made, origin: "remote" as const, undoes: facts.undoes, batch: facts.batch });
    await places.settle(affected, () => ({ id: doc, actor: actorOf(facts), cause }));
  }

  #made(id: string, { time }: Facts, { machine }: Sender, maker?: string): Made {
    return { id, time, machine: maker ?? this.#parts.sealer.nameOf(machine) };
  }

  /** Returns true if a machine may change a document by a message, which may name a path; reports one that may not (M10). */
  #mayChange(doc: string, source: Source, given?: DocPath): boolean {
    const path = deniedPath(this.#parts, doc, given, source);
    if (path !== undefined) this.#report("link.denied", source, { path });
    return path === undefined;
  }

  #report(event: string, { machine }: { machine: string }, details: Readonly<Record<string, unknown>>): void {
    const { workspace, sealer } = this.#parts;
    workspace.ports.report(event, { machine: sealer.nameOf(machine), ...details });
  }
}
