/** The reason why an answer ended before its end, in a sentence for the person who asked. */
export class AnswerFailure extends Error {
  override readonly name = "AnswerFailure";
  /** `stopped` if a person, or the end of this process, ended the answer; otherwise `failed`. */
  readonly kind: "stopped" | "failed";

  constructor(message: string, kind: AnswerFailure["kind"] = "failed") {
    super(message);
    this.kind = kind;
  }
}
