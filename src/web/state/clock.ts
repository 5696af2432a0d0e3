import { signal } from "@preact/signals";

const TICK_MS = 20_000;

/** The time, in milliseconds since the epoch, as often as "2 minutes ago" has to be right. */
export const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, TICK_MS);
