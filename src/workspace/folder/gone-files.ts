import type { Clock } from "../../mirror/clock.ts";
import type { Files, Image } from "../../mirror/files.ts";
import { isMissing } from "../../mirror/is-missing.ts";
import type { Fate } from "../../mirror/mirrored-document.ts";
import type { DocPath } from "../../mirror/path.ts";
import { pauses } from "../../work/pause.ts";

/** Files that go missing within this time of each other are decided together; milliseconds. */
const GATHER_MS = 50;
/** The most such times that a decision waits for further files. */
const MOST_GATHERINGS = 40;
/** The number of files up to which their documents wait for them side by side, without a common decision. */
const FEW = 32;
/** Documents that are opened side by side. */
const TOGETHER = 32;
/** The most documents in memory that show that their files wait for a person. */
const MOST_SHOWN = 100;

/** A missing file: its last known image, and the time at which it was first missed, in milliseconds since the epoch. */
export interface Missed {
  readonly image: Image;
  readonly since: number;
}

/** The fates of files whose documents are not in memory. */
export interface Decision {
  /** The new paths of moved files. */
  readonly moved: readonly DocPath[];
  readonly deleted: ReadonlyMap<DocPath, Missed>;
  /** The files that the daemon does not treat as deleted before a person confirms it (I10). */
  readonly unsure: ReadonlyMap<DocPath, Missed>;
}

interface GonePorts {
  readonly files: Files;
  readonly clock: Clock;
  readonly graceMs: number;
  readonly report: (event: string, details: Readonly<Record<string, unknown>>) => void;
}

interface GoneEvents {
  /** Opens the document of a file to take in the file's fate. */
  readonly open: (path: DocPath) => Promise<unknown>;
  /** Looks at a file that is there again. */
  readonly back: (path: DocPath) => void;
  /** Decides the fate of files that were missing for the grace time. */
  readonly decide: (missed: ReadonlyMap<DocPath, Missed>) => Promise<Decision>;
  /** Called with the files whose documents are opened next, and their fate; with none, once these are open. */
  readonly opening: (missed: ReadonlyMap<DocPath, Missed>, fate: Fate) => void;
}

/**
 * Owns the missing files whose documents are not in memory. It decides many together, with one walk through the folder,
 * before it opens their documents. Each such document is in memory for a moment only (I15).
 */
export class GoneFiles {
  readonly #ports: GonePorts;
  readonly #events: GoneEvents;
  readonly #waiting = new Map<DocPath, Missed>();
  /** Files whose documents are being opened and wait for them side by side. */
  #few: ReadonlyMap<DocPath, Missed> = new Map();
  /** Files that wait for a person, and files that a person accepted as deleted. */
  readonly #held = new Map<DocPath, Missed>();
  readonly #accepted = new Map<DocPath, Missed>();
  /** Files whose deletion is being recorded. */
  #deleting: ReadonlyMap<DocPath, Missed> | undefined;
  readonly #abort = new AbortController();
  #working: Promise<void> | undefined;

  constructor(ports: GonePorts, events: GoneEvents) {
    this.#ports = ports;
    this.#events = events;
  }

