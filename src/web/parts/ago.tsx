import { now } from "../state/clock.ts";

const STEPS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, ms: number])[] = [
  ["year", 31_557_600_000],
  ["month", 2_629_800_000],
  ["week", 604_800_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** Shows how long ago something was, and the exact time as a tooltip. */
export function Ago({ time }: { readonly time: string }) {
  const at = new Date(time);
  return (
    <time class="ago" dateTime={time} title={exact.format(at)}>
      {timeAgo(at.getTime(), now.value)}
    </time>
  );
}

/** Returns a time as words, as `2 minutes ago`. Both times are in milliseconds since the epoch. */
export function timeAgo(at: number, from: number): string {
  const passed = from - at;
  const step = STEPS.find(([, ms]) => passed >= ms);
  return step === undefined ? "just now" : words.format(-Math.floor(passed / step[1]), step[0]);
}
