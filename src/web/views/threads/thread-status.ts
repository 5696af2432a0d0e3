import { whoOf } from "../../state/changes/authors.ts";
import type { ThreadSummary } from "../../state/threads/thread-types.ts";

/** Returns the state of a thread for people. */
export function threadStatus({
  lease,
  waiting,
  status,
  last,
}: Pick<ThreadSummary, "lease" | "waiting" | "status" | "last">): {
  readonly text: string;
  readonly tone: string;
} {
  if (lease !== null) return { text: `${whoOf(lease)} answers …`, tone: "accent" };
  if (status === "resolved") return { text: "resolved", tone: "good" };
  if (waiting) return { text: "waits for an answer", tone: "warn" };
  return { text: last.incomplete === undefined ? `${whoOf(last)} answered` : "incomplete answer", tone: "" };
}
