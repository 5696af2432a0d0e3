import { Pair } from "../../doc/pair.ts";
import type { Peer } from "../../doc/peers.ts";
import { loadsSlowly, type Saved, seedUpdate } from "../../doc/replica.ts";
import { isOfMemory } from "../../doc/updates.ts";
import { isFileProblem, onDevice } from "../../mirror/files.ts";
import { type Decoded, decode } from "../../mirror/format.ts";
import type { DocPath } from "../../mirror/path.ts";
import { bytesOf } from "../../store/content.ts";
import { updateSize } from "../../store/size.ts";
import {
  type ChangeRecord,
  type DocumentRecord,
  type JournalEntry,
  type Seq,
  StoreError,
  storeFailure,
} from "../../store/store.ts";
import { withoutGap } from "../../store/without-gap.ts";
import type { Text } from "../../text/text.ts";
import { APPLIED_AS_READ } from "../../work/bounds.ts";
import { type Actor, authorshipOf, DISK, isSaver } from "../access/actor.ts";
import { momentOf } from "../claims/claim.ts";
import type { Cause, FileOnDisk } from "../journal/change.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { digestNow } from "../versions/digest.ts";
import type { FileText } from "../versions/file-text.ts";
import { TokenWorkers } from "../workers/workers.ts";
import type { Context } from "./context.ts";
import { Document } from "./document.ts";
import { readContent } from "./file-content.ts";
import { pathWithout } from "./file-record.ts";
import { isUnplaced, wasPlaced, whereItIs } from "./placed.ts";
import { readWholeFile } from "./read-whole-file.ts";
import {
  conclude,
  contentSearch,
  type Evidence,
  knownImage,
  landedOf,
  onThisDevice,
  stampsOf,
} from "./recovery.ts";
import { giveBack, withoutTakenFile } from "./taken-file.ts";

/** Loads the document at a path: from the store when the store knows the path, from the file otherwise. */
export async function loadDocument(context: Context, path: DocPath): Promise<Outcome<Document>> {
  const { store } = context.ports;
  const found = context.rollbacks.documentAt(path);
  const record = found !== undefined && (await isUnplaced(context, found)) ? undefined : found;
  if (found !== undefined && record === undefined) {
    const { staged: _staged, ...rest } = found;
    const failure = await storeFailure(store.saveDocument({ ...rest, path: pathWithout(path, found.id) }));
    if (failure !== undefined) return unopened(path, failure);
  }
  // The store may have a record of a document whose first text it refused: such a record has no snapshot.
  if (record !== undefined && store.snapshot(record.id)) {
    const problem = await context.rollbacks.settle(record.id);
    await context.noted(record.id); // without that note the document opens, but its records stay as they are
    // A failed store accepts nothing more, so a document with changes to roll back can still be read.
    const readable = problem === undefined || store.trouble?.kind === "failed";
    if (!readable) return unopened(path, problem);
    const at = await whereItIs(context, record);
    const taken = at === undefined ? withoutTakenFile(context, record) : undefined;
    const document = await restore(context, taken ?? record, at);
    if (taken !== undefined && !isRefusal(document)) await giveBack(context, document);
    return document;
  }
  const before = baselineOf(context, path);
  const isCreated = before === undefined && context.isNew(path);
  const file = before ?? (await readWholeFile(context, path));
  if (isRefusal(file)) return file;
  const author = isCreated ? context.claims.authorOf([path], momentOf(file.image), file.content) : DISK;
  const seed = await seedOf(context, path, author, { content: file.content, isCreated });
  return isRefusal(seed) ? seed : newDocument(context, path, file, author, seed);
}

/** Returns the file at a path as its baseline has it; others may have changed it since then (I16). */
function baselineOf({ ports: { files, store, report } }: Context, path: DocPath): FileOnDisk | undefined {
  const baseline = store.baselines.at(path);
  const deflated = baseline?.sha256 === undefined ? undefined : store.baselines.content(baseline.sha256);
  if (baseline?.sha256 === undefined || deflated === undefined) return undefined;
  const bytes = bytesOf({ sha256: baseline.sha256, deflated });
  const content = bytes && decode(bytes);
  if (content === undefined) {
    report("cover.damaged", { path });
    return undefined;
  }
  const seen = files.look(path);
  const image = isFileProblem(seen) ? baseline.image : onDevice(baseline.image, seen.dev);
  return { content, image };
}

