/** One connection to a daemon, whatever carries it: text frames out. */
export interface Wire {
  send(frame: string): void;
  /** Its end is told to the hearer. */
  close(): void;
}

/** What comes in over a wire. */
export interface Hearer {
  frame(frame: string): void;
  /** Told once, and nothing after it; `code` is a WebSocket's close code. */
  end(code: number, reason: string): void;
}

/**
 * Opens a wire. Rejects with DisconnectedError where trying again may help, and with any other error where it
 * does not; after that the hearer is told nothing.
 */
export type Dial = (hearer: Hearer, signal: AbortSignal) => Promise<Wire>;

/** Pauses and chance as a port, so that tests do not wait. */
export interface Pacing {
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 up to 1, exclusive. */
  random(): number;
  /** Milliseconds since some moment; never goes back. */
  now(): number;
  /** Aborts once a connection that begins now has taken too long to be greeted. */
  patience(): AbortSignal;
}

const PATIENCE_MS = 10_000;

export const systemPacing: Pacing = {
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener("abort", done);
    }),
  random: () => Math.random(),
  now: () => performance.now(),
  patience: () => AbortSignal.timeout(PATIENCE_MS),
};