  /** Adds a missing file; `image` is its last known image. */
  add(path: DocPath, image: Image): void {
    if (this.#waiting.has(path) || this.#held.has(path)) return;
    this.#waiting.set(path, { image, since: this.#ports.clock.now() });
    this.#start();
  }

  /** Returns when a file was first missed that is not decided yet. */
  missedSince(path: DocPath): number | undefined {
    return (this.#waiting.get(path) ?? this.#few.get(path))?.since;
  }

  /** Receives a hint that a file may be there again. */
  hint(path: DocPath): void {
    if (this.#held.delete(path)) this.#events.back(path);
  }

  /**
   * Resolves once the documents of all missing files have taken in the files' fates, or the files wait for a person.
   */
  async settled(): Promise<void> {
    while (this.#working !== undefined) await this.#working;
  }

  /** Accepts that the files that wait for a person were deleted; returns their number. */
  release(): number {
    const { size } = this.#held;
    for (const [path, one] of this.#held) this.#accepted.set(path, one);
    this.#held.clear();
    this.#start();
    return size;
  }

  /** Returns true for a deleted file whose document has not recorded the deletion yet. */
  isDeleted(path: DocPath): boolean {
    return this.#accepted.has(path) || this.#deleting?.has(path) === true;
  }

  close(): void {
    this.#abort.abort();
    this.#waiting.clear();
    this.#accepted.clear();
  }

  #start(): void {
    if (this.#working !== undefined || this.#waiting.size + this.#accepted.size === 0) return;
    this.#working = this.#work().then(
      () => {
        this.#working = undefined;
        this.#start();
      },
      (error: unknown) => {
        this.#working = undefined; // the next missing file starts it again
        this.#ports.report("cover.failed", { reason: String(error) });
      },
    );
  }

  async #work(): Promise<void> {
    const { clock, graceMs } = this.#ports;
    const { signal } = this.#abort;
    if (this.#accepted.size > 0) return this.#delete(taken(this.#accepted));
    for (let i = 0, before = -1; i < MOST_GATHERINGS && before !== this.#waiting.size; i++) {
      before = this.#waiting.size;
      await clock.sleep(GATHER_MS, signal);
    }
    const missed = taken(this.#waiting);
    if (missed.size <= FEW) return this.#openFew(missed);
    await clock.sleep(graceMs, signal);
    await this.#decide(await this.#stillMissing(missed));
  }

  async #decide(missed: ReadonlyMap<DocPath, Missed>): Promise<void> {
    const { moved, deleted, unsure } = await this.#events.decide(missed).catch((error: unknown) => {
      for (const [path, one] of missed) this.#waiting.set(path, one);
      throw error;
    });
    if (this.#abort.signal.aborted) return;
    await this.#open(moved);
    await this.#delete(deleted);
    // Some of them show a person the files for which the daemon waits.
    for (const [path, one] of unsure) this.#held.set(path, one);
    const shown = new Map([...unsure].slice(0, MOST_SHOWN));
    for (const path of shown.keys()) this.#held.delete(path);
    await this.#openAs("unsure", shown);
  }

  async #openFew(missed: ReadonlyMap<DocPath, Missed>): Promise<void> {
    this.#few = missed;
    await this.#open([...missed.keys()]);
    this.#few = new Map();
  }

  /** Records the deletion of files, a few at a time, so that the decision on each stays true. */
  async #delete(missed: ReadonlyMap<DocPath, Missed>): Promise<void> {
    const all = [...missed];
    this.#deleting = missed;
    try {
      for (let at = 0; at < all.length && !this.#abort.signal.aborted; at += TOGETHER) {
        const some = await this.#stillMissing(new Map(all.slice(at, at + TOGETHER)));
        await this.#openAs("deleted", some);
      }
    } finally {
      this.#deleting = undefined;
    }
  }

  /** Opens the documents of files whose fate is decided. */
  async #openAs(fate: Fate, missed: ReadonlyMap<DocPath, Missed>): Promise<void> {
    this.#events.opening(missed, fate);
    await this.#open([...missed.keys()]);
    this.#events.opening(new Map(), fate);
  }

  /** Opens documents; one that fails to open does not stop the others (I14). */
  async #open(paths: readonly DocPath[]): Promise<void> {
    const failed = (path: DocPath) => (error: unknown) =>
      this.#ports.report("document.defect", { path, reason: String(error) });
    for (let at = 0; at < paths.length && !this.#abort.signal.aborted; at += TOGETHER)
      await Promise.all(
        paths.slice(at, at + TOGETHER).map((path) => this.#events.open(path).catch(failed(path))),
      );
  }

  /** Returns the files that are still missing; the others are looked at. */
  async #stillMissing(missed: ReadonlyMap<DocPath, Missed>): Promise<Map<DocPath, Missed>> {
    const { files, clock } = this.#ports;
    const still = new Map<DocPath, Missed>();
    const pause = pauses(clock);
    for (const [path, one] of missed) {
      if (isMissing(files, path)) still.set(path, one);
      else this.#events.back(path);
      const rest = pause();
      if (rest !== undefined) await rest;
    }
    return files.isRootPresent() ? still : new Map();
  }
}

/** Returns the entries of a map, and empties it. */
function taken<K, V>(map: Map<K, V>): Map<K, V> {
  const all = new Map(map);
  map.clear();
  return all;
}
