import { inOrder } from "../../doc/updates.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { ChangeRecord, JournalEntry, Seq, Store } from "../../store/store.ts";
import { withoutGap } from "../../store/without-gap.ts";
import { joined, type Vector } from "../base/vector.ts";
import type { Sealer } from "../members/sealer.ts";
import { type ChangeItem, type DocumentItem, factsOf, type Item } from "../messages/message.ts";
import type { LinkedDocument, LinkState } from "../state/link-state.ts";
import { type Moved, moved, named } from "../state/moved.ts";
import type { Name } from "../state/names.ts";
import { isUntraced } from "../state/traces.ts";

/** The items that the journal of a document has for other machines. */
export interface Collected {
  readonly items: readonly Item[];
  /** The state of the document once the items are in a message. */
  readonly linked: LinkedDocument;
}

/** The most changes of one document in one message. */
const MOST_CHANGES = 1000;

/**
 * Collects the items of a document that other machines lack from the journal. They are the document itself if they do
 * not know it, and each local change. They are the document again once this machine may change it and the others have
 * ignored changes before. `number` is that of the message. Returns undefined if they lack nothing.
 */
export function collect(
  store: Store,
  state: LinkState,
  docId: string,
  sealer: Pick<Sealer, "machine" | "mayWrite">,
  number: number,
): Collected | undefined {
  const known = state.document(docId);
  const { machine: self } = sealer;
  const isAllowed = (path: DocPath) => sealer.mayWrite(self, path);
  const isAgain = known !== undefined && counts(known, isAllowed);
  const goesAlone = known !== undefined && !isAgain;
  const items: Item[] = [];
  const by = { machine: self, number };
  const renamed = (one: LinkedDocument, name: Name) =>
    [one.name, name].every(({ path }) => isAllowed(path)) ? named(one, name, by) : { ...one, name };
  let linked = known;
  if (linked === undefined || isAgain) {
    const beginning = isAgain ? whole(store, state, known!, by) : introduced(store, state, docId, self);
    if (beginning === undefined) return undefined;
    items.push(beginning.item);
    linked = withLast(beginning.linked, self, number, beginning.linked.sent);
  }
  const first = linked.name.path;
  const paths = [first];
  for (const entry of pending(store, docId, linked.sent)) {
    if (items.length >= MOST_CHANGES) break;
    const { change } = entry;
    // A machine without the document gets the whole document, with the changes of all machines.
    if (goesAlone && isUntraced(change, known, self)) break;
    linked = { ...linked, sent: change.seq };
    const isForeign = change.machine !== undefined;
    if (goesAlone && isForeign) continue;
    if (isAgain && change.file !== undefined && (isForeign || change.seq <= known!.sent)) continue;
    const event: Name | undefined = change.file && nameAfter(linked, change, state, self);
    items.push(changeItem(docId, entry, event));
    if (event !== undefined) paths.push(event.path);
    linked = event === undefined ? withLast(linked, self, number, change.seq) : renamed(linked, event);
  }
  if (linked === known) return undefined;
  // The others ignore what this machine may not do.
  if (known === undefined && !isAllowed(first)) linked = { ...linked, ignoredAt: null };
  if (linked.ignoredAt === null) return { items: [], linked };
  const isIgnored = items.length > 0 && !paths.every(isAllowed);
  return { items, linked: isIgnored ? { ignoredAt: first, ...linked } : linked };
}

/** Returns true for a document of which the others ignored changes, and that this machine may change by now. */
function counts(
  { ignoredAt, name: { path } }: LinkedDocument,
  isAllowed: (path: DocPath) => boolean,
): boolean {
  return ignoredAt !== undefined && isAllowed(path) && isAllowed(ignoredAt ?? path);
}

/** Returns a document to send as a whole, with the changes that the others ignored. */
function whole(
  store: Store,
  state: LinkState,
  { ignoredAt, ...known }: LinkedDocument,
  by: Pick<Moved, "machine" | "number">,
): ReturnType<typeof introduced> {
  const record = store.document(known.id);
  const snapshot = store.snapshot(known.id);
  if (record === undefined || snapshot === undefined) return undefined;
  // A document that the others lack begins now: those with its name are older.
  const born = ignoredAt === null ? state.stamp(by.machine) : known.born;
  const name = ignoredAt === null ? { ...known.name, stamp: born } : known.name;
  const changes = wholeHistory(store, known.id, snapshot.seq);
  return {
    item: { is: "document", doc: known.id, bom: record.bom, born, name, snapshot, changes },
    linked: { ...moved(known, ignoredAt ?? name.path, name.path, by), born, name, sent: snapshot.seq },
  };
}

