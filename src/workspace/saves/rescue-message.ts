import type { Lacked } from "../../store/store.ts";

/** Returns the message of a rescue in the history: the restored edits, and the evidence that the save was stale. */
export function rescueMessage({ base, authors, evidence }: Lacked): string {
  const edits = `restores the edits of ${authors.join(", ")}`;
  switch (evidence) {
    case "claim":
      return `${edits}: the agent that saved had read ${base}`;
    case "editor":
      return `${edits}: the editor that saved had loaded ${base}`;
    case "unread":
      return `${edits}: no program had read them when the file was saved`;
    default:
      return `${edits} that a save made from ${base} lacked`;
  }
}
