const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const dayOfYear = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

const MINUTE_MS = 60_000;

/**
 * Returns a time as people name it: `just now` within a minute, then `14:05`, and with its day if that is another one.
 * Both times are in milliseconds since the epoch.
 */
export function timeAgo(at: number, from: number): string {
  return from - at < MINUTE_MS ? "just now" : clockTime(at, from);
}

/** Returns a time as people name the beginning of something that lasts: as `timeAgo`, but never `just now`. */
export function clockTime(at: number, from: number): string {
  const [then, now] = [new Date(at), new Date(from)];
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  if (then.toDateString() === now.toDateString()) return clock.format(then);
  if (then.toDateString() === yesterday.toDateString()) return `yesterday ${clock.format(then)}`;
  if (then.getFullYear() === now.getFullYear()) return `${day.format(then)}, ${clock.format(then)}`;
  return dayOfYear.format(then);
}
