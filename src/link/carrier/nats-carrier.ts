import { setTimeout } from "node:timers/promises";
import {
  type Carried,
  type Carrier,
  CarrierError,
  type CarrierListener,
  type LogMessage,
  type Place,
} from "./carrier.ts";
import { NatsOptionsError } from "./nats-address.ts";
import type { NatsConnection } from "./nats-connection.ts";
import { greeted } from "./nats-greeting.ts";
import type { NatsOptions, NatsServer } from "./nats-options.ts";

/**
 * The first and the longest pause between attempts to connect, and the age of a connection after which the pauses start
 * anew.
 */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 15_000;
const LASTING_MS = 10_000;
const GREETING_MS = 5000;
/** The most bytes of a message in the servers' default configuration, without the headers. */
const USUAL_BYTES = 1_048_576 - 512;

/** A carrier on NATS JetStream: a stream for the logs, a bucket for large objects, passing words without storage. */
export class NatsCarrier implements Carrier {
  maxBytes = USUAL_BYTES;
  readonly #options: NatsOptions;
  readonly #workspace: string;
  readonly #closed = new AbortController();
  /** The connection that is being made or is in use. */
  #current: NatsConnection | undefined;
  /** The connection, once it is ready. */
  #connection: NatsConnection | undefined;
  /** The reason why no connection is ready. */
  #reason = "NATS: the carrier has not started";
  #place: Place | undefined;

  /** @throws NatsOptionsError when a subject cannot contain the workspace's name */
  constructor(options: NatsOptions, workspace: string) {
    if (!isToken(workspace))
      throw new NatsOptionsError(`NATS takes no workspace named ${workspace}; use letters, digits, - and _`);
    this.#options = options;
    this.#workspace = workspace;
  }

  start(listener: CarrierListener, from: Place | undefined): void {
    this.#place = from;
    void this.#stay(listener);
  }

  async publish(machine: string, number: number, bytes: Uint8Array): Promise<void> {
    const connection = this.#ready(machine, bytes);
    await connection.ask(({ log }) => log.publish(machine, number, bytes));
  }

  async newest(machine: string): Promise<LogMessage | undefined> {
    return this.#ready(machine).ask(({ log }) => log.newest(machine));
  }

  async drop(machine: string, upTo: number): Promise<void> {
    await this.#ready(machine).ask(({ log }) => log.drop(machine, upTo));
  }

  async say(machine: string, bytes: Uint8Array): Promise<void> {
    await this.#ready(machine, bytes).say(machine, bytes);
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    await this.#ready().ask(({ objects }) => objects.put(name, bytes));
  }

  async get(name: string): Promise<Uint8Array | undefined> {
    return this.#ready().ask(({ objects }) => objects.get(name));
  }

  async names(): Promise<readonly string[]> {
    return this.#ready().ask(({ objects }) => objects.names());
  }

  async remove(name: string): Promise<void> {
    await this.#ready().ask(({ objects }) => objects.remove(name));
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#current?.close();
  }

  /** Returns the connection, if it can send these bytes of a machine. @throws CarrierError */
  #ready(machine?: string, bytes?: Uint8Array): NatsConnection {
    if (this.#connection === undefined) throw new CarrierError("away", this.#reason);
    if (machine !== undefined && !isToken(machine))
      throw new CarrierError(
        "refused",
        `NATS takes no machine named ${machine}; use letters, digits, - and _`,
      );
    if (bytes !== undefined && bytes.length > this.maxBytes)
      throw new CarrierError(
        "refused",
        `NATS: the message has ${bytes.length} bytes, and the server takes ${this.maxBytes}; raise its max_payload`,
      );
    return this.#connection;
  }

  /** Connects, again and again, until the carrier is closed. */
  async #stay(listener: CarrierListener): Promise<void> {
    let told: string | undefined;
    let pause = FIRST_PAUSE_MS;
    for (let attempt = 0; !this.#closed.signal.aborted; attempt++) {
      const since = performance.now();
      const server = this.#options.servers[attempt % this.#options.servers.length]!;
      const { reason, connected } = await this.#once(server, listener);
      if (this.#closed.signal.aborted) return;
      this.#reason = reason;
      if (connected || reason !== told) listener.away(reason);
      told = reason;
      if (connected && performance.now() - since > LASTING_MS) pause = FIRST_PAUSE_MS;
      await this.#rest(pause * (0.5 + Math.random()));
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
    }
  }

  /** Connects to a server, and resolves with the reason when that failed or has ended. */
  async #once(
    server: NatsServer,
    listener: CarrierListener,
  ): Promise<{ reason: string; connected: boolean }> {
    let connected = false;
    try {
      await greeted(server, GREETING_MS, this.#closed.signal);
      const { NatsConnection } = await import("./nats-connection.ts");
      const connection = await NatsConnection.to(server, this.#options, this.#workspace);
      this.#current = connection;
      if (this.#closed.signal.aborted) await connection.close();
      const serve = () => {
        connected = true;
        this.maxBytes = connection.maxBytes;
        this.#connection = connection;
        listener.connected();
      };
      const message = (carried: Carried) => {
        this.#place = carried.place;
        listener.message(carried);
      };
      const word = (machine: string, bytes: Uint8Array) => listener.word(machine, bytes);
      await connection.begin({ connected: serve, message, word }, this.#place);
      return { reason: await connection.ended, connected };
    } catch (error) {
      return { reason: error instanceof Error ? error.message : String(error), connected };
    } finally {
      this.#connection = undefined;
      this.#current = undefined;
    }
  }

  async #rest(ms: number): Promise<void> {
    const { signal } = this.#closed;
    await setTimeout(ms, undefined, { signal, ref: false }).catch(() => undefined); // closed meanwhile
  }
}

const isToken = (name: string) => /^[\w-]{1,128}$/.test(name);