/** The beginning of a new document. */
export interface Seed {
  readonly docId: string;
  /** The id of the first change. */
  readonly changeId: string;
  readonly peer: Peer;
  /** The Loro update of the text, when a worker made it. */
  readonly update?: Uint8Array;
  /** As `Origin.seed`. */
  readonly seed?: Uint8Array | undefined;
  /** True for a file that was created now; false for one that was there before the daemon looked. */
  readonly isCreated: boolean;
  /** The cause of the file's creation. */
  readonly cause?: Cause | undefined;
}

/** Prepares a new document's text, whose author is `actor`; a worker prepares a long text (I14). */
export async function seedOf(
  context: Context,
  path: DocPath,
  actor: Actor,
  { content, isCreated }: { readonly content: Decoded; readonly isCreated: boolean },
): Promise<Outcome<Seed>> {
  const { text } = content;
  const origin = context.linked()?.originOf(path, content, isCreated);
  const docId = origin?.docId ?? context.newId("doc");
  const failure = origin && (await context.rollbacks.unbegun(docId));
  if (failure !== undefined) return unopened(path, failure);
  const changeId = origin?.changeId ?? context.newId("chg");
  const peer = origin?.peer ?? context.peerOf(actor, "disk");
  const workers = new TokenWorkers(context.ports.workers, actor);
  if (!workers.offloads(text.utf16 / APPLIED_AS_READ))
    return { docId, changeId, peer, isCreated, seed: origin?.seed };
  const update = await workers.run("seed", peer, text.toString());
  return isRefusal(update) ? update : { docId, changeId, peer, update, isCreated };
}

/** Returns the pair that another machine's seed makes; undefined unless that is this text of this peer. */
function pairOf(seed: Uint8Array, peer: Peer, text: Text) {
  const pair = Pair.restore({ form: "update", bytes: seed }, [], 0);
  if (pair.knows(peer) && pair.memory.equals(text)) return { pair, seed };
  pair.close();
  return undefined;
}

/** Creates the document of a file that the store does not know; the author of its text is `actor`. */
export function newDocument(
  context: Context,
  path: DocPath,
  { content, image }: FileOnDisk,
  actor: Actor,
  { docId, changeId, peer, update, seed: theirs, isCreated, cause }: Seed,
): Document {
  const { store } = context.ports;
  const record: DocumentRecord = {
    id: docId,
    path,
    bom: content.bom,
    landed: 0,
    image,
    ...(isSaver(actor) && { synced: 0 }), // the program that saved the file decides whether it outlasts a power cut
  };
  const shared = theirs && pairOf(theirs, peer, content.text);
  const seed = shared?.seed ?? update ?? seedUpdate(peer, content.text.toString());
  const pair = shared?.pair ?? Pair.create(peer, content.text, seed);
  const sha256 = digestNow(content);
  const head: ChangeRecord = {
    seq: 0,
    id: changeId,
    ...authorshipOf(actor),
    origin: isSaver(actor) ? "disk" : "agent",
    time: context.changeTime(),
    ...cause,
    ...(isCreated && { file: { kind: "create" as const } }),
    splices: [],
    removed: [],
    ...(sha256 !== undefined && { sha256 }),
  };
  const saved: Saved = { form: "update", bytes: seed };
  const durable = store.create(record, { seq: 0, ...saved }, head);
  return new Document(context, {
    isCreated,
    record,
    pair,
    head,
    ahead: [],
    durable,
    snapshotBytes: saved.bytes.length,
    journalBytes: 0,
  });
}

