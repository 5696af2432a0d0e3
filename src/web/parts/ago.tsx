import { now } from "../state/clock.ts";
import { timeAgo } from "./time-ago.ts";

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** Shows when something was, and the exact time as a tooltip. */
export function Ago({ time }: { readonly time: string }) {
  const at = new Date(time);
  return (
    <time class="ago" dateTime={time} title={exact.format(at)}>
      {timeAgo(at.getTime(), now.value)}
    </time>
  );
}
