import type { FileProblem, FileReading, Image, ReadWatch, Staged, StagedId } from "./files.ts";
import type { Decoded } from "./format.ts";

/** The content that the file should get, and the condition for writing it. */
export interface Wanted {
  /** Names this content when it lands; later content has a larger mark. */
  readonly mark: number;
  readonly content: Decoded;
  /** Resolves when the store has the content's edits: the file never contains an edit that the journal lacks (I2). */
  readonly durable: Promise<unknown>;
}

/**
 * The fate of a missing file. `unsure`: too many files are missing at once to call this one deleted. `undecided`: a later
 * look asks again.
 */
export type Fate = "deleted" | "moved" | "unsure" | "undecided";

/** The first miss of a file. */
export interface FirstMissed {
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** True once the file has been missing for the grace time. */
  readonly isOver: boolean;
}

/** The reason why the store refused the note of a staged version; `mayBeNoted`: it may have a note of it all the same. */
export interface Unnoted extends FileProblem {
  readonly mayBeNoted: boolean;
}

/** A save that an earlier process displaced unseen, as the document notes it until the merge of it is durable. */
export interface UnseenSave {
  /** The version that displaced it. */
  readonly by: StagedId;
  /** The message of the change that merges it. */
  readonly message: string;
}

/** The document of a mirrored file. The mirror never calls it from within the document's own calls. */
export interface MirroredDocument {
  /** Returns the content to write; undefined while the file is known to contain every edit. */
  wanted(): Wanted | undefined;
  /** Returns true when the file is known to contain every edit up to a mark. */
  holds(mark: number): boolean;
  /** Returns the content of the file according to the disk replica. */
  known(): Decoded;
  /**
   * Notes, for the next process after a crash, that a new version of the file is staged. Resolves when the note is
   * durable, or with the problem that prevents this.
   */
  staged(mark: number, staged: Pick<Staged, "id" | "image">): Promise<Unnoted | undefined>;
  /** Notes that the daemon wrote the file; `watch` reports readings by other processes, and the document closes it. */
  landed(mark: number, image: Image, watch: ReadWatch | undefined): void;
  /** Notes that the content was in the file for an instant, before a save that came meanwhile went back to its place. */
  exposed(mark: number): void;
  /** Returns true when a save removes no edit that its author may not have seen, or is a version from git. */
  isDeliberate(content: Decoded, reading: FileReading): boolean | Promise<boolean>;
  /** Merges a save of the file by another process; the document rescues no edit that a deliberate save lacks. */
  saved(content: Decoded, image: Image, deliberate: boolean): void;
  /**
   * Merges a write into a file that was displaced before: there `known` became `content`. Returns a promise that
   * resolves once the merge is durable; undefined when nothing is to be stored. `unseen` is set for a save that an earlier
   * process displaced unseen.
   */
  savedLate(known: Decoded, content: Decoded, unseen?: UnseenSave): Promise<unknown> | undefined;
  /** Notes a new stamp of the file, whose content is the same. */
  touched(image: Image): void;
  /** Returns when the file was first missed, if that was before a look of the mirror. */
  missed?(): FirstMissed | undefined;
  /**
   * Finds the reason why the file is missing for the whole grace time. For a moved file, `moved` of the mirror was
   * called.
   */
  fate(): Promise<Fate>;
  /** Records that the file was deleted; it was first missed at `noticed`, in milliseconds since the epoch. */
  fileDeleted(noticed: number): void;
  /** Reports that the file cannot be read or written, or (undefined) that it can again. */
  blocked(problem: Blocked | undefined): void;
  /** Reports a defect. The daemon must load this document anew; other documents go on (I14). */
  broken(error: unknown): void;
}

export type Blocked = FileProblem | { readonly kind: "not_text"; readonly message: string };