/** `at` is where the file is if it is missing from its path. */
async function restore(
  context: Context,
  stored: DocumentRecord,
  at: DocPath | undefined,
): Promise<Outcome<Document>> {
  const { store, files, report } = context.ports;
  const { path } = stored;
  const snapshot = store.snapshot(stored.id);
  if (snapshot === undefined) return new Refusal("INTERNAL", `the store lost the text of ${path}`);
  const journal = await unbroken(context, stored, snapshot.seq);
  if (journal instanceof StoreError) return unopened(path, journal);
  const head = journal.at(-1)?.change ?? store.change(stored.id, snapshot.seq);
  if (head === undefined) return new Refusal("INTERNAL", `the store lost the history of ${path}`);
  const looked = files.look(path as DocPath);
  const seen = isFileProblem(looked) ? undefined : looked;
  const known = seen === undefined ? stored : onThisDevice(stored, seen.dev);
  // A crash may come between a deletion in the history and its note in the record of the file.
  const noted = head.file?.kind === "delete" ? { deletedAt: head.time, ...known } : known;
  const record = at === undefined ? noted : movedSince(context, noted);
  const replayed = journal.map(({ change, updates }) => ({ seq: change.seq, updates }));
  const floor = Math.max(snapshot.seq, ...journal.map(({ updates }) => updates.landed ?? 0));
  const { staged, landed: recorded, synced } = record;
  const evidence: Evidence = {
    stamps: stampsOf(record, seen),
    head: head.seq,
    landed: recorded,
    floor,
    synced,
    staged: staged && { seq: staged.seq, present: files.isStaged(staged.id) },
  };
  const landed = landedOf(evidence);
  let pair = Pair.restore(snapshot, replayed, landed);
  const savedText = () => {
    const saved = Pair.restore(snapshot, replayed, floor);
    const text = saved.disk;
    saved.close();
    return text;
  };
  const search = contentSearch(evidence);
  const joined = new Set(journal.flatMap(({ change: { seq }, updates }) => (updates.joined ? seq : [])));
  const texts = { head, landed, pair, savedText, joined };
  const place = at !== undefined && record.deletedAt === undefined ? { ...record, path: at } : record;
  const read = search && (await readContent(context, place, search, texts));
  const conclusion = conclude({ ...evidence, content: read?.content });
  const fellBack = conclusion.kind !== "as_recorded";
  if (fellBack) report("file.fell_back", { path, landed: conclusion.landed, newest: head.seq });
  if (conclusion.landed !== landed) {
    pair.close();
    pair = Pair.restore(snapshot, replayed, conclusion.landed);
  }
  const ahead = journal.flatMap(({ change: { seq, author }, updates }) =>
    seq > conclusion.landed && isOfMemory(updates) ? [{ seq, author }] : [],
  );
  const { deletedAt, ...there } = record;
  // Only the document's own file falls back. One that had just come to its place is there, whatever its record says.
  const isGone = deletedAt !== undefined && (!fellBack || head.file?.kind === "delete");
  const left = fellBack ? read?.image : knownImage(record, evidence);
  const isRemains = isGone && fellBack && left !== undefined; // a power cut took back its removal, and damaged it
  if (isRemains) files.remove(path as DocPath, left);
  const image = isRemains ? undefined : left;
  return new Document(context, {
    record: { ...(isGone ? record : there), landed: conclusion.landed, ...(image && { image }) },
    found: seen,
    pair,
    head,
    ahead,
    held: savedBeside(journal, conclusion.landed) ?? {
      seq: (ahead[0]?.seq ?? head.seq + 1) - 1,
      isAlone: false,
    },
    isDamaged: conclusion.kind === "damaged",
    durable: Promise.resolve(),
    snapshotBytes: loadsSlowly(snapshot, snapshot.seq) ? 0 : snapshot.bytes.length,
    journalBytes: journal.reduce((sum, { updates }) => sum + updateSize(updates), 0),
  });
}

/** Returns the record of a file that somebody moved since it came to its place: it is found as any moved one. */
function movedSince({ ports: { store, files } }: Context, record: DocumentRecord): DocumentRecord {
  if (!wasPlaced(store, files, record)) return record;
  const { deletedAt: _deletedAt, ...rest } = record;
  return { ...rest, image: record.staged.image };
}

/**
 * Returns the text of the newest save that the daemon merged beside edits which have not landed; undefined without such
 * a save. The file holds that text, and none of these edits.
 */
function savedBeside(journal: readonly JournalEntry[], landed: Seq): FileText | undefined {
  const save = journal.findLast(({ updates }) => updates.disk !== undefined)?.change;
  return save?.beside && save.seq > landed ? { seq: save.seq, isAlone: true } : undefined;
}

/** Returns the journal after change `after`, up to its first gap: a change after a refused change was refused, too. */
async function unbroken(
  { ports: { store }, rollbacks }: Context,
  { id }: DocumentRecord,
  after: Seq,
): Promise<readonly JournalEntry[] | StoreError> {
  const owed = rollbacks.owed(id);
  const journal = store.journal(id, after).filter(({ change }) => change.seq < owed);
  const sound = withoutGap(journal, after);
  if (sound.length === journal.length) return journal;
  return (await rollbacks.from(id, after + 1 + sound.length)) ?? sound;
}

function unopened(path: string, { kind, message }: StoreError): Refusal {
  return new Refusal(
    kind === "full" ? "STORAGE_FULL" : "INTERNAL",
    `${path} cannot be opened until the store has rolled back a refused change: ${message}`,
    { suggestion: "No edit was lost. Free space or check the disk, then try again." },
  );
}
