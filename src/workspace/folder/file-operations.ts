import { Pair } from "../../doc/pair.ts";
import { type Image, isFileProblem } from "../../mirror/files.ts";
import { type Decoded, isEncodedAs } from "../../mirror/format.ts";
import { type DocPath, isPathProblem, parseNewPath } from "../../mirror/path.ts";
import {
  type ChangeRecord,
  type DocumentRecord,
  type SnapshotRecord,
  storeFailure,
} from "../../store/store.ts";
import type { Actor } from "../access/actor.ts";
import type { Context } from "../document/context.ts";
import { Document } from "../document/document.ts";
import type { Naming } from "../document/file-events.ts";
import { pathWithout } from "../document/file-record.ts";
import { newDocument, seedOf } from "../document/load.ts";
import type { Cause } from "../journal/change.ts";
import { KeyedQueue } from "../keyed-queue.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import {
  fileRefusal,
  nulRefusal,
  pathRefusal,
  storeRefusal,
  takenRefusal,
  tooLargeRefusal,
} from "../outcome/refusals.ts";
import type { Ports } from "../ports.ts";
import { EarlierDocuments } from "./earlier-documents.ts";
import { refusalIfIgnored } from "./ignored-path.ts";
import type { LoadedDocuments } from "./loaded-documents.ts";
import { type NewFile, placeNewFile, placeRefusal, stageNewFile } from "./new-file.ts";
import { deletedRefusal, type Opener } from "./opener.ts";
import { relocate } from "./relocate.ts";
import { mayLackSaves, type Removal, refusalUnlessStored, removeFile } from "./removal.ts";

/** A document of another machine: its text with all operations, and its history up to there. */
export interface ReceivedDocument {
  readonly id: string;
  readonly path: DocPath;
  readonly bom: boolean;
  readonly snapshot: SnapshotRecord;
  /** Oldest first; the last is that of the snapshot. */
  readonly changes: readonly ChangeRecord[];
  /** True for a document without a file, whose history a restoration will need. */
  readonly isDeleted?: boolean;
}

/** Creates, removes, renames and restores documents together with their files. */
export class FileOperations {
  readonly #context: Context;
  readonly #ports: Ports;
  readonly #loaded: LoadedDocuments;
  readonly #opener: Opener;
  readonly #earlier: EarlierDocuments;
  /** Orders the renames and restorations of one document. */
  readonly #turns = new KeyedQueue<string>();

  constructor(context: Context, loaded: LoadedDocuments, opener: Opener) {
    this.#context = context;
    this.#ports = context.ports;
    this.#loaded = loaded;
    this.#opener = opener;
    this.#earlier = new EarlierDocuments(context, loaded);
  }

