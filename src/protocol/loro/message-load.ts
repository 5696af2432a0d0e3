/** A connection with more messages under way delivers no further message. */
const HOLD_MESSAGES = 64;

interface LoadedConnection {
  readonly lagging: boolean;
  hold(held: boolean): void;
}

/** Owns the load of one connection, the messages under way and their bytes, and holds the connection when it is full. */
export class MessageLoad {
  readonly #maxBytes: number;
  readonly #connection: LoadedConnection;
  #messages = 0;
  #bytes = 0;
  #held = false;

  constructor(maxBytes: number, connection: LoadedConnection) {
    this.#maxBytes = maxBytes;
    this.#connection = connection;
  }

  /** Counts a message with `bytes` of updates until its work has settled. */
  add(work: Promise<void>, bytes: number): void {
    this.#messages++;
    this.#bytes += bytes;
    this.update();
    void work.finally(() => {
      this.#messages--;
      this.#bytes -= bytes;
      this.update();
    });
  }

  /** Holds or resumes the connection; to be called when the client has received bytes, too. */
  update(): void {
    const { lagging } = this.#connection;
    const held = lagging || this.#messages >= HOLD_MESSAGES || this.#bytes > this.#maxBytes;
    if (held === this.#held) return;
    this.#held = held;
    this.#connection.hold(held);
  }
}
