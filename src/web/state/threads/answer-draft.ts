import type { NotificationParams } from "../../../protocol/schemas/schemas.ts";
import type { AnswerDraft, ThreadSummary } from "./thread-types.ts";

type Parts = Pick<NotificationParams<"thread.part">, "messageId" | "index" | "parts">;

/** Returns an answer that has just begun; null without an answer. */
export function begunAnswer({ lease }: Pick<ThreadSummary, "lease">): AnswerDraft | null {
  if (lease === null) return null;
  const { author, agent, kind, messageId } = lease;
  return { author, agent, kind, messageId, text: "", thought: "", plan: [], tools: [], index: 0 };
}

/**
 * Adds parts to an answer, and skips parts that it already has. Returns undefined if parts are missing between them, or
 * if the parts are of another answer; then the thread has to be read again.
 */
export function withParts(
  draft: AnswerDraft | null,
  { messageId, index, parts }: Parts,
): AnswerDraft | undefined {
  if (draft === null || draft.messageId !== messageId) return undefined;
  const known = draft.index - (index - parts.length);
  if (known < 0) return undefined;
  return { ...parts.slice(known).reduce(withPart, draft), index: Math.max(draft.index, index) };
}

function withPart(draft: AnswerDraft, part: Parts["parts"][number]): AnswerDraft {
  switch (part.kind) {
    case "text":
      return { ...draft, text: part.again ? part.text : draft.text + part.text };
    case "thought":
      return { ...draft, thought: part.again ? part.text : draft.thought + part.text };
    case "plan":
      return { ...draft, plan: part.steps };
    case "tool": {
      const { kind: _kind, ...call } = part;
      const at = draft.tools.findIndex(({ id }) => id === call.id);
      return { ...draft, tools: at < 0 ? [...draft.tools, call] : draft.tools.with(at, call) };
    }
  }
}
