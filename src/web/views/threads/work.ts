import type { AnswerDraft, ThreadMessage } from "../../state/threads/thread-types.ts";

/** The changes and proposals that answer a message. */
export interface AnswerWork {
  readonly changes: readonly string[];
  readonly proposals: readonly string[];
}

/**
 * Returns where the page shows the work for each question: below the last answer to it, below the answer under way
 * (`draft`), or below the question itself.
 */
export function placesOfWork(
  messages: readonly ThreadMessage[],
  draft: AnswerDraft | null,
): ReadonlyMap<string, AnswerWork> {
  const places = new Map<string, AnswerWork>();
  const put = (
    place: string,
    { changes = [], proposals = [] }: Pick<ThreadMessage, "changes" | "proposals">,
  ) => {
    if (changes.length + proposals.length === 0) return;
    const known = places.get(place) ?? { changes: [], proposals: [] };
    places.set(place, {
      changes: [...new Set([...known.changes, ...changes])],
      proposals: [...new Set([...known.proposals, ...proposals])],
    });
  };
  for (const message of messages) {
    const answer = messages.findLast(({ answers }) => answers === message.id);
    put(draft?.messageId === message.id ? DRAFT : (answer ?? message).id, message);
  }
  return places;
}

/** The place of the answer under way. */
export const DRAFT = "draft";
