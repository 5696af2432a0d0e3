import type { WebSocket } from "ws";

/** Pause between pings to a silent client, in milliseconds; it has as long to answer. */
const PING_MS = 30_000;
/** Pause between checks of a silent client's credentials, in milliseconds. */
const RECHECK_MS = 1_000;

export const POLICY_VIOLATION = 1008;

interface Liveness {
  /** Reports a message of the client. Returns false when its credentials are no longer valid. */
  messageArrived(): boolean;
  end(): void;
}

/**
 * Ends a connection without a sign of life, and, after `expel`, one whose credentials are no longer valid.
 */
export function watchLiveness(ws: WebSocket, holds: () => boolean, expel: () => void): Liveness {
  let alive = true;
  const pulse = setInterval(() => {
    // A paused socket reads no pong; a client that receives all sent bytes is alive.
    if (ws.isPaused && ws.bufferedAmount === 0) alive = true;
    if (!alive) return ws.terminate();
    alive = false;
    ws.ping();
  }, PING_MS);
  const stillHolds = (): boolean => {
    if (holds()) return true;
    expel();
    ws.close(POLICY_VIOLATION, "the token was revoked, or the browser signed out");
    return false;
  };
  const recheck = setInterval(stillHolds, RECHECK_MS);
  ws.on("pong", () => {
    alive = true;
  });
  return {
    messageArrived() {
      alive = true;
      return stillHolds();
    },
    end() {
      clearInterval(pulse);
      clearInterval(recheck);
    },
  };
}
