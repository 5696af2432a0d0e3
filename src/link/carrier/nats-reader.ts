import { AckPolicy, DeliverPolicy, type JetStreamManager, ReplayPolicy } from "@nats-io/jetstream";
import { createInbox, type Msg, type NatsConnection, nanos } from "@nats-io/transport-node";
import type { Carried } from "./carrier.ts";
import { machineOf, numberOf, streamOf } from "./nats-log.ts";

/** The time between two signs of life of the broker while it delivers no message; milliseconds. */
const HEARTBEAT_MS = 2000;
/** The time after which the broker drops a consumer without a reader; milliseconds. */
const ABANDONED_MS = 30_000;
/** Status of heartbeats and of requests for flow control. */
const CONTROL = 100;

interface ReaderEvents {
  message(carried: Carried): void;
  /** The reader missed something, or the consumer has ended; the reader does not go on. */
  interrupted(reason: string): void;
}

/**
 * Reads all logs of a workspace in the order of the stream. A server of 2.9 needs one consumer without filters, so that
 * the reader also receives its own machine's messages.
 */
export class NatsReader {
  readonly #connection: NatsConnection;
  readonly #memory: string;
  readonly #events: ReaderEvents;
  /** The messages that came before the reader may deliver; undefined once it may. */
  #early: Msg[] | undefined = [];
  #delivered = 0;
  #heard = false;

  constructor(connection: NatsConnection, memory: string, events: ReaderEvents) {
    this.#connection = connection;
    this.#memory = memory;
    this.#events = events;
  }

  /** Requests the messages from a sequence on; they wait for `begin`. */
  async open(manager: JetStreamManager, workspace: string, from: number): Promise<void> {
    const inbox = createInbox();
    this.#connection.subscribe(inbox, { callback: (error, msg) => this.#take(error, msg) });
    await manager.consumers.add(streamOf(workspace), {
      deliver_subject: inbox,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: from,
      replay_policy: ReplayPolicy.Instant,
      ack_policy: AckPolicy.None,
      max_deliver: 1,
      flow_control: true,
      idle_heartbeat: nanos(HEARTBEAT_MS),
      inactive_threshold: nanos(ABANDONED_MS),
      mem_storage: true,
      num_replicas: 1,
    });
  }

  begin(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const msg of early) this.#receive(msg);
  }

  /** Returns true if the broker has sent anything since the last call. */
  heard(): boolean {
    const heard = this.#heard;
    this.#heard = false;
    return heard;
  }

  #take(error: Error | null, msg: Msg): void {
    this.#heard = true;
    if (error !== null) this.#events.interrupted(`NATS: ${error.message}`);
    else if (this.#early !== undefined) this.#early.push(msg);
    else this.#receive(msg);
  }

  #receive(msg: Msg): void {
    const status = msg.headers?.code ?? 0;
    const at = status === 0 ? deliveryOf(msg.reply ?? "") : undefined;
    if (at !== undefined) this.#message(msg, at);
    else if (status === CONTROL) this.#control(msg);
    else this.#events.interrupted(`NATS: ${msg.headers?.description || "the reader cannot go on"}`);
  }

  #message({ headers, subject, data }: Msg, at: Delivery): void {
    this.#reach(at.delivered - 1);
    this.#delivered = at.delivered;
    const number = numberOf(headers);
    if (number === undefined) return; // no carrier published it
    const place = { memory: this.#memory, after: at.sequence, mark: at.time };
    this.#events.message({ machine: machineOf(subject), number, bytes: data, place });
  }

  #control(msg: Msg): void {
    const stalled = msg.headers?.get("Nats-Consumer-Stalled");
    if (stalled) this.#connection.publish(stalled);
    if (msg.reply) msg.respond();
    const last = msg.headers?.get("Nats-Last-Consumer");
    if (last) this.#reach(Number(last));
  }

  /** Ends the reader unless it has had as many messages as the broker sent. */
  #reach(sent: number): void {
    if (sent !== this.#delivered) this.#events.interrupted("NATS: messages got lost on their way");
  }
}

interface Delivery {
  /** The place of the message in the stream. */
  readonly sequence: number;
  /** The number of messages that the consumer has sent, with this one. */
  readonly delivered: number;
  /** The time at which the stream stored the message, in nanoseconds since the epoch. */
  readonly time: string;
}

/**
 * Returns the parts of a delivery's address:
 * `$JS.ACK.[domain.account.]stream.consumer.tries.sequence.delivered.time.…`.
 */
function deliveryOf(reply: string): Delivery | undefined {
  const parts = reply.split(".");
  if (parts[0] !== "$JS" || parts[1] !== "ACK") return undefined;
  const [sequence, delivered, time = ""] = parts.slice(parts.length > 9 ? 7 : 5);
  return { sequence: Number(sequence), delivered: Number(delivered), time };
}
