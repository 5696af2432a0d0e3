import { Pair } from "../../doc/pair.ts";
import type { Peer } from "../../doc/peers.ts";
import type { Saved } from "../../doc/replica.ts";
import {
  type FileProblem,
  type FileReading,
  type Image,
  isFileProblem,
  sameImage,
} from "../../mirror/files.ts";
import { type Decoded, decode } from "../../mirror/format.ts";
import type { Blocked } from "../../mirror/mirrored-document.ts";
import type { DocPath } from "../../mirror/path.ts";
import {
  type ChangeRecord,
  type DocumentRecord,
  type JournalEntry,
  type Seq,
  StoreError,
} from "../../store/store.ts";
import type { Text } from "../../text/text.ts";
import { APPLIED_AS_READ } from "../../work/bounds.ts";
import { type Actor, DISK } from "../access/actor.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { fileRefusal } from "../outcome/refusals.ts";
import { digestNow } from "../versions/digest.ts";
import { TokenWorkers } from "../workers/workers.ts";
import type { Context } from "./context.ts";
import { Document } from "./document.ts";
import { isUnsettled, isUntouched, lostItsEnd, onThisDevice, type Recovered, recover } from "./recovery.ts";

/** Tries at reading a file that a program is writing. */
const READ_TRIES = 20;
const READ_PAUSE_MS = 10;
/** A program may still be writing a file whose last write is younger than this. */
const YOUNG_MS = 50;
const NEVER = new AbortController().signal;

export interface FileOnDisk {
  readonly content: Decoded;
  readonly image: Image;
}

/** Loads the document at a path: from the store when the store knows the path, from the file otherwise. */
export async function loadDocument(context: Context, path: DocPath): Promise<Outcome<Document>> {
  const { store } = context.ports;
  const record = context.rollbacks.documentAt(path);
  // The store may have a record of a document whose first text it refused: such a record has no snapshot.
  if (record !== undefined && store.snapshot(record.id)) {
    const problem = await context.rollbacks.settle(record.id);
    // A failed store accepts nothing more, so a document with changes to roll back can still be read.
    const readable = problem === undefined || store.trouble?.kind === "failed";
    return readable ? restore(context, record) : unopened(path, problem);
  }
  const present = await readFile(context, path);
  if (isRefusal(present)) return present;
  const seed = await seedOf(context, DISK, present.content.text);
  return isRefusal(seed) ? seed : newDocument(context, path, present, DISK, seed);
}

/** The beginning of a new document. */
export interface Seed {
  readonly peer: Peer;
  /** The Loro update of the text, when a worker made it. */
  readonly update?: Uint8Array;
}

/**
 * Prepares a new document's text, credited to `actor`; a worker prepares a long text, because that takes long (I14).
 */
export async function seedOf(context: Context, actor: Actor, text: Text): Promise<Outcome<Seed>> {
  const peer = context.peerOf(actor, "disk");
  const workers = new TokenWorkers(context.ports.workers, actor);
  if (!workers.offloads(text.utf16 / APPLIED_AS_READ)) return { peer };
  const update = await workers.run("seed", peer, text.toString());
  return isRefusal(update) ? update : { peer, update };
}

/** Creates the document of a file that the store does not know; its text is credited to `actor`. */
export function newDocument(
  context: Context,
  path: DocPath,
  { content, image }: FileOnDisk,
  actor: Actor,
  { peer, update }: Seed,
): Document {
  const { store } = context.ports;
  const record: DocumentRecord = {
    id: context.newId("doc"),
    path,
    bom: content.bom,
    landed: 0,
    image,
    ...(actor === DISK && { synced: 0 }), // the program that saved the file decides whether it outlasts a power cut
  };
  const pair = Pair.create(peer, content.text, update);
  const sha256 = digestNow(content);
  const head: ChangeRecord = {
    seq: 0,
    id: context.newId("chg"),
    author: actor.name,
    agent: actor.agent,
    origin: actor === DISK ? "disk" : "agent",
    time: context.changeTime(),
    splices: [],
    removed: [],
    ...(sha256 !== undefined && { sha256 }),
  };
  const saved: Saved =
    update === undefined ? pair.save({ shallow: false }) : { form: "update", bytes: update };
  const durable = store.create(record, { seq: 0, ...saved }, head);
  const snapshotBytes = saved.bytes.length;
  return new Document(context, {
    record,
    pair,
    head,
    ahead: [],
    durable,
    snapshotBytes,
  });
}

