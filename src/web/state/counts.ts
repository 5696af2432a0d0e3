import { signal } from "@preact/signals";

/** How much waits for a person, by view. */
export const counts = signal({ proposals: 0, notices: 0, problems: 0 });
