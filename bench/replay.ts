import { pipeline } from "./pipeline.ts";
import type { Trace } from "./trace.ts";
import type { Wire } from "./wire.ts";

export const IN_FLIGHT = 64;

/**
 * Replays a trace's edits, one request a transaction. Returns the milliseconds from the first request until all edits
 * are answered and `finish` has resolved. @throws when the replay ends with another text
 */
export async function replay(
  wire: Wire,
  trace: Trace,
  edits: Trace["units"],
  path: string,
  finish: () => Promise<unknown> = async () => undefined,
): Promise<number> {
  await wire.request("doc.create", { path, text: trace.start });
  const started = performance.now();
  await pipeline(`replay of ${trace.name}`, edits.length, IN_FLIGHT, (i) =>
    wire.request("edit.splice", {
      path,
      version: "latest",
      splices: edits[i],
      ack: "durable",
      opId: `${path}-${i}`,
    }),
  );
  await finish();
  const ms = performance.now() - started;
  const { text } = await wire.request<{ text: string }>("doc.read", { path });
  if (text !== trace.end) throw new Error(`the replay of ${trace.name} ended with another text`);
  return ms;
}

/** The transactions of each trace in a quick run. */
const QUICK = 10_000;

/** Returns the most transactions of a trace that a run replays. */
export function mostEdits({ quick }: { readonly quick: boolean }): number {
  return quick ? QUICK : Number.POSITIVE_INFINITY;
}
