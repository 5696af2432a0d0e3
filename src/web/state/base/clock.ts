import { signal } from "@preact/signals";

/** Milliseconds between two updates of `now`. */
const TICK_MS = 20_000;

/** The time in milliseconds since the epoch, updated often enough for texts like "just now". */
export const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, TICK_MS);
