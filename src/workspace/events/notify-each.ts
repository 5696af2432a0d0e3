import type { Ports } from "../ports.ts";

/**
 * Calls each listener. A listener that throws does not keep the others from their call: the report
 * `listener.failed` names the event and the reason, once for each throw.
 */
export function notifyEach<L>(
  listeners: Iterable<L>,
  notify: (listener: L) => void,
  { news, report }: { readonly news: string; readonly report: Ports["report"] },
): void {
  callEach(listeners, notify, (error) => report("listener.failed", { news, reason: String(error) }));
}

/** Calls each listener; `failed` receives the error of each one that throws. */
export function callEach<L>(
  listeners: Iterable<L>,
  call: (listener: L) => void,
  failed: (error: unknown) => void,
): void {
  for (const listener of listeners)
    try {
      call(listener);
    } catch (error) {
      failed(error);
    }
}
