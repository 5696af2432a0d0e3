import type { DisplacedFile } from "../../mirror/displaced-files.ts";
import {
  type Files,
  isFileProblem,
  type LeftBehind,
  type NotedSwap,
  type StagedId,
} from "../../mirror/files.ts";
import type { UnseenSave } from "../../mirror/mirrored-document.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { Shelved } from "../../store/shelf.ts";
import { type DocumentRecord, type Store, type StoreError, storeFailure } from "../../store/store.ts";
import type { Text } from "../../text/text.ts";
import { isSave } from "../access/actor.ts";
import {
  type DisplacedSave,
  displacedSave,
  displacedShelf,
  type NotedBefore,
} from "../document/displaced-save.ts";
import type { Document } from "../document/document.ts";
import type { Ports } from "../ports.ts";
import { textOf } from "../saves/save-evidence.ts";
import type { VersionHistory } from "../versions/version-history.ts";

/** Displaced files that wait for their document; at the next start they are found again. */
interface Waiting {
  /** The files that earlier processes left, each with the note of its swap. */
  readonly left: (readonly [file: LeftBehind, save: DisplacedSave | undefined])[];
  /** The files that a former object of the document could not merge. */
  readonly unmerged: DisplacedFile[];
}

/**
 * Owns the displaced files of documents that are not in memory: those that earlier processes left, and those that the
 * store kept a document from merging. Each document gets them as soon as it is in memory and the store has no trouble.
 */
export class LeftBehindFiles {
  readonly #store: Store;
  readonly #waiting = new Map<string, Waiting>();
  /** The documents of the saves that no process had seen. */
  readonly #unseenBy = new Set<string>();
  readonly #notes: readonly Shelved[];
  /** The last attempt to store the notes; undefined after a refusal. */
  #noting: Promise<StoreError | undefined> | undefined;
  #isNoted = false;

  /**
   * Clears the staging folder after a start; `known` are the records of all documents. Notes the saves that no earlier
   * process had seen, before the store gets anything else: later records replace the notes of their swaps.
   */
  constructor(
    { store, files }: Pick<Ports, "store" | "files">,
    known: readonly DocumentRecord[],
    maxBytes: number,
  ) {
    this.#store = store;
    const noted = [...store.shelf(displacedShelf)];
    const displaced = displacedBy(noted, known);
    const left = leftFiles(files, known, displaced, maxBytes);
    for (const one of left)
      this.#waitingFor(one.docId).left.push([one, one.by === undefined ? undefined : displaced.get(one.by)]);
    const hidden = [...displaced.values()].filter(({ by, swap }) => swap && files.isHidden(by)); // for the next process
    const unseen = [
      ...hidden,
      ...left.flatMap(({ by, isUnseen }) => (by && isUnseen ? displaced.get(by)! : [])),
    ];
    for (const { docId } of unseen) this.#unseenBy.add(docId);
    const there = new Set([...hidden, ...left].map(({ by }) => by));
    const gone = noted.filter(({ by }) => !there.has(by));
    this.#notes = [
      ...gone.map(({ by: id }) => ({ shelf: displacedShelf, id, record: null })),
      ...unseen.map(displacedSave),
    ];
    if (this.#notes.length > 0) void this.#note();
  }

