import type { Ports } from "../ports.ts";

/**
 * Calls `notify` with each listener. If a call throws, the other listeners are still notified, and the report
 * `listener.failed` names the news and the reason.
 */
export function notifyEach<L>(
  listeners: Iterable<L>,
  notify: (listener: L) => void,
  { news, report }: { readonly news: string; readonly report: Ports["report"] },
): void {
  for (const listener of listeners)
    try {
      notify(listener);
    } catch (error) {
      report("listener.failed", { news, reason: String(error) });
    }
}
