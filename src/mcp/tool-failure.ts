/** What a tool cannot do, and what to do instead, as the model is told. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
}
