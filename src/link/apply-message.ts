import type { Clock } from "../mirror/clock.ts";
import type { Applier } from "./apply.ts";
import { breather } from "./breath.ts";
import type { Opened, UnreadableItem } from "./message.ts";
import { NotNow } from "./not-now.ts";
import { mayTouch } from "./rights.ts";
import type { Sealer } from "./sealer.ts";
import { type AsideParts, MOST_TRIES, noteAside, RETRY_MS, setAside } from "./set-aside.ts";

export interface MessageParts extends AsideParts {
  readonly sealer: Sealer;
  readonly applier: Pick<Applier, "apply">;
  readonly clock: Clock;
}

/**
 * Applies the items of a message in their order. After a failure it waits, calls `settle`, and begins with the first item
 * again: the store may have refused earlier ones meanwhile, and the others have no effect a second time (MA111). It passes
 * over an item that it cannot read, or one with a defect after some attempts, so that one document stops no other (I14).
 * Of a document that lacks changes already, it tries each item once.
 */
export async function applyMessage(
  parts: MessageParts,
  { machine, number, message: { items }, after }: Opened,
  settle: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { state, sealer, applier, clock, report } = parts;
  const source = { machine, number, after };
  const breathe = breather(clock);
  const tries = items.map(() => 0);
  const passed = new Map<UnreadableItem, "link.denied" | "link.defect">();
  for (let i = 0; i < items.length; ) {
    if (i > 0) await breathe();
    if (signal.aborted) return;
    const item = items[i]!;
    if (item.is === "unreadable") {
      const isAllowed = mayTouch(parts, item.doc, source);
      if (isAllowed) noteAside(parts, item.doc, source, item.reason);
      passed.set(item, isAllowed ? "link.defect" : "link.denied");
      i++;
      continue;
    }
    try {
      const applying = applier.apply(item, source);
      if (applying !== undefined) await applying;
      i++;
    } catch (error) {
      if (signal.aborted) return;
      const doc = item.is === "record" ? item.id : item.doc;
      const most = state.document(doc)?.lacks === undefined ? MOST_TRIES : 1;
      if (!(error instanceof NotNow) && ++tries[i]! >= most) {
        if (item.is !== "record") setAside(parts, doc, source, error);
        else report("link.defect", { machine: sealer.nameOf(machine), doc, reason: String(error) });
        i++;
        continue;
      }
      report("link.waiting", { machine: sealer.nameOf(machine), reason: String(error) });
      await clock.sleep(RETRY_MS, signal);
      await settle();
      i = 0;
    }
  }
  for (const event of ["link.denied", "link.defect"] as const)
    reportUnreadable(
      parts,
      machine,
      event,
      [...passed.keys()].filter((item) => passed.get(item) === event),
    );
}

/** Reports unreadable items of a message together: it may have thousands of them. */
function reportUnreadable(
  { sealer, report }: MessageParts,
  machine: string,
  event: "link.denied" | "link.defect",
  [first, ...others]: readonly UnreadableItem[],
): void {
  if (first === undefined) return;
  const reason = event === "link.defect" ? { reason: first.reason } : {};
  report(event, { machine: sealer.nameOf(machine), doc: first.doc, ...reason, items: 1 + others.length });
}
