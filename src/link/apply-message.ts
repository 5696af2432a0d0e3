import type { Clock } from "../mirror/clock.ts";
import type { Applier } from "./apply.ts";
import type { LinkState } from "./link-state.ts";
import type { Opened } from "./message.ts";
import { NotNow } from "./not-now.ts";
import type { Places } from "./places.ts";
import type { Sealer } from "./sealer.ts";

/** The pause before what the store refused is applied again, in milliseconds. */
export const RETRY_MS = 500;
/** The number of attempts to apply an item with a defect. */
const MOST_TRIES = 10;

export interface MessageParts {
  readonly state: Pick<LinkState, "lacks">;
  readonly sealer: Pick<Sealer, "nameOf">;
  readonly applier: Pick<Applier, "apply">;
  readonly places: Pick<Places, "settleLater">;
  readonly clock: Clock;
  readonly report: (event: string, details: Readonly<Record<string, unknown>>) => void;
}

/**
 * Applies the items of a message in their order. After a failure it waits, calls `settle`, and begins with the first item
 * again: the store may have refused earlier ones meanwhile, and the others have no effect a second time (MA111). It passes
 * over an item with a defect after some attempts, so that one document stops no other (I14).
 */
export async function applyMessage(
  { state, sealer, applier, places, clock, report }: MessageParts,
  { machine, number, message: { items }, after }: Opened,
  settle: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const source = { machine, number, after };
  const tries = items.map(() => 0);
  for (let i = 0; i < items.length; ) {
    const item = items[i]!;
    try {
      const applying = applier.apply(item, source);
      if (applying !== undefined) await applying;
      i++;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof NotNow) && ++tries[i]! >= MOST_TRIES) {
        const doc = item.is === "record" ? item.id : item.doc;
        if (item.is !== "record") state.lacks(doc, machine, number, String(error));
        if (item.is !== "record") places.settleLater(doc); // the error may have ended the document's object
        report("link.defect", { machine: sealer.nameOf(machine), doc, reason: String(error) });
        i++;
        continue;
      }
      report("link.waiting", { machine: sealer.nameOf(machine), reason: String(error) });
      await clock.sleep(RETRY_MS, signal);
      await settle();
      i = 0;
    }
  }
}