  /** The documents that displaced files wait for. */
  get docIds(): readonly string[] {
    return [...this.#waiting.keys()];
  }

  /**
   * Stores the note of each save of a document that no process had seen; returns undefined if the store has it. Resolves
   * with why the store cannot. Until then the document's records must stay as they are.
   */
  noted(docId: string): Promise<StoreError | undefined> | undefined {
    return this.#needsNote(docId) ? (this.#noting ?? this.#note()) : undefined;
  }

  /**
   * Gives a document in memory its displaced files. They wait on while the store may refuse their merge, which would
   * close the document to readers.
   */
  giveTo({ id, mirror, versions }: Document): void {
    if (this.#store.trouble !== undefined || this.#needsNote(id)) return;
    const { left, unmerged } = this.#take(id);
    mirror.adopt(unmerged);
    for (const [file, save] of left) {
      const swap = file.isUnseen ? save?.swap : undefined;
      if (swap === undefined) mirror.inherit(file);
      else {
        mirror.inheritUnseen(file, textBefore(versions, swap), unseenSave(file, file.by!));
      }
    }
  }

  /** Keeps what a document that left memory has not merged. */
  keepFrom({ id, mirror: { unmerged } }: Document): void {
    if (unmerged.length > 0) this.#waitingFor(id).unmerged.push(...unmerged);
  }

  /** Discards the files of a document that the store does not have. */
  discard(docId: string): void {
    const { left, unmerged } = this.#take(docId);
    for (const { file } of [...left.map(([one]) => one), ...unmerged]) file.discard();
  }

  #needsNote(docId: string): boolean {
    return !this.#isNoted && this.#unseenBy.has(docId);
  }

  #note(): Promise<StoreError | undefined> {
    const noting = storeFailure(this.#store.shelve(...this.#notes)).then((failure) => {
      this.#isNoted = failure === undefined;
      if (failure !== undefined) this.#noting = undefined;
      return failure;
    });
    this.#noting = noting;
    return noting;
  }

  /** Returns the files that wait for a document, to add to them. */
  #waitingFor(docId: string): Waiting {
    const waiting = this.#waiting.get(docId) ?? { left: [], unmerged: [] };
    this.#waiting.set(docId, waiting);
    return waiting;
  }

  #take(docId: string): Waiting {
    const waiting = this.#waitingFor(docId);
    this.#waiting.delete(docId);
    return waiting;
  }
}

/** Returns what the store knows of displaced saves, by the versions that displaced them. */
function displacedBy(
  noted: readonly DisplacedSave[],
  known: readonly DocumentRecord[],
): ReadonlyMap<string, DisplacedSave> {
  const displaced = new Map(noted.map((save) => [save.by, save]));
  for (const record of known) {
    const save = lastSwap(record);
    if (save !== undefined && !displaced.has(save.by)) displaced.set(save.by, save);
  }
  return displaced;
}

/** Returns the note of the last swap of a document's file, with what it was to replace unless that is known to be done. */
function lastSwap({ id, staged, landed, image }: DocumentRecord): DisplacedSave | undefined {
  if (staged === undefined) return undefined;
  const isOpen = landed < staged.seq && image !== undefined;
  const swap = isOpen ? { expected: image, landed, seq: staged.seq } : undefined;
  return { docId: id, by: staged.id, ...(swap && { swap }) };
}

/**
 * Clears the staging folder, and returns the displaced files. The staged versions as recorded now stay: a later record
 * may be lost in a crash, and the one before it must still identify its version.
 */
function leftFiles(
  files: Files,
  known: readonly DocumentRecord[],
  displaced: ReadonlyMap<string, DisplacedSave>,
  maxBytes: number,
): readonly LeftBehind[] {
  const swaps = [...displaced.values()].map(
    ({ by, swap }): NotedSwap => ({ staged: by, expected: swap?.expected }),
  );
  const records = new Map(known.map((record) => [record.id, record]));
  return files.clearLeftBehind(swaps, maxBytes).filter((one) => {
    const record = records.get(one.docId);
    if (record === undefined || !isInPlace(files, record.path as DocPath, one)) return true;
    one.file.discard();
    return false;
  });
}

/**
 * Returns true for a left file that is the file at its path still: without an exchange of names, a swap links the file
 * first, and a process that ended before the swap left only the link.
 */
export function isInPlace(files: Files, path: DocPath, { reading: { image } }: LeftBehind): boolean {
  const seen = files.look(path);
  return !isFileProblem(seen) && seen.ino === image.ino && seen.dev === image.dev;
}

/** Returns the facts about a save that the version `by` displaced as its daemon ended. */
export function unseenSave({ reading }: LeftBehind, by: StagedId): UnseenSave {
  const { ino, mtimeNs } = reading.image;
  return { by, message: `takes in a save that came as the daemon ended (file ${ino}, ${mtimeNs})` };
}

/** Returns the text that the file held before a swap that was noted: that of the last save before it, or of `landed`. */
function textBefore(versions: VersionHistory, { landed, seq: last }: NotedBefore): Text | undefined {
  for (let seq = last; seq > landed; seq--) {
    const change = versions.change(seq);
    if (change !== undefined && isSave(change)) return textOf(versions, { seq, isAlone: true });
  }
  return versions.textAt(landed);
}
