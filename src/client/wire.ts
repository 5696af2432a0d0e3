/** One connection to a daemon, independent of its carrier. */
export interface Wire {
  send(frame: string): void;
  /** Closes the wire; its listener receives the end. */
  close(): void;
}

/** Receives the frames of a wire. */
export interface WireListener {
  frame(frame: string): void;
  /** Reports the end of the wire, once and last; `code` is a WebSocket close code. */
  end(code: number, reason: string): void;
}

/**
 * Opens a wire. Rejects with DisconnectedError when another attempt may succeed, and with any other error
 * when it cannot. The listener receives nothing after a rejection.
 */
export type Dial = (listener: WireListener, signal: AbortSignal) => Promise<Wire>;

/** Pauses, random numbers and time as a port, so that tests do not wait. */
export interface Pacing {
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Returns a number from 0 up to 1, exclusive. */
  random(): number;
  /** Returns the milliseconds since a fixed moment; never decreases. */
  now(): number;
  /** Returns a signal that aborts when a connection that begins now takes too long to answer `hello`. */
  helloTimeout(): AbortSignal;
}

const HELLO_MS = 10_000;

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
  helloTimeout: () => AbortSignal.timeout(HELLO_MS),
};
