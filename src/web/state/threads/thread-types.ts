import type { Result } from "../../../protocol/schemas/schemas.ts";

/** A thread in the list of a document's threads, with its anchors in that document. */
export type ListedThread = Result<"thread.list">["threads"][number];
type ReadThread = Result<"thread.get">;
export type ThreadSummary = ReadThread["thread"];
export type ThreadMessage = ReadThread["messages"][number];
export type ThreadAnchor = ReadThread["anchors"][number];
/** The answer under way. */
export type AnswerDraft = NonNullable<ReadThread["draft"]>;
export type PlanStep = AnswerDraft["plan"][number];
export type ToolCall = AnswerDraft["tools"][number];
