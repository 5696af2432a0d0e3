import type { LinkState } from "./link-state.ts";
import type { Sender } from "./message.ts";
import type { Places } from "./places.ts";
import type { Sealer } from "./sealer.ts";

/** The pause before what the store refused is applied again, in milliseconds. */
export const RETRY_MS = 500;

export interface AsideParts {
  readonly state: Pick<LinkState, "lacks" | "document">;
  readonly sealer: Pick<Sealer, "nameOf">;
  readonly places: Pick<Places, "settleLater">;
  readonly report: (event: string, details: Readonly<Record<string, unknown>>) => void;
}

/** Notes that something of another machine could not be applied to a document, because of a defect, and reports it (I14). */
export function setAside(parts: AsideParts, doc: string, source: Sender, error: unknown): void {
  noteAside(parts, doc, source, error);
  const machine = parts.sealer.nameOf(source.machine);
  parts.report("link.defect", { machine, doc, reason: String(error) });
}

/** As `setAside`, without a report. */
export function noteAside(
  { state, places }: Pick<AsideParts, "state" | "places">,
  doc: string,
  { machine, number }: Sender,
  error: unknown,
): void {
  state.lacks(doc, machine, number, String(error));
  places.settleLater(doc); // the error may have ended the document's object
}
