/** The reason for refusing an edit of a structured document. */
export type FailureReason =
  /** The text is invalid in its format, or uses syntax that cannot be edited byte for byte. */
  | "invalid_document"
  /** The key leads through a value that has no such field or item. */
  | "no_such_field"
  /** The value is not valid at that place. */
  | "invalid_value"
  /** No editor exists for the format. */
  | "unknown_format"
  /** The edit would have changed something else, too, and was not applied. */
  | "not_carried"
  /** The edit needs more work than one edit may. */
  | "too_large";

/** A refused edit, of which nothing is applied. Its message gives the expected and the actual state. */
export class StructureFailure {
  readonly reason: FailureReason;
  readonly message: string;
  /** The 1-based line of the text that was read. */
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

/** Returns the 1-based line of an index. */
export function lineOf(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < index; at = text.indexOf("\n", at + 1)) line++;
  return line;
}
