import { type Image, isFileProblem } from "../../mirror/files.ts";
import { type DocPath, folderOf } from "../../mirror/path.ts";
import type { Baseline } from "../../store/baselines.ts";
import { storeFailure } from "../../store/store.ts";
import { pauses } from "../../work/pause.ts";
import { BaselineReader } from "./baseline-reader.ts";
import { Contents } from "./contents.ts";
import type { CoverEvents, CoverPorts, CoverStatus } from "./cover-ports.ts";
import { hasDocument, Inventories } from "./inventories.ts";
import { openFiles, type Stamps, sameStamps } from "./inventory.ts";
import { listFolders } from "./list-folders.ts";
import { movedFrom } from "./moved-from.ts";
import { NewFiles } from "./new-files.ts";
import { PassingFiles } from "./passing-files.ts";
import type { SurveyedFolder } from "./surveyor.ts";
import { type FileLimits, Tally } from "./tally.ts";

/** The time by which the watch of a folder has begun; milliseconds. */
const WATCH_MS = 1_000;

/**
 * Owns the daemon's knowledge of files that no document has (I16). It reads each text file once and stores the text as
 * the file's baseline. It watches all folders. It opens the document of a file that changed, appeared or went missing;
 * the document records the change.
 *
 *     pass: list folders ─┬─► compare with baselines ─► read what differs ─► store the baseline, or open the document
 *     hint: look at file ─┘
 */
export class Cover {
  readonly #ports: CoverPorts;
  readonly #limits: FileLimits;
  readonly #events: CoverEvents;
  readonly #contents: Contents;
  readonly #reader: BaselineReader;
  readonly #inventories: Inventories;
  readonly #passingFiles: PassingFiles;
  /** The listed folders, which the daemon watches. */
  readonly #listed = new Set<string>();
  readonly #newFiles: NewFiles;
  #stage: CoverStatus["stage"] | "repeating" = "waiting";
  readonly #abort = new AbortController();
  #passing: Promise<unknown> = Promise.resolve();
  #isDoubtful = false;
  #rules = 0;
  /** True when files that need a baseline got none since the last pass began. */
  #isLacking = false;
  /** True when the store refused baselines since the last pass began. */
  #isRefused = false;
  /** The tally of the last pass, or of the first pass as it goes on; and the tally of the pass under way. */
  #tally: Tally;
  #counting: Tally;

