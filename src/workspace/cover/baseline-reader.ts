import { type FileProblem, type Files, type Image, isFileProblem } from "../../mirror/files.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { Baseline, BaselineStore, Content } from "../../store/baselines.ts";
import { type Store, storeFailure } from "../../store/store.ts";
import type { Contents } from "./contents.ts";
import type { MissingOwner } from "./cover-ports.ts";
import type { SurveyedFile, Surveyor } from "./surveyor.ts";

interface ReaderPorts {
  readonly files: Pick<Files, "look">;
  readonly store: Store;
  readonly contents: Contents;
  readonly surveyor: Surveyor;
  readonly report: (event: string, details: Readonly<Record<string, unknown>>) => void;
}

interface ReaderEvents {
  readonly open: (path: DocPath) => Promise<unknown>;
  /** The owner of missing files. */
  readonly missing: () => MissingOwner;
  /** Returns true for a file that was at another path and is no longer there. */
  readonly isMoved: (path: DocPath, image: Image) => boolean;
  /** Returns true for the path of a document in memory. */
  readonly isLoaded: (path: DocPath) => boolean;
  /** Called for each text file whose baseline was stored, or whose document was opened. */
  readonly covered: (file: AskedFile) => void;
  /** Called for each file that could not be read. */
  readonly unreadable: (path: DocPath, problem: FileProblem) => void;
  readonly saved: (baseline: Baseline) => void;
  /** Called with the number of files whose baselines the store refused. */
  readonly unsaved: (files: number) => void;
  /** Called when the surveyor failed to read files that were asked for. */
  readonly unread: () => void;
}

/** A file that waits for its reading. */
export interface AskedFile {
  readonly path: DocPath;
  /** Bytes. */
  readonly size: number;
  /** True for a file that was made after its folder was covered: its document begins with its creation. */
  readonly isNew: boolean;
  /** True when a pass found the file. */
  readonly inPass: boolean;
}

/** Files and bytes that one job of the surveyor reads. */
const FILES_A_JOB = 256;
const BYTES_A_JOB = 4 << 20;
/** A pass waits while this many files wait for their reading. */
const MOST_WAITING = 256;
/** Documents that are opened side by side. */
const TOGETHER = 32;
/** The most readings of a file that a program writes to. */
const TRIES = 5;

/** Owns the files to read: stores their baselines, or opens the documents of changed files. */
export class BaselineReader {
  readonly #ports: ReaderPorts;
  readonly #baselines: BaselineStore;
  readonly #maxFileBytes: number;
  readonly #events: ReaderEvents;
  readonly #waiting = new Map<DocPath, AskedFile>();
  readonly #tries = new Map<DocPath, number>();
  /** The files of the jobs under way: the surveyor reads them, or their baselines are being stored. */
  readonly #reading: ReadonlyMap<DocPath, AskedFile>[] = [];
  readonly #opening = new Set<Promise<unknown>>();
  /** The files whose documents are being opened, because they differ from their baselines. */
  readonly #differing = new Map<DocPath, AskedFile>();
  #working: Promise<void> | undefined;
  /** Callers that wait for room. */
  readonly #forRoom: (() => void)[] = [];
  #closed = false;

  constructor(ports: ReaderPorts, maxFileBytes: number, events: ReaderEvents) {
    this.#ports = ports;
    this.#baselines = ports.store.baselines;
    this.#maxFileBytes = maxFileBytes;
    this.#events = events;
  }

  /** Returns the file at a path that waits for its reading, is being read, or becomes a document. */
  asked(path: DocPath): AskedFile | undefined {
    const read = this.#waiting.get(path) ?? this.#reading.find((files) => files.has(path))?.get(path);
    return read ?? this.#differing.get(path);
  }

  /** Returns the number of files that wait for their reading. */
  get waiting(): number {
    return this.#reading.reduce((sum, { size }) => sum + size, this.#waiting.size);
  }

  /** Adds a file to read. A file that already waits is new only if it was new from the first. */
  add(file: AskedFile): void {
    const earlier = this.asked(file.path);
    // A pass counts a file whose reading is under way with that reading, and not again.
    const inPass = file.inPass || this.#waiting.get(file.path)?.inPass === true;
    this.#waiting.set(file.path, earlier === undefined ? file : { ...file, isNew: earlier.isNew, inPass });
    this.#start();
  }

