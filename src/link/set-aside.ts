import type { LinkState } from "./link-state.ts";
import type { Sender } from "./message.ts";
import type { Places } from "./places.ts";

/** The pause before what the store refused is applied again, in milliseconds. */
export const RETRY_MS = 500;

export interface AsideParts {
  readonly state: Pick<LinkState, "lacks" | "document">;
  readonly places: Pick<Places, "settleLater">;
}

/** Notes that something of another machine could not be applied to a document, because of a defect (I14). */
export function setAside(
  { state, places }: AsideParts,
  doc: string,
  { machine, number }: Sender,
  error: unknown,
): void {
  state.lacks(doc, machine, number, String(error));
  places.settleLater(doc); // the error may have ended the document's object
}
