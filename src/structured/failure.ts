/** Why a structured document is not edited. */
export type FailureReason =
  /** The text is not of its format, or uses what cannot be edited byte for byte. */
  | "invalid_document"
  /** The key leads through something that has no such field or item. */
  | "no_such_field"
  /** The value cannot stand there. */
  | "invalid_value"
  /** The format has no editor here. */
  | "unknown_format"
  /** The edit would have changed something else, too, and was not made. */
  | "not_carried"
  /** More work than one edit may ask for. */
  | "too_large";

/** A refused edit; nothing of it applies. The message says what was expected and what is there. */
export class StructureFailure {
  readonly reason: FailureReason;
  readonly message: string;
  /** 1-based, of the text that was being read. */
  readonly line: number | undefined;
  readonly suggestion: string | undefined;

  constructor(reason: FailureReason, message: string, options: { line?: number; suggestion?: string } = {}) {
    this.reason = reason;
    this.message = message;
    this.line = options.line;
    this.suggestion = options.suggestion;
  }
}

export type Attempt<T> = T | StructureFailure;

/** The line (1-based) of an index. */
export function lineOf(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < index; at = text.indexOf("\n", at + 1)) line++;
  return line;
}
