import type { WebSocket } from "ws";

/** Milliseconds between two looks at all connections, which check their credentials. */
const LOOK_MS = 1_000;
/** The looks between pings to a silent client, which has as long to answer: 30 s. */
const LOOKS_PER_PING = 30;

export const POLICY_VIOLATION = 1008;

/** The connections that are looked at. One timer serves all, because each timer costs memory. */
const watched = new Set<Liveness>();
let looking: NodeJS.Timeout | undefined;

/**
 * Ends a connection without a sign of life, and, after `expel`, one whose credentials are no longer valid.
 */
export class Liveness {
  readonly #ws: WebSocket;
  readonly #holds: () => boolean;
  readonly #expel: () => void;
  #alive = true;
  #looks = 0;

  constructor(ws: WebSocket, holds: () => boolean, expel: () => void) {
    this.#ws = ws;
    this.#holds = holds;
    this.#expel = expel;
    ws.on("pong", () => {
      this.#alive = true;
    });
    watched.add(this);
    looking ??= setInterval(lookAtAll, LOOK_MS);
  }

  /** Reports a message of the client. Returns false when its credentials are no longer valid. */
  messageArrived(): boolean {
    this.#alive = true;
    return this.#stillHolds();
  }

  look(): void {
    if (!this.#stillHolds() || ++this.#looks % LOOKS_PER_PING !== 0) return;
    // A paused socket reads no pong; a client that receives all sent bytes is alive.
    if (this.#ws.isPaused && this.#ws.bufferedAmount === 0) this.#alive = true;
    if (!this.#alive) {
      this.#ws.terminate();
      return;
    }
    this.#alive = false;
    this.#ws.ping();
  }

  end(): void {
    watched.delete(this);
    if (watched.size > 0) return;
    clearInterval(looking);
    looking = undefined;
  }

  #stillHolds(): boolean {
    if (this.#holds()) return true;
    this.#expel();
    this.#ws.close(POLICY_VIOLATION, "the token was revoked, or the browser signed out");
    return false;
  }
}

function lookAtAll(): void {
  for (const connection of watched) connection.look();
}
