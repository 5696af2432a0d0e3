import type { Ports } from "../ports.ts";

/**
 * Calls each listener. One that throws keeps no other from hearing: the report `listener.failed` names the news
 * that it was told and the reason, once for each throw.
 */
export function notifyEach<L>(
  listeners: Iterable<L>,
  tell: (listener: L) => void,
  { news, report }: { readonly news: string; readonly report: Ports["report"] },
): void {
  for (const listener of listeners)
    try {
      tell(listener);
    } catch (error) {
      report("listener.failed", { news, reason: String(error) });
    }
}
