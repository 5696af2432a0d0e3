import { setTimeout as wait } from "node:timers/promises";
import type { Bench } from "./bench.ts";
import { type Daemon, startDaemon } from "./daemon.ts";

/** Each question takes the daemon a third of a millisecond: more of them would be a load of their own. */
const POLL_MS = 10;

/** Resolves once the daemon has covered every file of its folder. */
export async function whenCovered({ url }: Pick<Daemon, "url">): Promise<void> {
  for (;;) {
    const health = (await (await fetch(`${url}/health`)).json()) as {
      readonly cover: { readonly stage: string };
    };
    if (health.cover.stage === "covered") return;
    await wait(POLL_MS);
  }
}

/** Starts a daemon and returns it with the milliseconds from when it was ready until it had covered its folder. */
export async function startAndCover(
  bench: Bench,
  root: string,
  meanwhile: (daemon: Daemon, covered: Promise<unknown>) => Promise<unknown> = async () => undefined,
): Promise<{ readonly daemon: Daemon; readonly ms: number }> {
  const daemon = await startDaemon(bench, root);
  const started = performance.now();
  const covering = whenCovered(daemon).then(() => performance.now() - started);
  await meanwhile(daemon, covering);
  return { daemon, ms: await covering };
}
