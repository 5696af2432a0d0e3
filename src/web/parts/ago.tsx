import { now } from "../state/base/clock.ts";
import { clockTime, timeAgo } from "./time-ago.ts";

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** Shows when something was, or since when it is, and the exact time as a tooltip. */
export function Ago({ time, since = false }: { readonly time: string; readonly since?: boolean }) {
  const at = new Date(time);
  return (
    <time class="ago" dateTime={time} title={exact.format(at)}>
      {(since ? clockTime : timeAgo)(at.getTime(), now.value)}
    </time>
  );
}
