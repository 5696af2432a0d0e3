import type { Clock } from "../../mirror/clock.ts";
import { breather } from "../base/breath.ts";
import type { Sealer } from "../members/sealer.ts";
import type { Opened } from "../messages/message.ts";
import { mayTouch } from "../messages/rights.ts";
import type { Applier } from "./apply.ts";
import { NotNow } from "./not-now.ts";
import type { Patience } from "./patience.ts";
import { type Aside, type AsideParts, RETRY_MS, setAside } from "./set-aside.ts";

export interface MessageParts extends AsideParts {
  readonly sealer: Sealer;
  readonly applier: Pick<Applier, "apply">;
  readonly clock: Clock;
  readonly patience: Patience;
  readonly report: (event: string, details: Readonly<Record<string, unknown>>) => void;
}

/** An item that was passed over: its machine may not change the document, or it was set aside. */
interface Passed {
  readonly event: "link.denied" | Aside;
  /** The id of the document or record. */
  readonly doc: string;
  readonly reason?: string;
}

/**
 * Applies the items of a message in their order. After a failure it waits, calls `settle`, and begins with the first item
 * again: the store may have refused earlier ones meanwhile, and the others have no effect a second time (MA111). It passes
 * over an item that it cannot read, or one with a defect after some attempts, so that one document stops no other (I14).
 * Of a document that lacks changes already, it tries each item once. It reports the items that it passed over together: a
 * message may have thousands.
 */
export async function applyMessage(
  parts: MessageParts,
  { machine, number, message: { items }, after }: Opened,
  settle: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { state, sealer, applier, clock, patience, report } = parts;
  const source = { machine, number, after };
  const breathe = breather(clock);
  const tries = items.map(() => 0);
  const passed = new Map<number, Passed>();
  for (let i = 0; i < items.length; ) {
    if (i > 0) await breathe();
    if (signal.aborted) return;
    const item = items[i]!;
    if (item.is === "unreadable") {
      const { doc, reason } = item;
      const isAllowed = mayTouch(parts, doc, source);
      passed.set(
        i++,
        isAllowed
          ? { event: setAside(parts, doc, source, reason), doc, reason }
          : { event: "link.denied", doc },
      );
      continue;
    }
    try {
      const applying = applier.apply(item, source);
      if (applying !== undefined) await applying;
      i++;
    } catch (error) {
      if (signal.aborted) return;
      const doc = item.is === "record" ? item.id : item.doc;
      const most = state.document(doc)?.lacks === undefined ? patience.triesFor(machine) : 1;
      if (!(error instanceof NotNow) && ++tries[i]! >= most) {
        const event = item.is === "record" ? "link.defect" : setAside(parts, doc, source, error);
        if (event === "link.defect") patience.failed(machine);
        passed.set(i++, { event, doc, reason: String(error) });
        continue;
      }
      report("link.waiting", { machine: sealer.nameOf(machine), reason: String(error) });
      await clock.sleep(RETRY_MS, signal);
      await settle();
      i = 0;
    }
  }
  for (const event of ["link.denied", "link.defect", "link.lacks"] as const) {
    const [first, ...others] = [...passed.values()].filter((one) => one.event === event);
    if (first === undefined) continue;
    const { event: _event, ...about } = first;
    report(event, { machine: sealer.nameOf(machine), ...about, items: 1 + others.length });
  }
}
