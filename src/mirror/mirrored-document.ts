import type { FileProblem, Image, Staged } from "./files.ts";
import type { Decoded } from "./format.ts";

/** What the file should hold, and what has to happen before it may. */
export interface Wanted {
  /** Handed back when the file holds this; later content has a larger mark. */
  readonly mark: number;
  readonly content: Decoded;
  /** Resolves once the store holds it: the file never runs ahead of the journal (I2). */
  readonly durable: Promise<unknown>;
}

/** What became of a missing file; `unsure`: too many are missing at once to believe it. */
export type Fate = "deleted" | "moved" | "unsure";

/** The document on whose behalf a file is mirrored. Called at once, never from within its own calls. */
export interface MirroredDocument {
  /** Undefined while the file is known to hold everything. */
  wanted(): Wanted | undefined;
  /** True when the file is known to hold everything up to a mark. */
  holds(mark: number): boolean;
  /** What the disk replica says the file holds. */
  known(): Decoded;
  /**
   * A new version is staged as this file; resolves once that is noted, for whoever comes after a crash, or
   * with why it cannot be.
   */
  staged(mark: number, staged: Pick<Staged, "id" | "image">): Promise<FileProblem | undefined>;
  landed(mark: number, image: Image): void;
  /** True when a save is to be taken in as it is; it may take asking others to know. */
  meant(content: Decoded, bytes: Uint8Array): boolean | Promise<boolean>;
  /** Somebody saved the file, and this is what they saved; `meant` is what was found out of it. */
  saved(content: Decoded, image: Image, meant: boolean): void;
  /** Somebody wrote into what the file was before: `known` became `content`, beside all that came since. */
  late(known: Decoded, content: Decoded): void;
  /** The file is the same but its stamp moved. */
  touched(image: Image): void;
  /** The file stayed away for the grace time: what became of it. When it was moved, `moved` was called. */
  fate(): Promise<Fate>;
  /** The file was deleted. */
  gone(): void;
  /** The file cannot be read or written, or (undefined) can again. */
  blocked(problem: Blocked | undefined): void;
  /** A defect came to light; the document must not go on as it is, others must (I14). */
  broken(error: unknown): void;
}

export type Blocked = FileProblem | { readonly kind: "not_text"; readonly message: string };
