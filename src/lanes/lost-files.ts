import type { Clock } from "../mirror/clock.ts";
import type { Files, Image, Listed, Skip } from "../mirror/files.ts";
import { isMissing } from "../mirror/is-missing.ts";
import type { Fate } from "../mirror/mirrored-document.ts";
import type { DocPath } from "../mirror/path.ts";
import type { LaneFiles } from "./lane-files.ts";

/** Files that go missing within this time of each other are decided together; milliseconds. */
const GATHER_MS = 100;
/** If this many files of the lane are missing, and at least half of all, it takes none of them for deleted. */
const MASS = 10;
const MASS_SHARE = 0.5;

/** If more files than these are not known, none of them is read. */
const FEW = 16;

interface LostParts {
  readonly skips: Skip;
  readonly known: LaneFiles;
  /** Returns true for a path whose file is being taken in. */
  readonly isInUse: (path: DocPath) => boolean;
  /** As `Arrivals.moved`, which alone decides what a file is. */
  readonly moved: (path: DocPath, image: Image) => Promise<boolean>;
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
    const { known } = this.#parts;
    const fates = new Map<DocPath, Fate>();
    const { there, moved, others } = await this.#walk();
    const many = this.#areMany(there, moved);
    const sought = new Set([...paths].filter((path) => !moved.has(path) && known.hadFile(path)));
    // Another file may be the missing one with another text. Its reading may take longer than the files are gathered.
    if (sought.size > 0 && others.length <= FEW)
      for (const { path, image } of others) await this.#parts.moved(path, image);
    for (const path of paths) {
      const to = moved.get(path);
      const isMoved = to !== undefined || (sought.has(path) && !known.hadFile(path));
      if (to !== undefined) await this.#parts.moved(to.path, to.image);
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

  /** Returns the paths of all files, by their former paths those under other names, and the others that are not known. */
  async #walk(): Promise<{
    readonly there: ReadonlySet<DocPath>;
    readonly moved: ReadonlyMap<DocPath, Listed>;
    readonly others: readonly Listed[];
  }> {
    const others: Listed[] = [];
    const there = new Set<DocPath>();
    const moved = new Map<DocPath, Listed>();
    const { known, isInUse, skips } = this.#parts;
    for await (const { path, image } of this.#files.walk(skips)) {
      there.add(path);
      if (known.get(path) !== undefined || isInUse(path)) continue;
      const from = known.movedFrom(image);
      if (from !== undefined && isMissing(this.#files, from)) moved.set(from, { path, image });
      else others.push({ path, image });
    }
    return { there, moved, others };
  }
}
