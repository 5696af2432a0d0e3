import type { Result } from "../../protocol/schemas/schemas.ts";
import { paint, whoOf } from "../terminal/output.ts";
import { localTime } from "../terminal/times.ts";

/** The characters of a day, as in 2026-11-28. */
const DAY_CHARS = 10;

/** Returns the lines that show who wrote each part of a text, in columns. The places count code points of `text`. */
export function blameLines({ runs }: Pick<Result<"blame">, "runs">, text: string): string[] {
  const chars = Array.from(text);
  const names = column(runs.map(({ author, machine }) => whoOf({ author: author ?? "", machine })));
  const days = column(
    runs.map(({ time }) => (time === null ? "older" : localTime(time).slice(0, DAY_CHARS))),
  );
  const ids = column(runs.map(({ changeId }) => changeId ?? ""));
  return runs.flatMap(({ from, to, line }, run) => {
    const who = `${paint("cyan", names[run]!)} ${paint("dim", `${days[run]} ${ids[run]}`)}`;
    const parts = chars.slice(from, to).join("").split("\n");
    return parts.flatMap((part, i) =>
      part === "" ? [] : [`${who} ${String(line + i).padStart(5)}  ${part}`],
    );
  });
}

/** Returns the texts, each as wide as the widest. */
function column(texts: readonly string[]): string[] {
  const width = Math.max(0, ...texts.map(({ length }) => length));
  return texts.map((text) => text.padEnd(width));
}
