import { plural } from "../../state/base/plural.ts";

/** Returns the number of proposals and edits to review, as `2 proposals and 1 edit to review`. */
export function pendingText(proposals: number, edits: number): string {
  const parts = [
    ...(proposals > 0 ? [plural(proposals, "proposal")] : []),
    ...(edits > 0 ? [plural(edits, "edit")] : []),
  ];
  return `${parts.join(" and ")} to review`;
}
