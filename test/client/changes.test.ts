import { expect, test } from "vitest";
import { type Change, changes } from "../../src/client/changes.ts";
import type { Host } from "../../src/client/host.ts";

/** A daemon's answers and notifications, in the order that a test chooses. */
class ScriptedHost {
  /** The history, newest first. */
  history: object[] = [];
  readonly #listeners = new Map<string, (params: never) => void>();
  #missed: () => void = () => {};

  get host(): Host {
    const host: Partial<Record<keyof Host, unknown>> = {
      request: async (method: string) =>
        method === "doc.open" ? { docId: "doc_a", path: "a.md" } : { changes: this.history, more: false },
      on: (event: string, listener: (params: never) => void) => {
        this.#listeners.set(event, listener);
        return () => {};
      },
      onMissed: (listener: () => void) => {
        this.#missed = listener;
        return () => {};
      },
      onClosed: () => () => {},
      hold: async () => {},
      release: async () => {},
    };
    return host as Host;
  }

  notify(change: object): void {
    this.#listeners.get("doc.changed")!(change as never);
  }

  miss(): void {
    this.#missed();
  }
}

const change = (n: number) => ({
  changeId: `chg_${n}`,
  docId: "doc_a",
  path: "a.md",
  version: `${n}-h2k9wz`,
  time: `2026-01-01T00:00:0${n}.000Z`,
});

test("[CN6] a change whose notification waits through two gaps comes once", async () => {
  const daemon = new ScriptedHost();
  daemon.history = [change(0)];
  const feed = changes(daemon.host, { path: "a.md" });
  const told: string[] = [];
  const next = async () => told.push(((await feed.next()).value as Change).version);
  daemon.notify(change(1));
  daemon.history = [change(2), change(1), change(0)];
  daemon.miss();
  daemon.miss();
  daemon.notify(change(2));
  for (let i = 0; i < 2; i++) await next();
  daemon.notify(change(2)); // what was on its way
  daemon.notify(change(3));
  await next();
  expect(told).toEqual([1, 2, 3].map((n) => change(n).version));
});
