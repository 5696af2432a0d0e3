import { join, relative, sep } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type Files, type Image, isFileProblem, type Listed, sameImage } from "../mirror/files.ts";
import { isMissing } from "../mirror/is-missing.ts";
import { type DocPath, folderOf, isPathProblem, parsePath } from "../mirror/path.ts";
import { isWithin } from "../paths/within.ts";
import { PassingFiles } from "../workspace/cover/passing-files.ts";
import type { Ports } from "../workspace/ports.ts";
import type { LaneFiles } from "./records/lane-files.ts";

/** If this many hints come together, the system may have dropped others. The lane then looks at all files. */
const BURST = 50;
/** The number of files to look at in one turn of the event loop. */
const LOOKS_A_TURN = 64;
/** The time between two looks at all files, and while the system does not watch all folders; milliseconds. */
const PASS_MS = 60_000;
const UNWATCHED_MS = 5_000;
/** The time by which the watch of a folder has begun; milliseconds. */
const WATCH_MS = 1_000;
/** The time after which the lane looks again at all files if a look failed; milliseconds. */
const FAILED_MS = 5_000;

interface LookedAt {
  readonly ports: Ports;
  readonly files: Files;
  readonly known: LaneFiles;
  /** Called for a known file that changed. */
  readonly changed: (path: DocPath) => void;
  /** Called for a known file that is missing, before `appeared` for the same file at another path. */
  readonly missing: (path: DocPath) => void;
  /** Called for a file that is not known. */
  readonly appeared: (path: DocPath, image: Image) => void;
  /** Called with the error of a look that hints began. */
  readonly failed: (error: unknown) => void;
}

