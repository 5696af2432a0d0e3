import { plural } from "../../state/plural.ts";

/** How much waits on a document. */
export function pendingText(proposals: number, edits: number): string {
  const parts = [
    ...(proposals > 0 ? [plural(proposals, "proposal")] : []),
    ...(edits > 0 ? [`${plural(edits, "edit")} to confirm`] : []),
  ];
  return `${parts.join(" and ")} ${proposals + edits === 1 ? "waits" : "wait"}`;
}
