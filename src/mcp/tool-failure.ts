/** A failure of a tool, with the cause and the next step in its message, for the model. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
}