/** Reads a text file that holds still: a file that a program may still be writing is read twice (I5). */
async function readFile(context: Context, path: DocPath): Promise<Outcome<FileOnDisk>> {
  const { files, clock } = context.ports;
  let problem: Blocked = { kind: "changed", message: `${path} is being written to` };
  for (let i = 0; i < READ_TRIES; i++) {
    const reading = await files.read(path, context.limits.maxFileBytes);
    if (isFileProblem(reading) && reading.kind !== "changed") return fileRefusal(reading);
    if (
      !isFileProblem(reading) &&
      isYoung(reading.image, clock.now()) &&
      files.openForWriting(path) !== false
    ) {
      await clock.sleep(READ_PAUSE_MS, NEVER);
      const after = files.look(path);
      if (!isFileProblem(after) && sameImage(after, reading.image)) return present(path, reading);
    } else if (!isFileProblem(reading)) return present(path, reading);
    else {
      problem = reading;
      await clock.sleep(READ_PAUSE_MS, NEVER);
    }
  }
  return fileRefusal(problem);
}

function present(path: DocPath, { bytes, image }: FileReading): Outcome<FileOnDisk> {
  const content = decode(bytes);
  return content === undefined
    ? fileRefusal({ kind: "not_text", message: `${path} is not UTF-8 text` })
    : { content, image };
}

function isYoung({ mtimeNs }: Image, now: number): boolean {
  return mtimeNs > BigInt(now - YOUNG_MS) * 1_000_000n;
}

async function restore(context: Context, stored: DocumentRecord): Promise<Outcome<Document>> {
  const { store, files } = context.ports;
  const snapshot = store.snapshot(stored.id);
  if (snapshot === undefined) return new Refusal("INTERNAL", `the store lost the text of ${stored.path}`);
  const journal = await unbroken(context, stored, snapshot.seq);
  if (journal instanceof StoreError) return unopened(stored.path, journal);
  const head = journal.at(-1)?.change ?? store.change(stored.id, snapshot.seq);
  if (head === undefined) return new Refusal("INTERNAL", `the store lost the history of ${stored.path}`);
  const seen = files.look(stored.path as DocPath);
  const noted = isFileProblem(seen) ? stored : onThisDevice(stored, seen.dev);
  const replayed = journal.map(({ change, updates }) => ({ seq: change.seq, updates }));
  const floor = Math.max(snapshot.seq, ...journal.map(({ updates }) => updates.landed ?? 0));
  const landed = Math.min(head.seq, landedOf(context, noted, seen, floor));
  let pair = Pair.restore(snapshot, replayed, landed);
  const savedText = () => {
    const saved = Pair.restore(snapshot, replayed, floor);
    const text = saved.disk;
    saved.close();
    return text;
  };
  let found: Recovered = { landed, image: noted.image };
  if (isUnsettled(noted) || (!isFileProblem(seen) && lostItsEnd(noted, seen)))
    found = await recover(context, noted, { ...found, floor, head, pair, savedText });
  if (found.landed !== landed) {
    pair.close();
    pair = Pair.restore(snapshot, replayed, found.landed);
  }
  return new Document(context, {
    record: { ...noted, landed: found.landed, ...(found.image && { image: found.image }) },
    pair,
    head,
    ahead: journal.flatMap(({ change: { seq, author }, updates }) =>
      seq > found.landed && updates.memory ? [{ seq, author }] : [],
    ),
    durable: Promise.resolve(),
    snapshotBytes: snapshot.bytes.length,
  });
}

/**
 * The last of memory's changes that the file has held. The note of it may be old; an outside save proves what
 * the file had held, and so does a staged version that is no longer where it was staged (I1).
 */
function landedOf(
  { ports: { files } }: Context,
  record: DocumentRecord,
  seen: Image | FileProblem,
  floor: Seq,
): Seq {
  const { landed, staged } = record;
  const proven = Math.max(landed, floor);
  const untouched = !isFileProblem(seen) && isUntouched(record, seen);
  if (staged === undefined || untouched || files.isStaged(staged.id)) return proven;
  return Math.max(proven, staged.seq);
}

/** Returns the journal up to its first gap: a change after a refused change was refused, too. */
async function unbroken(
  { ports: { store }, rollbacks: takenBack }: Context,
  { id }: DocumentRecord,
  after: Seq,
): Promise<readonly JournalEntry[] | StoreError> {
  const owed = takenBack.owed(id);
  const journal = store.journal(id).filter(({ change }) => change.seq < owed);
  const gap = journal.findIndex(({ change }, i) => change.seq !== after + 1 + i);
  if (gap < 0) return journal;
  return (await takenBack.from(id, after + 1 + gap)) ?? journal.slice(0, gap);
}

function unopened(path: string, { kind, message }: StoreError): Refusal {
  return new Refusal(
    kind === "full" ? "STORAGE_FULL" : "INTERNAL",
    `${path} cannot be opened before the store has taken back what it refused: ${message}`,
    { suggestion: "Nothing was lost. Free space or check the disk, then try again." },
  );
}
