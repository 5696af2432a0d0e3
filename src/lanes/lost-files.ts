import type { Clock } from "../mirror/clock.ts";
import { type Files, type Image, isFileProblem, type Skip } from "../mirror/files.ts";
import type { Fate } from "../mirror/mirrored-document.ts";
import type { DocPath } from "../mirror/path.ts";
import type { LaneFiles } from "./lane-files.ts";

/** Files that go missing within this time of each other are decided together; milliseconds. */
const GATHER_MS = 100;
/** If this many files are missing, and at least half of all, the lane takes none of them for deleted. */
const MASS = 10;
const MASS_SHARE = 0.5;

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
  readonly #allowed = new Set<DocPath>();
  readonly #stopped = new AbortController();

  constructor(files: Files, clock: Clock, parts: LostParts) {
    this.#files = files;
    this.#clock = clock;
    this.#parts = parts;
  }

  async fateOf(path: DocPath): Promise<Fate> {
    if (this.#allowed.delete(path)) return "deleted";
    if (this.#gathering === undefined) {
      const paths = new Set(this.#unsure);
      this.#gathering = { paths, fates: this.#decide(paths) };
    }
    const { paths, fates } = this.#gathering;
    paths.add(path);
    return (await fates).get(path) ?? "unsure";
  }

  /** Accepts that the files that wait were deleted; returns them. */
  allow(): readonly DocPath[] {
    const paths = [...this.#unsure];
    this.#unsure.clear();
    for (const path of paths) this.#allowed.add(path);
    return paths;
  }

  close(): void {
    this.#stopped.abort();
  }

  async #decide(paths: Set<DocPath>): Promise<Map<DocPath, Fate>> {
    await this.#clock.sleep(GATHER_MS, this.#stopped.signal);
    this.#gathering = undefined;
    const fates = new Map<DocPath, Fate>();
    for (const path of paths) if (!isFileProblem(this.#files.look(path))) paths.delete(path);
    for (const [from, { path, image }] of await this.#found(paths)) {
      await this.#parts.moved(path, image);
      fates.set(from, "moved");
    }
    const lost = [...paths].filter((path) => !fates.has(path));
    const many = lost.length >= MASS && lost.length >= MASS_SHARE * this.#parts.known.size;
    this.#unsure.clear();
    for (const path of lost) {
      fates.set(path, many ? "unsure" : "deleted");
      if (many) this.#unsure.add(path);
    }
    return fates;
  }

  /** Finds missing files under other names. */
  async #found(paths: ReadonlySet<DocPath>): Promise<Map<DocPath, { path: DocPath; image: Image }>> {
    const found = new Map<DocPath, { path: DocPath; image: Image }>();
    const { known, isInUse, skips } = this.#parts;
    for await (const { path, image } of this.#files.walk(skips)) {
      if (known.get(path) !== undefined || isInUse(path)) continue;
      const from = known.movedFrom(image);
      if (from !== undefined && paths.has(from)) found.set(from, { path, image });
    }
    return found;
  }
}
