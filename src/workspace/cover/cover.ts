import { type Image, isFileProblem, type Listed, onDevice, sameImage } from "../../mirror/files.ts";
import { type DocPath, folderOf } from "../../mirror/path.ts";
import type { Baseline } from "../../store/baselines.ts";
import { BaselineMoves } from "./baseline-moves.ts";
import { BaselineReader } from "./baseline-reader.ts";
import { Contents } from "./contents.ts";
import type { CoverEvents, CoverPorts, CoverStatus } from "./cover-ports.ts";
import { everyBaseline } from "./every-baseline.ts";
import { NewFiles } from "./new-files.ts";
import { PassingFiles } from "./passing-files.ts";
import type { SurveyedFolder } from "./surveyor.ts";
import { type FileLimits, Tally } from "./tally.ts";

/** Folders that one job of the surveyor lists. */
const FOLDERS_A_JOB = 32;
/** The time by which the watch of a folder has begun; milliseconds. */
const WATCH_MS = 1_000;

/**
 * Owns what the daemon knows of files that no document has (I16). It reads each text file once and keeps the text as the
 * file's baseline. It watches all folders. It opens the document of a file that changed, appeared or went missing; the
 * document records the change.
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
  readonly #moves: BaselineMoves;
  readonly #passingFiles: PassingFiles;
  /** Folders that were listed; they are watched. */
  readonly #listed = new Set<string>();
  readonly #newFiles: NewFiles;
  #stage: CoverStatus["stage"] = "waiting";
  readonly #abort = new AbortController();
  #passing: Promise<unknown> = Promise.resolve();
  #isDoubtful = false;
  /** True when files got no baseline since the last pass began, though they should. */
  #isLacking = false;
  /** True when the store refused baselines since the last pass began. */
  #isRefused = false;
  /** The count of the last pass, or of the first one as it goes on; and that of the pass under way. */
  #tally: Tally;
  #counting: Tally;

  constructor(ports: CoverPorts, limits: FileLimits, events: CoverEvents) {
    this.#ports = ports;
    this.#limits = limits;
    this.#events = events;
    this.#newFiles = new NewFiles(ports.store.baselines.coveredAt);
    this.#moves = new BaselineMoves(ports.store.baselines);
    this.#tally = new Tally(limits);
    this.#counting = this.#tally;
    this.#contents = new Contents(ports.store.baselines);
    this.#passingFiles = new PassingFiles(ports.files, ports.clock, (path) => this.look(path));
    this.#reader = new BaselineReader({ ...ports, contents: this.#contents }, limits.maxFileBytes, {
      open: events.open,
      isMoved: events.isMoved,
      saved: (baseline) => {
        this.#moves.add(baseline);
        this.#newFiles.readable(baseline.path);
      },
      unread: () => this.#unread(),
      unsaved: (files) => {
        this.#isRefused = true;
        this.#counting.leave("unsaved", files);
        this.#unread();
      },
      covered: ({ image, inPass }) => inPass && this.#counting.add(image.size),
      unreadable: (path, { kind }) => {
        this.#counting.leaveUnread(path);
        if (kind !== "changed") this.#newFiles.unreadable(path);
      },
    });
  }

  get status(): CoverStatus {
    const { files, bytes, leftOut, unread } = this.#tally;
    return { stage: this.#stage, files, bytes, leftOut, unread };
  }

  /** Counts a file of `bytes` bytes that somebody made or removed; during a pass, the pass counts. */
  count(event: "created" | "deleted", bytes: number): void {
    if (this.#stage !== "covered") return;
    if (event === "created") this.#tally.add(bytes);
    else this.#tally.remove(bytes);
  }

  /** Returns true for a file that was made after its folder was covered. */
  isNew(path: DocPath): boolean {
    if (this.#ports.store.baselines.at(path) !== undefined) return false;
    return this.#reader.asked(path)?.isNew ?? this.#newFiles.appeared(path);
  }

  /** As `NewFiles.learn`. */
  learn(paths: readonly DocPath[]): void {
    if (this.#limits.maxFiles > 0) this.#newFiles.learn(paths);
  }

  /** Returns the path where a file that no document has was before: `image` is the file now. */
  movedFrom(image: Image): DocPath | undefined {
    return this.#moves.from(image)?.path as DocPath | undefined;
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
   * Covers every text file; resolves once each has a baseline, or its document took in what became of it. A pass begins
   * when the one before has ended.
   */
  pass(signal: AbortSignal): Promise<void> {
    const passing = this.#passing.then(() => this.#pass(signal));
    this.#passing = passing.catch(() => undefined);
    return passing;
  }

  async #pass(signal: AbortSignal): Promise<void> {
    if (this.#limits.maxFiles === 0) return; // the setting turns the cover off
    const { baselines } = this.#ports.store;
    const began = this.#ports.clock.now();
    this.#stage = "reading";
    this.#isDoubtful = false;
    this.#isLacking = false;
    this.#isRefused = false;
    this.#counting = new Tally(this.#limits);
    if (this.#newFiles.isFirstPass) this.#tally = this.#counting;
    await this.#moves.load();
    const seen = new Set<string>();
    const folders: string[] = [""];
    while (folders.length > 0 && !signal.aborted) {
      folders.push(...(await this.#list(folders.splice(0, FOLDERS_A_JOB), { seen, inPass: true })));
      await this.#reader.room();
    }
    if (signal.aborted) return;
    for await (const { path } of everyBaseline(baselines)) if (!seen.has(path)) this.look(path as DocPath);
    await this.#reader.settled();
    if (signal.aborted) return;
    if (this.#isLacking) return; // another pass follows soon
    const coveredAt = this.#counting.leftOut.overLimit === 0 ? began : undefined;
    await baselines.markCovered(coveredAt);
    this.#stage = "covered";
    this.#tally = this.#counting;
    // A watch begins a moment after it was requested: a change in between came without a hint.
    if (this.#newFiles.isFirstPass) this.doubt();
    this.#newFiles.passed(coveredAt);
  }

  /** Notes that other files are ignored than before: the next pass takes files that it finds then for old. */
  rulesChanged(): void {
    this.#newFiles.rulesChanged();
    this.doubt();
  }

  /** Finds out what became of a path that no loaded document has. */
  look(path: DocPath): void {
    const { files, store } = this.#ports;
    const seen = files.look(path);
    const isFolder = isFileProblem(seen) && seen.kind === "not_file";
    if (this.#events.skips(path, isFolder)) return;
    const baseline = store.baselines.at(path);
    const isListed = this.#listed.has(folderOf(path));
    if (!isFileProblem(seen)) {
      if (isListed || baseline !== undefined) this.#compare({ path, image: seen }, true, false);
    } else if (seen.kind === "missing") this.#missing(path, baseline);
    // Also a folder that was listed before: another one may be in its place.
    else if (isFolder && isListed) this.#reader.background(this.#enter(path));
  }

  /** Resolves once every file that was found to differ is dealt with. */
  settled(): Promise<void> {
    return this.#reader.settled();
  }

  /** Removes stored contents that nothing needs any more (I15). @throws StoreError */
  forgetContents(): Promise<void> {
    return this.#contents.forget();
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

  /**
   * Covers a folder that appeared, with its subfolders, and lists it once more: the watch of a folder begins a moment
   * after it was requested.
   */
  async #enter(folder: DocPath): Promise<void> {
    await this.#listAll(folder);
    const again = this.#ports.clock.sleep(WATCH_MS, this.#abort.signal).then(() => this.#listAll(folder));
    again.catch((error: unknown) => this.#ports.report("cover.failed", { reason: String(error) }));
  }

  async #listAll(folder: DocPath): Promise<void> {
    const folders: string[] = [folder];
    while (folders.length > 0 && !this.#abort.signal.aborted)
      folders.push(...(await this.#list(folders.splice(0, FOLDERS_A_JOB), { inPass: false })));
  }

  /** Lists folders and compares their files with what is known of them; returns the subfolders. */
  async #list(
    folders: readonly string[],
    how: { readonly seen?: Set<string>; readonly inPass: boolean },
  ): Promise<readonly DocPath[]> {
    const { watcher, files, surveyor } = this.#ports;
    // Each folder is watched before it is listed, so that no change comes between.
    for (const folder of folders) watcher.watch(folder === "" ? files.root : `${files.root}/${folder}`);
    const listed = await surveyor.list(folders);
    return listed.flatMap((found) => this.#comparedFolder(found, how));
  }

  #comparedFolder(
    found: SurveyedFolder,
    { seen, inPass }: { readonly seen?: Set<string>; readonly inPass: boolean },
  ): readonly DocPath[] {
    if ("problem" in found) {
      if (found.problem.kind === "missing") return [];
      this.#counting.leaveUnread(found.folder);
      this.#newFiles.unreadable(found.folder);
      return [];
    }
    const wasClosed = this.#newFiles.isUnreadable(found.folder);
    this.#newFiles.readable(found.folder);
    if (wasClosed) for (const inside of found.folders) this.#newFiles.unreadable(inside);
    this.#listed.add(found.folder);
    let isWhole = true;
    for (const file of found.files) {
      seen?.add(file.path);
      const isNew = !inPass || this.#newFiles.appeared(file.path) || this.#newFiles.isNewer(file.image);
      if (!this.#compare(file, isNew && !wasClosed, inPass)) isWhole = false;
    }
    this.#newFiles.listed(found.folder, isWhole);
    return found.folders;
  }

  /** Has a file read that is not as its baseline says. Returns false for a file beyond the limits. */
  #compare({ path, image }: Listed, fresh: boolean, inPass: boolean): boolean {
    const { baselines } = this.#ports.store;
    const baseline = baselines.at(path);
    const isKnown = baseline !== undefined || this.#hasDocument(path);
    if (!isKnown && this.#passingFiles.has({ path, image })) return true;
    const left = this.#counting.leavesOut(image.size, isKnown ? undefined : this.#reader.waiting);
    // Once such a file is small enough, it was there before.
    if (left === "tooLarge" && !isKnown) this.#reader.background(baselines.save([{ path, image }], []));
    if (left !== undefined) return left !== "overLimit";
    if (isKnown && (baseline === undefined || sameImage(onDevice(baseline.image, image.dev), image))) {
      if (inPass && (baseline === undefined || baseline.sha256 !== undefined)) this.#counting.add(image.size);
      return true;
    }
    const isNew = fresh && !this.#newFiles.isUnreadable(path);
    if (baseline === undefined && !isNew && this.#isRefused) {
      this.#counting.leave("unsaved"); // without reading it in vain
      return true;
    }
    this.#reader.add({ path, image, isNew, inPass });
    return true;
  }

  /** Notes that files that were found have no baseline: they are no new ones. */
  #unread(): void {
    this.#isLacking = true;
    this.#newFiles.doubt();
    this.doubt();
  }

  /** Returns true for the path of a document that has a file: the document looks after it. */
  #hasDocument(path: DocPath): boolean {
    const record = this.#ports.store.documentAt(path);
    return record !== undefined && record.deletedAt === undefined;
  }
}
