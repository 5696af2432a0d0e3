import { signal } from "@preact/signals";

/** The number of open items of each view, for the badges of the sidebar. */
export const counts = signal({ proposals: 0, areMoreProposals: false, notices: 0, problems: 0 });

/** Returns a number for a badge, as `3`, or `200+` if there are more. */
export function badgeText(count: number, areMore = false): string {
  return `${count.toLocaleString("en")}${areMore ? "+" : ""}`;
}
