import type { WebSocket } from "ws";

/** How often a silent client is asked for a sign of life; it has as long again to give one. */
const PING_MS = 30_000;
/** How often it is looked whether what let a silent client in still counts. */
const RECHECK_MS = 1_000;

export const POLICY_VIOLATION = 1008;

export interface Vigil {
  /** The client has said something; false when that does not count any more because what let it in does not. */
  seen(): boolean;
  end(): void;
}

/** Ends a connection that gives no sign of life, or, once `expel` was called, one that nothing lets in any more. */
export function keepVigil(ws: WebSocket, holds: () => boolean, expel: () => void): Vigil {
  let alive = true;
  const pulse = setInterval(() => {
    // One that is not read from cannot answer; that it takes in what it is sent is sign enough.
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
    seen() {
      alive = true;
      return stillHolds();
    },
    end() {
      clearInterval(pulse);
      clearInterval(recheck);
    },
  };
}
