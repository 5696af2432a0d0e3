import type { Splice } from "../splice.ts";
import type { Text } from "../text.ts";
import { diff } from "./diff.ts";

/** Returns the splices that change only the real differences between the replaced text and `insert`. */
export function minimal(text: Text, { from: start, to: end, insert }: Splice): Splice[] {
  return diff(text.slice(start, end), insert).map(({ from, to, insert }) => ({
    from: start + from,
    to: start + to,
    insert,
  }));
}
