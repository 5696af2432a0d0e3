import type { TokenWorkers } from "../../workspace/workers/workers.ts";
import { internal } from "../base/errors.ts";
import type { Holder, Service } from "../service/service.ts";
import { type ClientFrame, readFrame } from "./frame.ts";

/** A connection with more unsent bytes, or more unanswered requests, delivers no further frame. */
const HOLD_BYTES = 4 << 20;
const HOLD_REQUESTS = 64;

interface FrameQueueOptions {
  readonly service: Service;
  /** Id of the connection. */
  readonly session: string;
  readonly holder: Holder;
  readonly workers: TokenWorkers;
  readonly connection: {
    readonly buffered: number;
    hold(held: boolean): void;
  };
  /** Begins a request; the promise settles with its answer, and is undefined for a refused frame. */
  readonly begin: (frame: ClientFrame) => Promise<void> | undefined;
  /** Called after each answer. */
  readonly answered: () => void;
}

/** Owns the frames of one connection that have not begun: their order, and the pace at which requests begin. */
export class FrameQueue {
  readonly #options: FrameQueueOptions;
  /** Frames that arrived before the connection was held. */
  readonly #waiting: (Uint8Array | ClientFrame)[] = [];
  /** True while a worker parses a frame; later frames wait for it. */
  #parsing = false;
  /** True once the token has used its share of this turn of the event loop. */
  #resting = false;
  /** Number of requests without an answer. */
  #unanswered = 0;
  #held = false;
  #closed = false;

  constructor(options: FrameQueueOptions) {
    this.#options = options;
  }

  /** Adds a frame, as it arrived or read already. */
  add(frame: Uint8Array | ClientFrame): void {
    this.#waiting.push(frame);
    this.#proceed();
  }

  /** Reports that the system has taken all bytes for the client. Only a held queue waits for that. */
  drained(): void {
    if (this.#held) this.#proceed();
  }

  /** Begins waiting frames as far as the client receives its answers; holds the connection where it does not. */
  #proceed(): void {
    const { service, holder, connection } = this.#options;
    while (this.#waiting.length > 0 && !this.#isFull)
      if (service.turns.isUp(holder.rights)) this.#rest();
      else service.turns.spend(holder.rights, () => this.#read(this.#waiting.shift()!));
    const held = this.#isFull;
    if (held === this.#held) return;
    this.#held = held;
    connection.hold(held);
  }

  /** Drops the waiting frames. */
  close(): void {
    this.#closed = true;
    this.#waiting.length = 0;
  }

  get #isFull(): boolean {
    const { buffered } = this.#options.connection;
    return this.#parsing || this.#resting || buffered > HOLD_BYTES || this.#unanswered >= HOLD_REQUESTS;
  }

  /** Continues in the next turn of the event loop, after other connections. */
  #rest(): void {
    this.#resting = true;
    setImmediate(() => {
      this.#resting = false;
      this.#proceed();
    });
  }

  #read(given: Uint8Array | ClientFrame): void {
    const frame = given instanceof Uint8Array ? this.#frameOf(given) : given;
    if (frame instanceof Promise) void this.#beginParsed(frame);
    else this.#begin(frame);
  }

  #frameOf(bytes: Uint8Array): ClientFrame | Promise<ClientFrame> {
    const { service, session, workers } = this.#options;
    return readFrame(bytes, workers, (error) => {
      service.log("error", "frame.failed", { session, reason: String(error) });
      return internal(session);
    });
  }

  /** Begins a frame that a worker parses, and then the later ones. */
  async #beginParsed(parsing: Promise<ClientFrame>): Promise<void> {
    this.#parsing = true;
    const frame = await parsing;
    this.#parsing = false;
    if (this.#closed) return;
    this.#begin(frame);
    this.#proceed();
  }

  #begin(frame: ClientFrame): void {
    const { begin, answered } = this.#options;
    this.#unanswered++;
    const answer = begin(frame);
    if (answer === undefined) this.#unanswered--;
    else
      void answer.finally(() => {
        this.#unanswered--;
        this.#proceed();
        answered();
      });
  }
}
