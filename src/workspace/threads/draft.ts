import { MESSAGE_BYTES, MOST_ANSWER_PARTS } from "../../work/bounds.ts";
import { type Outcome, Refusal } from "../outcome/refusal.ts";
import type { AnswerPart, Draft, ToolCall } from "./thread.ts";

export const EMPTY_DRAFT: Draft = { text: "", thought: "", plan: [], tools: [], index: 0 };

/** Adds parts to an answer under way: all of them, or none if the answer would exceed a bound. */
export function addParts(draft: Draft, parts: readonly AnswerPart[]): Outcome<Draft> {
  const index = draft.index + parts.length;
  if (index > MOST_ANSWER_PARTS)
    return new Refusal("OVERLOADED", `one answer has at most ${MOST_ANSWER_PARTS} parts`, {
      suggestion: "The daemon added no part. Send longer parts, or end the answer with thread.append.",
      details: { parts: index, limit: MOST_ANSWER_PARTS },
    });
  let { text, thought, plan, tools } = draft;
  for (const part of parts)
    switch (part.kind) {
      case "text":
        text = part.again ? part.text : text + part.text;
        break;
      case "thought":
        thought = part.again ? part.text : thought + part.text;
        break;
      case "plan":
        plan = part.steps;
        break;
      case "tool": {
        const { kind: _, ...call } = part;
        tools = withCall(tools, call);
        break;
      }
    }
  const after = { text, thought, plan, tools, index };
  const bytes = sizeOf(after);
  if (bytes > MESSAGE_BYTES)
    return new Refusal("TOO_LARGE", `the answer would have ${bytes} bytes; the limit is ${MESSAGE_BYTES}`, {
      suggestion:
        "The daemon added no part. End the answer with thread.append, and write long text into a document.",
      details: { bytes, limit: MESSAGE_BYTES },
    });
  return after;
}

/** Returns true for an answer with text or tool calls. */
export function hasContent({ text, tools }: Draft): boolean {
  return text !== "" || tools.length > 0;
}

/** Returns the calls with a further one, which replaces the call of the same id. */
function withCall(tools: readonly ToolCall[], call: ToolCall): readonly ToolCall[] {
  const at = tools.findIndex(({ id }) => id === call.id);
  return at < 0 ? [...tools, call] : tools.with(at, call);
}

/** Returns an upper bound of an answer's size, in bytes, without counting a long text at each part. */
function sizeOf({ text, thought, plan, tools }: Draft): number {
  const atMost = 3 * (text.length + thought.length);
  const texts = atMost <= MESSAGE_BYTES ? atMost : Buffer.byteLength(text) + Buffer.byteLength(thought);
  const lists = plan.length + tools.length === 0 ? 0 : Buffer.byteLength(JSON.stringify([plan, tools]));
  return texts + lists;
}
