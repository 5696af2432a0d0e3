import { safeCut } from "./positions.ts";

/** How a patch is read and placed: as it stands, or making allowances that somebody has to confirm (R1). */
export type Match = "strict" | "tolerant";

/** Why a patch was refused. */
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

/** A refused patch: nothing of it applies. Snippets in it are for the caller, never for logs (R8). */
export interface PatchFailure {
  readonly reason: PatchReason;
  /** 1-based. */
  readonly hunk?: number;
  /** 1-based; of the patch while it is being read, of the document once it is being placed. */
  readonly line?: number;
  /** For a model to act on: what was expected, what is there, what to do. */
  readonly message: string;
  /** Lines that the hunk expects, without line endings; at most 50, as in the fields below. */
  readonly expected?: readonly string[];
  /** The line (1-based) of the document at which `expected` should, and `actual` does, begin. */
  readonly start?: number;
  /** Lines that stand at the hunk's stated place. */
  readonly actual?: readonly string[];
  /** Lines (1-based) at which the hunk would match. */
  readonly candidates?: readonly number[];
  /** The lines most like what the hunk expects. */
  readonly nearest?: {
    readonly line: number;
    readonly text: readonly string[];
  };
}

/** A failure in reading, at an index of the patch's lines. */
export function refusedAt(reason: PatchReason, at: number, text: string): PatchFailure {
  return { reason, line: at + 1, message: `Line ${at + 1} of the patch: ${text}` };
}

export function isPatchFailure(x: object): x is PatchFailure {
  return "reason" in x;
}

/** A line as it is shown in a message: quoted, with unusual characters escaped, and cut when long. */
export function quote(line: string): string {
  return JSON.stringify(line.length > 80 ? `${line.slice(0, safeCut(line, 77))}...` : line);
}