  /** Creates a file and its document, and the folders that it needs; never over another file. `cause` as for `remove`. */
  async create(actor: Actor, input: string, ...made: NewFile): Promise<Outcome<Document>> {
    const [content, cause, ...file] = made;
    const path = parseNewPath(input);
    if (isPathProblem(path)) return pathRefusal(path);
    const ignored = refusalIfIgnored(this.#ports.ignored, path);
    if (ignored !== undefined) return ignored;
    const { maxFileBytes } = this.#context.limits;
    if (content.text.bytes > maxFileBytes) return tooLargeRefusal(content.text.bytes, maxFileBytes);
    if (!content.text.matches("\0").next().done) return nulRefusal();
    await this.#loaded.settled(path);
    const earlier = await this.#earlier.at(path);
    if (isRefusal(earlier)) return earlier;
    const seed = await seedOf(this.#context, path, actor, { content, isCreated: true });
    if (isRefusal(seed)) return seed;
    const image = await placeNewFile(this.#ports.files, path, content, ...file);
    if (isRefusal(image)) return image;
    if (earlier !== undefined && earlier.path !== path) {
      // The document was renamed meanwhile, so this file is not its file.
      this.#ports.files.remove(path, image);
      return this.create(actor, input, ...made);
    }
    const document = earlier
      ? (earlier.recreate(actor, path, { content, image }, cause) ?? earlier)
      : this.#loaded.add(newDocument(this.#context, path, { content, image }, actor, { ...seed, cause }));
    if (isRefusal(document)) {
      this.#ports.files.remove(path, image);
      return document;
    }
    return (await this.#kept(document, image)) ?? document;
  }

  /**
   * Adds a document that another machine has, with its history. Its file is written, unless a file with the same text is
   * there; a document of that file gives way if it `mayGiveWay`. Where the path has another text, the document has no file
   * yet, as if it were deleted.
   */
  async receive(received: ReceivedDocument, mayGiveWay: (docId: string) => boolean): Promise<Outcome<void>> {
    const { path, bom, snapshot } = received;
    const pair = Pair.restore(snapshot, [], snapshot.seq);
    const content = { bom, text: pair.memory };
    const there = received.isDeleted ? undefined : await this.#clear(path, content, mayGiveWay);
    const document = await this.#loaded.hold([path], () => this.#receive(received, pair, there));
    if (document instanceof Document) return document.sync();
    pair.close();
    return document;
  }

  async #receive(
    { id, path, bom, snapshot, changes, isDeleted = false }: ReceivedDocument,
    pair: Pair,
    there: Outcome<Image | undefined>,
  ): Promise<Outcome<Document | undefined>> {
    const { store, clock, files } = this.#ports;
    const isOpen = !isDeleted && !isRefusal(there) && this.#loaded.at(path) === undefined;
    const content = { bom, text: pair.memory };
    const file = isOpen ? (there ?? (await stageNewFile(files, path, content))) : undefined;
    const unused = file !== undefined && "link" in file ? file : undefined;
    // A file may have been made there meanwhile. Of two documents that come to a path at once, the store would find one.
    const isFree = file !== undefined && !isRefusal(file) && this.#loaded.at(path) === undefined;
    if (!isFree) unused?.discard();
    const staged = isFree ? unused : undefined;
    const stored = { id, path: isFree ? path : pathWithout(path, id), bom, landed: snapshot.seq };
    // Until the file is in its place, the document has none. After a crash the note shows whether a file there is its own.
    const note = staged && { staged: { seq: snapshot.seq, id: staged.id, image: staged.image } };
    const record = { ...stored, deletedAt: clock.now(), ...note };
    const unbegun = await this.#context.rollbacks.unbegun(id);
    const failure = unbegun ?? (await storeFailure(store.create(record, snapshot, ...changes)));
    if (failure !== undefined) staged?.discard();
    if (failure !== undefined || !isFree) return failure && storeRefusal(failure);
    const image = "link" in file ? file.link(path) : file;
    if (isFileProblem(image)) {
      // A file that came just now is no file of this document.
      const aside = { ...stored, path: pathWithout(path, id), deletedAt: clock.now() };
      const unmoved = await storeFailure(store.saveDocument(aside));
      if (unmoved !== undefined) return storeRefusal(unmoved);
      staged?.discard(); // not before: after a crash it shows that the file there is another one
      return undefined;
    }
    const placed: DocumentRecord = { ...stored, image };
    // The file stays: a file that somebody made there after its removal would count as this document's (MA120).
    const unsaved = await storeFailure(store.saveDocument(placed));
    if (unsaved !== undefined) return storeRefusal(unsaved);
    const parts = { isCreated: there === undefined, record: placed, pair, head: changes.at(-1)!, ahead: [] };
    const stores = { durable: Promise.resolve(), snapshotBytes: snapshot.bytes.length, journalBytes: 0 };
    return this.#loaded.add(new Document(this.#context, { ...parts, ...stores }));
  }

  /**
   * Makes a path free for a document whose content is `content`. Returns the image of a file that has this content; the
   * file's own document, if there is one, is forgotten.
   */
  async #clear(
    path: DocPath,
    content: Decoded,
    mayGiveWay: (docId: string) => boolean,
  ): Promise<Outcome<Image | undefined>> {
    await this.#loaded.settled(path);
    const { files, store, clock } = this.#ports;
    const taken = () => fileRefusal({ kind: "exists", message: `${path} has another text here` });
    const seen = files.look(path);
    const missing = isFileProblem(seen);
    if (missing && seen.kind !== "missing") return fileRefusal(seen);
    if (missing) {
      const kept = await this.#earlier.putAside(path);
      if (kept !== undefined) return kept;
      const loaded = this.#loaded.at(path);
      if (loaded !== undefined && !loaded.deleted) return taken();
      if (loaded !== undefined) await this.#loaded.drop(loaded);
      return undefined;
    }
    const earlier = store.documentAt(path);
    const document = earlier === undefined ? undefined : await this.#opener.opened(path);
    if (document !== undefined && isRefusal(document)) return document;
    const reading = await files.read(path, this.#context.limits.maxFileBytes);
    if (isFileProblem(reading)) return fileRefusal(reading);
    if (!isEncodedAs(content, reading.bytes)) return taken();
    if (document === undefined) return reading.image;
    if (!mayGiveWay(document.id) || !document.text.equals(content.text)) return taken();
    await this.#loaded.drop(document);
    const record = store.document(document.id);
    const failure = record && (await storeFailure(store.saveDocument({ ...record, deletedAt: clock.now() })));
    return failure === undefined ? reading.image : storeRefusal(failure);
  }

  /** Waits until a new document would outlast a power cut; removes it again where it cannot be stored. */
  async #kept(document: Document, image: Image): Promise<Refusal | undefined> {
    const failure = await storeFailure(Promise.all([document.durable, document.sync()]));
    if (failure === undefined) return undefined;
    this.#ports.files.remove(document.path, image);
    await this.#loaded.drop(document);
    return storeRefusal(failure);
  }

  /** Syncs a path, so that the creation or removal of its file outlasts a power cut. */
  async #outlast(path: DocPath): Promise<void> {
    const problem = await this.#ports.files.sync(path);
    if (problem !== undefined) this.#ports.report("mirror.sync_failed", { path, problem: problem.kind });
  }

  /** Removes a document's file, once the store has its text; `cause` is the reason for its history. */
  async remove(actor: Actor, document: Document, ...[cause, check]: Removal): Promise<Outcome<void>> {
    const unstored = mayLackSaves(document) ? await refusalUnlessStored(document) : undefined;
    const refused = unstored ?? removeFile(this.#ports.files, document, check);
    if (refused !== undefined) return refused;
    await Promise.all([document.removed(actor, cause), this.#outlast(document.path)]);
  }

  /** Renames a document's file; `cause` as for `remove`. Renames of one document follow one another. */
  async rename(
    actor: Actor,
    document: Document,
    input: string,
    cause?: Cause,
    naming?: Naming,
  ): Promise<Outcome<DocPath>> {
    const to = parseNewPath(input);
    if (isPathProblem(to)) return pathRefusal(to);
    const refused = refusalIfIgnored(this.#ports.ignored, to);
    return refused ?? this.#turns.run([document.id], () => this.#rename(actor, document, to, cause, naming));
  }

  async #rename(
    actor: Actor,
    document: Document,
    to: DocPath,
    cause: Cause | undefined,
    naming: Naming | undefined,
  ): Promise<Outcome<DocPath>> {
    const kept = await this.#earlier.putAside(to, document.id);
    if (kept !== undefined) return kept;
    await this.#loaded.moves.begin(document.id, to);
    const from = document.path;
    // A file that came where a deleted document had its own is none of that document.
    const gone = document.deleted ? deletedRefusal(document) : undefined;
    const image = document.closed ?? gone ?? this.#ports.files.rename(from, to);
    if (isRefusal(image) || isFileProblem(image)) {
      this.#loaded.moves.end(document.id);
      return isRefusal(image) ? image : placeRefusal(this.#ports.files, to, image, takenRefusal(to));
    }
    const synced = Promise.all([this.#outlast(to), this.#outlast(from)]);
    await Promise.all([this.#loaded.move(actor, document, to, image, cause, { ...naming, synced }), synced]);
    return to;
  }

  /**
   * Gives a deleted document its file again with its whole text, also with edits that the file never held. `cause` as
   * for `remove`.
   */
  async restore(actor: Actor, input: string, cause?: Cause): Promise<Outcome<Document>> {
    const document = await this.#opener.opened(input);
    return isRefusal(document) ? document : this.#restore(actor, document, cause);
  }

  #restore(actor: Actor, document: Document, cause: Cause | undefined): Promise<Outcome<Document>> {
    return this.#turns.run([document.id], () => this.#restoreInTurn(actor, document, cause));
  }

  async #restoreInTurn(actor: Actor, document: Document, cause?: Cause): Promise<Outcome<Document>> {
    const { path } = document;
    if (!document.deleted)
      return new Refusal("ALREADY_EXISTS", `${path} is not deleted`, {
        suggestion:
          "Call history.restore with a version to bring back an older text, or `undo` to undo one change.",
      });
    const { files } = this.#ports;
    const image = files.makeFolders(path) ?? (await document.restored(actor, cause));
    if (isRefusal(image)) return image;
    if (isFileProblem(image)) return placeRefusal(files, path, image);
    return (await this.#kept(document, image)) ?? document;
  }

  /** As `restore`, at another path. */
  async restoreAt(actor: Actor, document: Document, to: DocPath, cause?: Cause): Promise<Outcome<Document>> {
    const kept = await this.#earlier.putAside(to, document.id);
    if (kept !== undefined) return kept;
    const refused =
      document.path === to ? undefined : await relocate(this.#ports, this.#loaded, document.id, to);
    if (refused !== undefined) return refused;
    // Without a look at the path: a file that has come there meanwhile is not the document's.
    const found = await this.#loaded.find(to);
    const isOther = !isRefusal(found) && found.id !== document.id;
    const taken = isOther ? fileRefusal({ kind: "exists", message: `${to} is already there` }) : found;
    const restored = isRefusal(taken) ? taken : await this.#restore(actor, taken, cause);
    if (!isRefusal(restored)) return restored;
    // A file that came just now is no file of this document, but a save over the file that was written is.
    const isSaved = restored.code !== "ALREADY_EXISTS" && !isFileProblem(this.#ports.files.look(to));
    if (!isSaved) await relocate(this.#ports, this.#loaded, document.id, pathWithout(to, document.id));
    return restored;
  }
}