  /** Makes a document record the fate of a missing file; removes the baseline of a missing file that was not text. */
  missing({ path, sha256, image }: Baseline): void {
    if (sha256 === undefined) this.background(this.#baselines.drop([path]));
    else this.#events.missing().add(path as DocPath, image);
  }

  /** Stores a baseline without content for a file that is too large for a document. */
  noteTooLarge(path: DocPath): void {
    const image = this.#ports.files.look(path);
    if (!isFileProblem(image)) this.background(this.#baselines.save([{ path, image }], []));
  }

  /** Returns a promise when as many files wait as a pass may have ahead of the surveyor; it resolves once fewer wait. */
  room(): Promise<void> | undefined {
    if (this.#waiting.size < MOST_WAITING || this.#working === undefined) return undefined;
    return new Promise((go) => this.#forRoom.push(go));
  }

  /** Resolves once no file waits, and every opened document has taken in its file. */
  async settled(): Promise<void> {
    do await Promise.all([this.#working, ...this.#opening, this.#events.missing().settled()]);
    while (this.#working !== undefined || this.#opening.size > 0);
  }

  close(): void {
    this.#closed = true;
    this.#waiting.clear();
  }

  #start(): void {
    if (this.#working !== undefined || this.#closed) return;
    this.#working = this.#work()
      .catch((error: unknown) => this.#ports.report("cover.failed", { reason: String(error) }))
      .finally(() => {
        this.#working = undefined;
        this.#makeRoom();
        if (this.#waiting.size > 0) this.#start();
      });
  }

  #makeRoom(): void {
    for (const go of this.#forRoom.splice(0)) go();
  }

  async #work(): Promise<void> {
    let saving: Promise<void> = Promise.resolve();
    while (this.#waiting.size > 0 && !this.#closed) {
      const asked = this.#next();
      if (this.#waiting.size < MOST_WAITING) this.#makeRoom();
      this.#reading.push(asked);
      const read = await this.#read(asked);
      await saving;
      // The surveyor reads the next files meanwhile.
      saving = this.#save(read, asked).finally(() => this.#reading.splice(this.#reading.indexOf(asked), 1));
      while (this.#opening.size >= TOGETHER) await Promise.race(this.#opening);
    }
    await saving;
  }

  /** Reads the files of one job; none where the surveyor fails. */
  async #read(asked: ReadonlyMap<DocPath, AskedFile>): Promise<readonly SurveyedFile[]> {
    try {
      return await this.#ports.surveyor.read([...asked.keys()], this.#maxFileBytes);
    } catch (error) {
      if (this.#closed) return [];
      this.#ports.report("cover.failed", { files: asked.size, reason: String(error) });
      this.#events.unread();
      return [];
    }
  }

  /** Takes the files of one job out of the queue. */
  #next(): Map<DocPath, AskedFile> {
    const taken = new Map<DocPath, AskedFile>();
    let bytes = 0;
    for (const [path, file] of this.#waiting) {
      if (taken.size > 0 && (taken.size >= FILES_A_JOB || bytes + file.size > BYTES_A_JOB)) break;
      taken.set(path, file);
      bytes += file.size;
      this.#waiting.delete(path);
    }
    return taken;
  }

  async #save(read: readonly SurveyedFile[], asked: ReadonlyMap<DocPath, AskedFile>): Promise<void> {
    const records: Baseline[] = [];
    const contents: Content[] = [];
    for (const file of read) {
      const baseline = this.#conclude(file, asked.get(file.path)!);
      if (baseline !== undefined) records.push(baseline);
      if (baseline !== undefined && file.is === "text") contents.push(file.content);
    }
    if (records.length === 0) return;
    const saving = this.#ports.contents.save(records, contents, (path) => this.#isTaken(path as DocPath));
    const failure = await storeFailure(saving);
    if (failure !== undefined) {
      this.#ports.report("cover.unsaved", { files: records.length, reason: failure.message });
      this.#events.unsaved(records.length);
      return;
    }
    for (const record of await saving) {
      this.#events.saved(record);
      if (record.sha256 !== undefined) this.#events.covered(asked.get(record.path as DocPath)!);
    }
  }

  /**
   * Returns the baseline to store of a file; undefined if its document is opened instead, or the file is read again.
   */
  #conclude(file: SurveyedFile, asked: AskedFile): Baseline | undefined {
    const { path } = file;
    if (file.is === "unread") {
      this.#retry(file, asked);
      return undefined;
    }
    this.#tries.delete(path);
    const baseline = this.#baselines.at(path);
    const { image } = file;
    if (file.is === "binary") {
      if (baseline?.sha256 !== undefined) this.#open(path);
      return baseline?.sha256 === undefined ? { path, image } : undefined;
    }
    const { sha256 } = file.content;
    const isKnown = this.#isTaken(path) || this.#events.isMoved(path, image);
    if (isKnown || (baseline?.sha256 === undefined ? asked.isNew : baseline.sha256 !== sha256)) {
      this.#differing.set(path, asked);
      this.background(this.#events.open(path).finally(() => this.#differing.delete(path)));
      this.#events.covered(asked);
      return undefined;
    }
    return { path, image, sha256 };
  }

  /** Returns true for the path of a document, whether the store has it already or not. */
  #isTaken(path: DocPath): boolean {
    return this.#ports.store.documentAt(path) !== undefined || this.#events.isLoaded(path);
  }

  /** Reads a file again, a few times, if a program wrote to it meanwhile. */
  #retry(file: Extract<SurveyedFile, { is: "unread" }>, asked: AskedFile): void {
    const tries = (this.#tries.get(file.path) ?? 0) + 1;
    if (file.problem.kind === "changed" && tries < TRIES) {
      this.#tries.set(file.path, tries);
      this.#waiting.set(file.path, asked);
      return;
    }
    this.#tries.delete(file.path);
    if (file.problem.kind !== "missing") this.#events.unreadable(file.path, file.problem);
  }

  #open(path: DocPath): void {
    this.background(this.#events.open(path));
  }

  /** Runs work in the background, for which `settled` waits; reports a defect in it (I14). */
  background(work: Promise<unknown>): void {
    const done: Promise<unknown> = work
      .catch((error: unknown) => this.#ports.report("cover.failed", { reason: String(error) }))
      .finally(() => this.#opening.delete(done));
    this.#opening.add(done);
  }
}
