import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { WebSocket } from "ws";
import { Liveness } from "../../src/transport/liveness.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Simulates half a day with a silent client; returns whether its connection was ended. */
function silent(state: Pick<WebSocket, "isPaused" | "bufferedAmount">): boolean {
  const ws = Object.assign(new EventEmitter(), state, { ping: vi.fn(), terminate: vi.fn() });
  const vigil = new Liveness(
    ws as unknown as WebSocket,
    () => true,
    () => {},
  );
  vi.advanceTimersByTime(12 * 60 * 60 * 1000);
  vigil.end();
  expect(ws.ping).toHaveBeenCalled();
  return ws.terminate.mock.calls.length > 0;
}

test("[SE12] ends the connection of a client without a sign of life", () => {
  expect(silent({ isPaused: false, bufferedAmount: 0 })).toBe(true);
});

test("[SE14] keeps a paused connection with many requests under way", () => {
  expect(silent({ isPaused: true, bufferedAmount: 0 })).toBe(false);
});

test("[SE14] ends a paused connection whose client does not read", () => {
  expect(silent({ isPaused: true, bufferedAmount: 5_000_000 })).toBe(true);
});
