import { setTimeout as wait } from "node:timers/promises";
import type { Daemon } from "./daemon.ts";

/** Resolves once the daemon has covered every file of its folder. */
export async function whenCovered({ url }: Pick<Daemon, "url">): Promise<void> {
  for (;;) {
    const health = (await (await fetch(`${url}/health`)).json()) as {
      readonly cover: { readonly stage: string };
    };
    if (health.cover.stage === "covered") return;
    await wait(5);
  }
}
