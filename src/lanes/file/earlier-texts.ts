import type { Document } from "../../workspace/document/document.ts";
import type { LaneFileRecord } from "../records/record.ts";
import type { ShownText } from "./shown-texts.ts";
import { textOf } from "./take-in.ts";

/** Returns the earlier texts of a record that the history still has, oldest first. */
export function earlierTexts(
  { written, replaced }: LaneFileRecord,
  document: Document | undefined,
): ShownText[] {
  return [written, replaced].flatMap((earlier) => {
    const text = earlier && textOf(document, earlier);
    return earlier && text ? { seq: earlier.seq, since: earlier.since, text } : [];
  });
}
