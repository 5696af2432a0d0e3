import type { Sender } from "../messages/message.ts";
import type { LinkState } from "../state/link-state.ts";
import type { Places } from "./places.ts";

/** The pause before what the store refused is applied again, in milliseconds. */
export const RETRY_MS = 500;

export interface AsideParts {
  readonly state: Pick<LinkState, "lacks" | "document">;
  readonly places: Pick<Places, "settleLater">;
}

/** Why something was set aside: it has a defect, or its document lacks changes already. */
export type Aside = "link.defect" | "link.lacks";

/** Notes that something of another machine could not be applied to a document (I14); returns the event to report. */
export function setAside(
  { state, places }: AsideParts,
  doc: string,
  { machine, number }: Sender,
  error: unknown,
): Aside {
  const event = state.document(doc)?.lacks === undefined ? "link.defect" : "link.lacks";
  state.lacks(doc, machine, number, String(error));
  places.settleLater(doc); // the error may have ended the document's object
  return event;
}
