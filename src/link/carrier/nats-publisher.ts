import { JetStreamApiError, type PubAck } from "@nats-io/jetstream";
import { createInbox, errors, type Msg, type MsgHdrs, type NatsConnection } from "@nats-io/transport-node";

/** A publication without an answer fails after this time, which only frees its memory; milliseconds. */
const LONGEST_MS = 30_000;
const LOOK_MS = 5_000;
/** The status of the answer for a subject that no stream has. */
const NOBODY = 503;

interface Waiting {
  readonly subject: string;
  readonly since: number;
  readonly done: (answer: PubAck) => void;
  readonly failed: (error: Error) => void;
}

/**
 * Publishes to streams, and returns what the server answers. The client's own call makes two errors with their stacks for
 * each request, before anything is wrong, and takes twice as long.
 */
export class NatsPublisher {
  readonly #connection: NatsConnection;
  readonly #inbox = createInbox();
  /** The publications without an answer, oldest first, by the addresses of their answers. */
  readonly #waiting = new Map<string, Waiting>();
  #count = 0;

  constructor(connection: NatsConnection) {
    this.#connection = connection;
    connection.subscribe(`${this.#inbox}.*`, { callback: (_, msg) => this.#answered(msg) });
    const timer = setInterval(() => this.#dropOld(), LOOK_MS).unref();
    void connection.closed().then(() => clearInterval(timer));
    void this.#hearRefusals();
  }

  /** Resolves once the server has stored the message. @throws an error of the client's packages */
  publish(subject: string, bytes: Uint8Array, headers: MsgHdrs): Promise<PubAck> {
    const reply = `${this.#inbox}.${this.#count++}`;
    return new Promise((done, failed) => {
      this.#connection.publish(subject, bytes, { reply, headers });
      this.#waiting.set(reply, { subject, since: performance.now(), done, failed });
    });
  }

  #answered(msg: Msg): void {
    const waiting = this.#waiting.get(msg.subject);
    if (waiting === undefined) return;
    this.#waiting.delete(msg.subject);
    if (msg.headers?.code === NOBODY) waiting.failed(new errors.NoRespondersError(waiting.subject));
    else {
      const answer = msg.json<PubAck & { readonly error?: ApiError }>();
      if (answer.error === undefined) waiting.done(answer);
      else waiting.failed(new JetStreamApiError(answer.error));
    }
  }

  /** Fails what the server does not let this client publish: it says so beside the answers. */
  async #hearRefusals(): Promise<void> {
    for await (const status of this.#connection.status()) {
      if (status.type !== "error" || !(status.error instanceof errors.PermissionViolationError)) continue;
      const { operation, subject } = status.error;
      if (operation === "publish") this.#fail((waiting) => waiting.subject === subject, status.error);
    }
  }

  #dropOld(): void {
    const oldest = performance.now() - LONGEST_MS;
    this.#fail(({ since }) => since < oldest, new errors.TimeoutError());
  }

  #fail(which: (waiting: Waiting) => boolean, error: Error): void {
    for (const [reply, waiting] of this.#waiting) {
      if (!which(waiting)) continue;
      this.#waiting.delete(reply);
      waiting.failed(error);
    }
  }
}

type ApiError = ConstructorParameters<typeof JetStreamApiError>[0];
