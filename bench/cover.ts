import { setTimeout as wait } from "node:timers/promises";
import type { Bench } from "./bench.ts";
import { type Daemon, startDaemon } from "./daemon.ts";

/** Resolves once the daemon has covered every file of its folder. */
export async function whenCovered({ url }: Pick<Daemon, "url">): Promise<void> {
  for (;;) {
    const health = (await (await fetch(`${url}/health`)).json()) as {
      readonly cover: { readonly stage: string };
    };
    if (health.cover.stage === "covered") return;
    await wait(2);
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