/** Returns a document to send for the first time; undefined for a document that was deleted before. */
function introduced(
  store: Store,
  state: LinkState,
  docId: string,
  self: string,
): { readonly item: DocumentItem; readonly linked: LinkedDocument } | undefined {
  const record = store.document(docId);
  const snapshot = store.snapshot(docId);
  if (record === undefined || snapshot === undefined) return undefined;
  const { seq } = snapshot;
  const journal = store.journal(docId);
  const first = journal.find(({ change }) => change.file?.kind === "rename" && change.seq > seq)?.change.file;
  const path = (first?.kind === "rename" ? first.from : record.path) as DocPath;
  const isGone =
    record.deletedAt !== undefined && !journal.some(({ change }) => change.file?.kind === "delete");
  const changes = wholeHistory(store, docId, seq);
  if (isGone || changes.length === 0) return undefined;
  const born = state.stamp(self);
  const name = { path, isDeleted: false, stamp: born };
  return {
    item: { is: "document", doc: docId, bom: record.bom, born, name, snapshot, changes },
    linked: { id: docId, born, name, sent: seq, last: {} },
  };
}

/** Returns the changes of a document up to one, each by itself, oldest first. */
export function wholeHistory(store: Store, docId: string, upTo: Seq): ChangeRecord[] {
  const changes: ChangeRecord[] = [];
  for (let seq = store.oldest(docId)?.seq ?? 0; seq <= upTo; seq++) {
    const change = store.change(docId, seq);
    if (change === undefined) continue;
    const { folded: _folded, ...whole } = change;
    changes.push(whole);
  }
  return changes;
}

/**
 * Returns the entries of the journal after a change. If the journal was folded into the snapshot without a link, the
 * newest local change brings the operations of all these changes.
 */
function pending(store: Store, docId: string, sent: Seq): JournalEntry[] {
  const journal = store.journal(docId, sent);
  const folded = journal[0]?.change.seq === sent + 1 ? [] : foldedAfter(store, docId, sent);
  return [...folded, ...withoutGap(journal, folded.at(-1)?.change.seq ?? sent)];
}

/** Returns the changes after `sent` that the snapshot already contains. */
function foldedAfter(store: Store, docId: string, sent: Seq): JournalEntry[] {
  const [head] = store.changes(docId, { limit: 1 });
  const snapshot = head !== undefined && head.seq > sent ? store.snapshot(docId) : undefined;
  if (snapshot === undefined) return [];
  const folded: JournalEntry[] = [];
  for (let seq = sent + 1; seq <= snapshot.seq; seq++) {
    const change = store.change(docId, seq);
    if (change !== undefined) folded.push({ change, updates: {} });
  }
  const newest = folded.findLastIndex(
    ({ change: { machine, file } }) => machine === undefined && file === undefined,
  );
  if (newest >= 0) folded[newest] = { ...folded[newest]!, updates: { memory: snapshot.bytes } };
  return folded;
}

function changeItem(doc: string, { change, updates }: JournalEntry, name: Name | undefined): ChangeItem {
  return {
    is: "change",
    doc,
    facts: factsOf(change),
    updates: inOrder(updates),
    ...(name && { name }),
    ...(change.machine !== undefined && { machine: change.machine }),
  };
}

function nameAfter(
  linked: LinkedDocument,
  { id, file, seq }: ChangeRecord,
  state: LinkState,
  self: string,
): Name {
  const path = (file?.kind === "rename" ? file.to : linked.name.path) as DocPath;
  const isDeleted = file?.kind === "delete";
  const held = state.heldAtDeletion.get(id) ?? seq - 1;
  return {
    path,
    isDeleted,
    stamp: state.stamp(self, linked.name.stamp),
    ...(isDeleted && { seen: seenUpTo(linked, held, state, self) }),
  };
}

/**
 * Returns the newest message of each machine whose changes of the text are in this journal up to a change. A message that
 * is applied in part may have more of them.
 */
function seenUpTo({ last }: LinkedDocument, seq: Seq, state: LinkState, self: string): Vector {
  const whole = joined(state.standing.received, state.applied);
  return Object.fromEntries(
    Object.entries(last).map(([machine, newest]) => {
      const isWhole = machine === self || newest.number <= (whole[machine] ?? 0);
      return [machine, newest.seq <= seq && isWhole ? newest.number : newest.number - 1];
    }),
  );
}

function withLast(linked: LinkedDocument, machine: string, number: number, seq: Seq): LinkedDocument {
  return { ...linked, last: { ...linked.last, [machine]: { number, seq } } };
}

/** Returns true if the journal has changes of this machine that no message has. */
export function hasUnsent(store: Store, docId: string, linked: LinkedDocument | undefined): boolean {
  for (const { seq, machine } of store.changes(docId)) {
    if (linked !== undefined && seq <= linked.sent) return false;
    if (machine === undefined) return true;
  }
  return false;
}

/**
 * Returns true once the stored messages contain every local change of a document. After a crash, this machine sends all
 * other changes from the journal (M12).
 */
export function isTold(store: Store, state: LinkState, docId: string): boolean {
  const stored = state.stored(docId);
  return stored !== undefined && !hasUnsent(store, docId, stored);
}
