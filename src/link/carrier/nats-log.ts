import {
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  type MsgRequest,
  RetentionPolicy,
  StorageType,
} from "@nats-io/jetstream";
import { headers, type MsgHdrs } from "@nats-io/transport-node";
import { CarrierError, type LogMessage, type Place } from "./carrier.ts";
import type { NatsPublisher } from "./nats-publisher.ts";

const NUMBER = "Spliced-Number";
/** The header by which a server of JetStream knows a message that is published twice. */
const MESSAGE_ID = "Nats-Msg-Id";
/** The code of JetStream for adding a stream under a name that another stream has. */
const NAME_IN_USE = 10058;

/** The name of the stream that holds the logs of a workspace, and the subjects of its messages. */
export const streamOf = (workspace: string) => `sp_${workspace}`;
const logOf = (workspace: string, machine: string) => `sp.${workspace}.log.${machine}`;
export const wordOf = (workspace: string, machine: string) => `sp.${workspace}.word.${machine}`;
/** Returns the machine of a subject, which is its last part. */
export const machineOf = (subject: string) => subject.slice(subject.lastIndexOf(".") + 1);

/** Returns the number of a message; undefined for a message that no carrier published. */
export function numberOf(hdrs: MsgHdrs | undefined): number | undefined {
  const number = Number(hdrs?.get(NUMBER));
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

/** The logs of a workspace's machines in a stream. Errors are those of the client's packages. */
export class NatsLog {
  readonly #manager: JetStreamManager;
  readonly #publisher: NatsPublisher;
  readonly #workspace: string;
  readonly #stream: string;

  constructor(manager: JetStreamManager, publisher: NatsPublisher, workspace: string) {
    this.#manager = manager;
    this.#publisher = publisher;
    this.#workspace = workspace;
    this.#stream = streamOf(workspace);
  }

  /** Creates the stream if it is missing, and returns the name of its memory. */
  async ensure(): Promise<string> {
    const subject = logOf(this.#workspace, "*");
    const info = await this.#info();
    if (info.config.subjects.includes(subject)) return info.created;
    throw new CarrierError("refused", `NATS: the stream ${this.#stream} does not take ${subject}; remove it`);
  }

  async #info() {
    const streams = this.#manager.streams;
    try {
      return await streams.info(this.#stream);
    } catch (error) {
      if (!isApiError(error, JetStreamApiCodes.StreamNotFound)) throw error;
    }
    try {
      return await streams.add({
        name: this.#stream,
        subjects: [logOf(this.#workspace, "*")],
        storage: StorageType.File,
        retention: RetentionPolicy.Limits,
      });
    } catch (error) {
      // Another machine created it meanwhile, in a way of its own.
      if (isApiError(error, NAME_IN_USE)) return streams.info(this.#stream);
      throw error;
    }
  }

  /** Returns the sequence at which a reader begins who has read up to a place. */
  async begin(memory: string, place: Place | undefined): Promise<number> {
    if (place === undefined || place.memory !== memory) return 1;
    const found = await this.#message({ seq: place.after });
    return found !== null && nanoseconds(found.timestamp) === place.mark ? place.after + 1 : 1;
  }

  async publish(machine: string, number: number, bytes: Uint8Array): Promise<void> {
    const subject = logOf(this.#workspace, machine);
    const hdrs = headers();
    hdrs.set(NUMBER, String(number));
    hdrs.set(MESSAGE_ID, `${machine}-${number}`);
    const { duplicate, seq } = await this.#publisher.publish(subject, bytes, hdrs);
    if (!duplicate) return;
    // The broker remembers an id for some time, also when it dropped the message.
    const stored = await this.#message({ seq });
    if (stored?.subject === subject && numberOf(stored.header) === number) return;
    const again = headers();
    again.set(NUMBER, String(number));
    await this.#publisher.publish(subject, bytes, again);
  }

  async newest(machine: string): Promise<LogMessage | undefined> {
    const last = await this.#message({ last_by_subj: logOf(this.#workspace, machine) });
    const number = numberOf(last?.header);
    return last === null || number === undefined ? undefined : { number, bytes: last.data };
  }

  /** Searches the stream for the first message with a higher number, and purges those of the log before it. */
  async drop(machine: string, upTo: number): Promise<void> {
    const filter = logOf(this.#workspace, machine);
    const { state } = await this.#manager.streams.info(this.#stream);
    let from = state.first_seq;
    let to = state.last_seq + 1;
    while (from < to) {
      const middle = Math.floor((from + to) / 2);
      const next = await this.#message({ seq: middle, next_by_subj: filter });
      if (next !== null && next.seq < to && (numberOf(next.header) ?? 0) <= upTo) from = next.seq + 1;
      else to = middle;
    }
    if (from > state.first_seq) await this.#manager.streams.purge(this.#stream, { filter, seq: from });
  }

  /** Returns a stored message, or null; the type of the package leaves out a query that servers have since 2.9. */
  #message(query: MsgRequest | { seq: number; next_by_subj: string }) {
    return this.#manager.streams.getMessage(this.#stream, query as MsgRequest);
  }
}

const isApiError = (error: unknown, code: number) =>
  error instanceof JetStreamApiError && error.code === code;

/** Returns a time such as `2025-01-01T00:00:00.12Z` as nanoseconds since the epoch, as deliveries report it. */
function nanoseconds(timestamp: string): string {
  const [, seconds, fraction = ""] = /^(.*?)(?:\.(\d+))?Z$/.exec(timestamp) ?? [];
  return `${Date.parse(`${seconds}Z`) / 1000}${fraction.padEnd(9, "0")}`;
}
