import { safeCut } from "../positions.ts";

/**
 * The mode in which a patch is read and placed: exactly, or ignoring small differences that a person has to confirm
 * (R1).
 */
export type Match = "strict" | "tolerant";

/** The reason for refusing a patch. */
export type PatchReason =
  | "context_mismatch"
  | "context_ambiguous"
  | "context_overflow"
  | "unexpected_eof"
  | "invalid_header"
  | "empty_hunk"
  | "empty_diff"
  | "range_overlap"
  | "range_overflow"
  | "range_mismatch"
  | "multiple_files"
  | "already_applied";

/** A refused patch, of which nothing is applied. Its snippets are for the caller and never for logs (R8). */
export interface PatchFailure {
  readonly reason: PatchReason;
  /** The number of the refused hunk, from 1. */
  readonly hunk?: number;
  /** The 1-based line: of the patch for a reading failure, of the document for a placing failure. */
  readonly line?: number;
  /** True for a patch that would create, delete, rename or copy a file. */
  readonly wholeFile?: true;
  /** A message for a model: the expected text and the actual text. */
  readonly message: string;
  /** The lines that the hunk expects, without line endings; at most 50, as in the fields below. */
  readonly expected?: readonly string[];
  /** The 1-based line of the document at which `expected` should begin and `actual` begins. */
  readonly start?: number;
  /** The document's lines at the hunk's stated place. */
  readonly actual?: readonly string[];
  /** The 1-based lines at which the hunk would match. */
  readonly candidates?: readonly number[];
  /** The document's lines that are most like the expected ones. */
  readonly nearest?: {
    readonly line: number;
    readonly text: readonly string[];
  };
}

/** Returns a reading failure at an index of the patch's lines. */
export function refusedAt(reason: PatchReason, at: number, text: string): PatchFailure {
  return { reason, line: at + 1, message: `Line ${at + 1} of the patch: ${text}` };
}

export function isPatchFailure(x: object): x is PatchFailure {
  return "reason" in x;
}

/** Returns a line for a message: quoted, with unusual characters escaped, and cut when long. */
export function quote(line: string): string {
  return JSON.stringify(line.length > 80 ? `${line.slice(0, safeCut(line, 77))}...` : line);
}
