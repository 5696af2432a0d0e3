import { signal } from "@preact/signals";

/** The number of open items of each view, for the badges of the sidebar. */
export const counts = signal({ proposals: 0, notices: 0, problems: 0 });
