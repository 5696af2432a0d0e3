import type { Clock } from "../mirror/clock.ts";
import type { Files, Image, Skip } from "../mirror/files.ts";
import { isMissing } from "../mirror/is-missing.ts";
import type { Fate } from "../mirror/mirrored-document.ts";
import type { DocPath } from "../mirror/path.ts";
import type { Arrivals } from "./arrivals.ts";
import type { LaneFiles } from "./records/lane-files.ts";

/** Files that go missing within this time of each other are decided together; milliseconds. */
const GATHER_MS = 100;
/** If this many files of the lane are missing, and at least half of all, it takes none of them for deleted. */
const MASS = 10;
const MASS_SHARE = 0.5;

interface LostParts {
  readonly skips: Skip;
  readonly known: LaneFiles;
  /** Returns true for a path whose file is being taken in. */
  readonly isInUse: (path: DocPath) => boolean;
  /** Decides alone what a file is. */
  readonly arrivals: Pick<Arrivals, "decided" | "moved">;
}

/** Decides the fate of files that are missing in a lane: moved, deleted, or unsure, when many are missing at once. */
export class LostFiles {
  readonly #files: Files;
  readonly #clock: Clock;
  readonly #parts: LostParts;
  #gathering: { readonly paths: Set<DocPath>; readonly fates: Promise<Map<DocPath, Fate>> } | undefined;
  readonly #unsure = new Set<DocPath>();
  /** The files that a person accepted as deleted. */
  readonly #allowed = new Set<DocPath>();
  readonly #stopped = new AbortController();

  constructor(files: Files, clock: Clock, parts: LostParts) {
    this.#files = files;
    this.#clock = clock;
    this.#parts = parts;
  }

  /** Finds the fate of a missing file; `isHeld`: it was found to be missing before, and was not back since. */
  async fateOf(path: DocPath, isHeld: boolean): Promise<Fate> {
    if (this.#allowed.delete(path) && isHeld) return "deleted";
    if (this.#unsure.has(path) && isHeld) return "unsure";
    this.#unsure.delete(path);
    if (this.#gathering === undefined) {
      const paths = new Set<DocPath>();
      this.#gathering = { paths, fates: this.#decide(paths) };
    }
    const { paths, fates } = this.#gathering;
    paths.add(path);
    return (await fates).get(path) ?? "undecided";
  }

  /** Accepts that the files that wait were deleted; returns them. */
  allow(): readonly DocPath[] {
    const { known } = this.#parts;
    const paths = [...this.#unsure].filter((path) => known.hadFile(path) && isMissing(this.#files, path));
    this.#unsure.clear();
    for (const path of paths) this.#allowed.add(path);
    return paths;
  }

  close(): void {
    this.#stopped.abort();
  }

  async #decide(paths: ReadonlySet<DocPath>): Promise<Map<DocPath, Fate>> {
    await this.#clock.sleep(GATHER_MS, this.#stopped.signal);
    this.#gathering = undefined;
    const fates = new Map<DocPath, Fate>();
    const { known } = this.#parts;
    const had = new Set([...paths].filter((path) => known.hadFile(path)));
    await this.#parts.arrivals.decided(); // a missing file may be the one that is being read
    const { there, moved } = await this.#walk();
    const many = this.#areMany(there, moved);
    for (const path of paths) {
      const to = moved.get(path);
      const isMoved = to !== undefined || (had.has(path) && !known.hadFile(path));
      if (to !== undefined) await this.#parts.arrivals.moved(to.path, to.image);
      else if (many && !isMoved) this.#unsure.add(path);
      fates.set(path, isMoved ? "moved" : many ? "unsure" : "deleted");
    }
    return fates;
  }

  /** Returns true if most files are missing, noticed or not: the lane notices one deletion of many little by little. */
  #areMany(there: ReadonlySet<DocPath>, moved: ReadonlyMap<DocPath, unknown>): boolean {
    let [files, missing] = [0, 0];
    for (const { path, image } of this.#parts.known.all()) {
      if (image === undefined || image.size === 0) continue; // I10j
      files++;
      if (!there.has(path) && !moved.has(path) && isMissing(this.#files, path)) missing++;
    }
    return missing >= MASS && missing >= MASS_SHARE * files;
  }

  /** Returns the paths of all files, and by their former paths the files that are under other names. */
  async #walk(): Promise<{
    readonly there: ReadonlySet<DocPath>;
    readonly moved: ReadonlyMap<DocPath, { path: DocPath; image: Image }>;
  }> {
    const there = new Set<DocPath>();
    const moved = new Map<DocPath, { path: DocPath; image: Image }>();
    const { known, isInUse, skips } = this.#parts;
    for await (const { path, image } of this.#files.walk(skips)) {
      there.add(path);
      if (known.get(path) !== undefined || isInUse(path)) continue;
      const from = known.movedFrom(image);
      if (from !== undefined && isMissing(this.#files, from)) moved.set(from, { path, image });
    }
    return { there, moved };
  }
}
