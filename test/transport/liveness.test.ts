import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { WebSocket } from "ws";
import { watchLiveness } from "../../src/transport/liveness.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Half a day of a connection whose client never answers; tells whether it was ended. */
function silent(state: Pick<WebSocket, "isPaused" | "bufferedAmount">): boolean {
  const ws = Object.assign(new EventEmitter(), state, { ping: vi.fn(), terminate: vi.fn() });
  const vigil = watchLiveness(
    ws as unknown as WebSocket,
    () => true,
    () => {},
  );
  vi.advanceTimersByTime(12 * 60 * 60 * 1000);
  vigil.end();
  expect(ws.ping).toHaveBeenCalled();
  return ws.terminate.mock.calls.length > 0;
}

test("[SE12] a client that gives no sign of life is let go", () => {
  expect(silent({ isPaused: false, bufferedAmount: 0 })).toBe(true);
});

test("[SE12] one that is not read from, since it has so much under way, is not", () => {
  expect(silent({ isPaused: true, bufferedAmount: 0 })).toBe(false);
});

test("[SE12] one that is not read from, since it does not read itself, is", () => {
  expect(silent({ isPaused: true, bufferedAmount: 5_000_000 })).toBe(true);
});
