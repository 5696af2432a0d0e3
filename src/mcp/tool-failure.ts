/** A failure of a tool whose message says what happened and what to do next, for the model. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
}