/** Finds the changes in a lane's folder, from hints and by looks at the files (I9). */
export class LaneLooks {
  readonly #lane: LookedAt;
  readonly #passing: PassingFiles;
  readonly #hinted = new Set<string>();
  #begin: () => void = () => {};
  /** Hints wait for the first look at all files, because a moved file is found best when the missing ones are known. */
  #looking = new Promise<void>((begin) => {
    this.#begin = begin;
  });
  #underWay: Promise<void> | undefined;
  /** The look at all files after the one under way; undefined if nobody has asked for it. */
  #next: Promise<void> | undefined;
  #passed = 0;
  readonly #watched = new Set<string>();
  /** The time of the next look at all files, because watches begin a moment after their request. */
  #again = Number.POSITIVE_INFINITY;
  #closed = false;

  constructor(lane: LookedAt) {
    this.#lane = lane;
    const again = (path: DocPath) => this.hint(join(lane.files.root, path));
    this.#passing = new PassingFiles({ ...lane.ports, files: lane.files }, again);
  }

  /** Receives a hint of a possible change at an absolute path; returns false for a path outside the lane. */
  hint(absolute: string): boolean {
    const { root } = this.#lane.files;
    if (!isWithin(absolute, root)) return false;
    if (this.#closed) return true;
    if (this.#hinted.size === 0)
      this.#looking = this.#looking
        .then(() => setImmediate())
        .then(() => this.#lookInto())
        .catch((error: unknown) => {
          this.#lookAgain();
          this.#lane.failed(error);
        });
    this.#hinted.add(absolute);
    return true;
  }

  /** True when it is time to look at all files. */
  get isDue(): boolean {
    const { clock, watcher } = this.#lane.ports;
    if (clock.elapsed() >= this.#again) return true;
    return clock.elapsed() - this.#passed >= (watcher.trouble === undefined ? PASS_MS : UNWATCHED_MS);
  }

  /**
   * Looks at all files, and watches all of their folders; waits for a look under way, which may be past a change. @throws
   * the system's error
   */
  pass(): Promise<void> {
    const underWay = this.#underWay;
    if (underWay === undefined) return this.#run();
    this.#next ??= underWay
      .catch(() => undefined) // who asked for that look gets its error
      .then(() => {
        this.#next = undefined;
        return this.#underWay ?? this.#run();
      });
    return this.#next;
  }

  #run(): Promise<void> {
    this.#underWay = this.#pass()
      .catch((error: unknown) => {
        this.#lookAgain();
        throw error;
      })
      .finally(() => {
        this.#underWay = undefined;
        this.#begin();
      });
    return this.#underWay;
  }

  /** Resolves once every hint so far is handled. */
  async settled(): Promise<void> {
    await this.#looking;
    await (this.#next ?? this.#underWay)?.catch(() => undefined);
  }

  close(): void {
    this.#closed = true;
    this.#begin();
    this.#passing.close();
    this.#lane.ports.watcher.unwatch(this.#lane.files.root);
  }

  async #pass(): Promise<void> {
    const { ports, files, known } = this.#lane;
    this.#passed = ports.clock.elapsed();
    this.#again = Number.POSITIVE_INFINITY;
    if (!files.isRootPresent()) return;
    ports.ignored.refresh();
    const seen = new Set<DocPath>();
    const folders = new Set<string>([""]);
    const unknown: Listed[] = [];
    for await (const { path, image } of files.walk(ports.ignored.skips)) {
      if (this.#closed) return;
      if (seen.add(path).size % LOOKS_A_TURN === 0) await setImmediate();
      for (let at = folderOf(path); !folders.has(at); at = folderOf(at as DocPath)) folders.add(at);
      if (known.get(path) === undefined) unknown.push({ path, image });
      else this.#compare(path, image);
    }
    for (const folder of folders) this.#watch(folder);
    for (const { path, image } of known.all())
      if (image !== undefined && !seen.has(path)) this.#lane.missing(path);
    for (const { path, image } of unknown) this.#compare(path, image);
  }

  #lookAgain(): void {
    this.#again = Math.min(this.#again, this.#lane.ports.clock.elapsed() + FAILED_MS);
  }

  async #lookInto(): Promise<void> {
    const hinted = [...this.#hinted];
    this.#hinted.clear();
    if (hinted.length >= BURST) return this.pass();
    this.#lane.ports.ignored.refresh();
    const paths = hinted.flatMap((absolute) => {
      const path = parsePath(relative(this.#lane.files.root, absolute).split(sep).join("/"));
      return isPathProblem(path) ? [] : [path];
    });
    const { known } = this.#lane;
    const isHere = (path: DocPath) => known.get(path) !== undefined || this.#watched.has(path);
    for (const path of paths.filter(isHere)) await this.#lookAt(path);
    for (const path of paths.filter((path) => !isHere(path))) await this.#lookAt(path);
  }

  async #lookAt(path: DocPath): Promise<void> {
    const { ports, files, known } = this.#lane;
    const seen = files.look(path);
    if (!isFileProblem(seen)) {
      if (ports.ignored.ruleFor(path) === undefined) this.#compare(path, seen);
      return;
    }
    if (seen.kind === "missing" && known.get(path)?.image !== undefined) this.#lane.missing(path);
    if (seen.kind === "missing" && this.#watched.delete(path)) this.#missingIn(path);
    if (seen.kind !== "not_file" || ports.ignored.ruleForFolder(path) !== undefined) return;
    const list = await files.list(path, ports.ignored.skips);
    if (isFileProblem(list)) return;
    this.#watched.delete(path); // a folder that is made again is watched anew
    this.#watch(path);
    for (const { path: file, image } of list.files) this.#compare(file, image);
    for (const folder of list.folders) await this.#lookAt(folder);
  }

  /** Takes in that a folder of the lane is gone. If it was moved, the system tells nothing of what it contained. */
  #missingIn(folder: string): void {
    const { files, known, missing } = this.#lane;
    for (const { path, image } of known.all())
      if (image !== undefined && path.startsWith(`${folder}/`) && isMissing(files, path)) missing(path);
  }

  #watch(folder: string): void {
    const { ports, files } = this.#lane;
    ports.watcher.watch(join(files.root, folder));
    if (!this.#watched.has(folder)) this.#again = ports.clock.elapsed() + WATCH_MS;
    this.#watched.add(folder);
  }

  #compare(path: DocPath, image: Image): void {
    const { known, changed, appeared } = this.#lane;
    const record = known.get(path);
    if (record === undefined) {
      if (!this.#passing.has(path, image.ctimeNs)) appeared(path, image);
    } else if (record.image === undefined || !sameImage(record.image, image)) changed(path);
  }
}