  constructor(ports: CoverPorts, limits: FileLimits, events: CoverEvents) {
    this.#ports = ports;
    this.#limits = limits;
    this.#events = events;
    this.#newFiles = new NewFiles(ports.store.baselines.coveredAt);
    this.#inventories = new Inventories(ports.store, limits.maxFileBytes);
    this.#tally = new Tally(limits);
    this.#counting = this.#tally;
    this.#contents = new Contents(ports.store.baselines, ports.clock);
    this.#passingFiles = new PassingFiles(ports, (path) => this.look(path));
    this.#reader = new BaselineReader({ ...ports, contents: this.#contents }, limits.maxFileBytes, {
      ...events,
      saved: ({ path }) => this.#newFiles.readable(path),
      unread: () => this.#unread(),
      unsaved: (files) => {
        this.#isRefused = true;
        this.#counting.leave("unsaved", files);
        this.#unread();
      },
      covered: ({ size, inPass }) => inPass && this.#counting.add(1, size),
      unreadable: (path, { kind }) => {
        this.#counting.leaveUnread(path);
        if (kind !== "changed") this.#newFiles.unreadable(path);
      },
    });
  }

  get status(): CoverStatus {
    const { files, bytes, leftOut, unread } = this.#tally;
    const stage = this.#stage === "repeating" ? "covered" : this.#stage;
    return { stage, files, bytes, leftOut, unread };
  }

  /** Counts a file of `bytes` bytes that was made or removed; during a pass, the pass counts it. */
  count(event: "created" | "deleted", bytes: number): void {
    if (this.#stage !== "covered") return;
    if (event === "created") this.#tally.add(1, bytes);
    else this.#tally.remove(bytes);
  }

  /** True for a file that was made after its folder was covered. */
  isNew(path: DocPath): boolean {
    if (this.#ports.store.baselines.at(path) !== undefined) return false;
    return this.#reader.asked(path)?.isNew ?? this.#newFiles.appeared(path);
  }

  /** As `NewFiles.learn`. */
  learn(paths: readonly DocPath[]): void {
    if (this.#limits.maxFiles > 0) this.#newFiles.learn(paths);
  }

  /** As `movedFrom`. */
  movedFrom(image: Image): DocPath | undefined {
    return movedFrom(this.#ports.store.baselines, image);
  }

  /** Notes that changes may have gone unseen, so that another pass is needed. */
  doubt(): void {
    this.#isDoubtful = true;
  }

  /** True when changes may have gone unseen since the last pass began, or when there was none. */
  get isDoubtful(): boolean {
    return this.#isDoubtful || this.#stage !== "covered" || this.#ports.watcher.trouble !== undefined;
  }

  /**
   * Covers every text file; resolves once each has a baseline, or its document has taken in the file's state. A pass
   * begins after the end of the pass before. Until `ready` it only lists files.
   */
  pass(signal: AbortSignal, ready?: Promise<void>): Promise<void> {
    const passing = this.#passing.then(() => this.#pass(signal, ready));
    this.#passing = passing.catch(() => undefined);
    return passing;
  }

  async #pass(signal: AbortSignal, ready?: Promise<void>): Promise<void> {
    if (this.#limits.maxFiles === 0) return; // the setting turns the cover off
    const began = this.#ports.clock.now();
    this.#stage = this.#stage === "covered" ? "repeating" : "reading";
    this.#isDoubtful = false;
    this.#isLacking = false;
    this.#isRefused = false;
    this.#counting = new Tally(this.#limits);
    if (this.#newFiles.isFirstPass) this.#tally = this.#counting;
    this.#inventories.begin();
    await this.#walk("", true, signal, ready);
    await this.#reader.settled();
    const pause = pauses(this.#ports.clock);
    const isOver = () => signal.aborted || this.#abort.signal.aborted;
    await this.#inventories.decide(pause, isOver);
    for await (const path of this.#inventories.unfound(pause, isOver)) this.look(path);
    await this.#reader.settled();
    if (this.#isLacking) this.#stage = "reading"; // another pass follows soon
    if (isOver() || this.#isLacking) return;
    const coveredAt = this.#counting.leftOut.overLimit === 0 ? began : undefined;
    await this.#ports.store.baselines.markCovered(coveredAt);
    this.#stage = "covered";
    this.#tally = this.#counting;
    // A watch begins a moment after its request: a change in between came without a hint.
    if (this.#newFiles.isFirstPass) this.doubt();
    this.#newFiles.passed(coveredAt);
    const failure = await storeFailure(this.#inventories.save());
    if (failure !== undefined) this.#ports.report("cover.unsaved", { reason: failure.message });
  }

  /** A text that differs after each change of the files with baselines, or of the rules that leave files out. */
  get generation(): string {
    return `${this.#ports.store.baselines.generation} ${this.#rules}`;
  }

  /** Notes a change of the ignored files: the next pass treats no file as new. */
  rulesChanged(): void {
    this.#rules++;
    this.#newFiles.rulesChanged();
    this.doubt();
  }

  /** Looks at a path that no loaded document has, and deals with a change there. */
  look(path: DocPath): void {
    const { files, store } = this.#ports;
    const seen = files.look(path);
    const isFolder = isFileProblem(seen) && seen.kind === "not_file";
    if (this.#events.skips(path, isFolder)) return;
    const baseline = store.baselines.at(path);
    const isListed = this.#listed.has(folderOf(path));
    if (!isFileProblem(seen)) {
      if (isListed || baseline !== undefined) this.#compare(path, seen, { fresh: true, inPass: false });
    } else if (seen.kind === "missing") this.#missing(path, baseline);
    // This includes a folder that was listed before, because another folder may be in its place.
    else if (isFolder && isListed) this.#reader.background(this.#enter(path));
  }

  /** Resolves once the cover has dealt with every file that differed. */
  settled(): Promise<void> {
    return this.#reader.settled();
  }

  /** Removes stored contents that no baseline needs any more (I15). @throws StoreError */
  forgetContents(): Promise<void> {
    return this.#contents.forget(this.#abort.signal);
  }

  close(): Promise<void> {
    this.#abort.abort();
    this.#reader.close();
    this.#passingFiles.close();
    return this.#ports.surveyor.close();
  }

  #missing(path: DocPath, baseline: Baseline | undefined): void {
    const { store, files, watcher } = this.#ports;
    if (!files.isRootPresent()) return;
    this.#counting.uncount(path);
    if (baseline !== undefined) this.#reader.missing(baseline);
    if (!this.#listed.has(path)) return;
    watcher.unwatch(`${files.root}/${path}`);
    for (const folder of this.#listed)
      if (folder === path || folder.startsWith(`${path}/`)) {
        this.#listed.delete(folder);
        this.#newFiles.forget(folder);
      }
    for (const inside of store.baselines.list(path)) this.#reader.missing(inside);
  }

  /** Covers a folder that appeared, with its subfolders, and lists it once more after its watch has begun. */
  async #enter(folder: DocPath): Promise<void> {
    const { signal } = this.#abort;
    const listAll = () => this.#walk(folder, false, signal);
    await listAll();
    const again = this.#ports.clock.sleep(WATCH_MS, signal).then(listAll);
    again.catch((error: unknown) => this.#ports.report("cover.failed", { reason: String(error) }));
  }

  /** Lists a folder and all folders beneath it, and compares their files with the inventories. */
  #walk(folder: string, inPass: boolean, signal: AbortSignal, ready?: Promise<void>): Promise<void> {
    const compare = (found: SurveyedFolder) => this.#compareFolder(found, inPass);
    return listFolders(folder, (folders) => this.#list(folders, inPass), compare, signal, ready);
  }

  #list(folders: readonly string[], inPass: boolean): Promise<readonly SurveyedFolder[]> {
    const { watcher, files, surveyor } = this.#ports;
    // Each folder is watched before it is listed, so that no change comes between.
    for (const folder of folders) watcher.watch(folder === "" ? files.root : `${files.root}/${folder}`);
    const known = (folder: string) => (inPass ? this.#inventories.known(folder) : { folder });
    return surveyor.list(folders.map(known), this.#limits.maxFileBytes);
  }

  async #compareFolder(found: SurveyedFolder, inPass: boolean): Promise<void> {
    const { folder } = found;
    if ("problem" in found) {
      if (found.problem.kind !== "missing") this.#counting.leaveUnread(folder);
      if (found.problem.kind !== "missing") this.#newFiles.unreadable(folder);
      return;
    }
    const wasClosed = this.#newFiles.isUnreadable(folder);
    this.#newFiles.readable(folder);
    if (wasClosed) for (const inside of found.folders) this.#newFiles.unreadable(inside);
    this.#listed.add(folder);
    if (inPass) this.#inventories.take(found, this.#counting);
    const compared = this.#newFiles.listed(folder);
    let isWhole = true;
    const pause = pauses(this.#ports.clock);
    for (const { name, stamps } of found.inventory === undefined ? [] : openFiles(found.inventory)) {
      const rest = pause() ?? this.#reader.room();
      if (rest !== undefined) await rest;
      const path = (folder === "" ? name : `${folder}/${name}`) as DocPath;
      const isNew = !inPass || this.#newFiles.appeared(path) || this.#newFiles.isNewer(stamps);
      if (!this.#compare(path, stamps, { fresh: isNew && !wasClosed, inPass })) isWhole = false;
    }
    compared(isWhole);
  }

  /** Requests the reading of a file that differs from its baseline. Returns false for a file that stays without one. */
  #compare(
    path: DocPath,
    stamps: Stamps,
    how: { readonly fresh: boolean; readonly inPass: boolean },
  ): boolean {
    const [{ store }, { size }, { fresh, inPass }] = [this.#ports, stamps, how];
    const baseline = store.baselines.at(path);
    const isKnown = baseline !== undefined || hasDocument(store, path);
    if (!isKnown && this.#passingFiles.has(path, stamps.ctimeNs)) return true;
    const waiting = isKnown ? undefined : this.#reader.waiting;
    const left = this.#counting.leavesOut(path, size, { waiting, inPass });
    // If such a file becomes small enough, it is then not new.
    if (left === "tooLarge" && !isKnown) this.#reader.noteTooLarge(path);
    if (left !== undefined) return left !== "overLimit";
    if (isKnown && (baseline === undefined || sameStamps(baseline.image, stamps))) {
      if (inPass && (baseline === undefined || baseline.sha256 !== undefined)) this.#counting.add(1, size);
      return true;
    }
    const isNew = fresh && !this.#newFiles.isUnreadable(path);
    // The cover reads no file whose baseline the store would refuse.
    const isLeft = baseline === undefined && !isNew && this.#isRefused;
    if (isLeft) this.#counting.leave("unsaved");
    else this.#reader.add({ path, size, isNew, inPass });
    return !isLeft;
  }

  /** Notes that the cover found files without a baseline; they are not new. */
  #unread(): void {
    this.#isLacking = true;
    this.#newFiles.doubt();
    this.doubt();
  }
}
