import { setTimeout } from "node:timers/promises";
import { type JetStreamManager, jetstream, jetstreamManager } from "@nats-io/jetstream";
import {
  type Authenticator,
  type NatsConnection as Connection,
  connect,
  credsAuthenticator,
  nkeyAuthenticator,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from "@nats-io/transport-node";
import { CarrierError, type CarrierListener, type Place } from "./carrier.ts";
import { carrierError, isMissing } from "./nats-errors.ts";
import { machineOf, NatsLog, wordOf } from "./nats-log.ts";
import { NatsObjects } from "./nats-objects.ts";
import type { NatsCredentials, NatsOptions, NatsServer } from "./nats-options.ts";
import { NatsPublisher } from "./nats-publisher.ts";
import { NatsReader } from "./nats-reader.ts";
import { SignsOfLife } from "./nats-signs.ts";

/** The time within which a server has to accept the daemon; milliseconds. */
const CONNECT_MS = 5000;
/** The time between two looks for signs of life; milliseconds. */
const LOOK_MS = 2000;
/** A request ends with the connection; its own limit only frees its memory. */
const REQUEST_MS = 30_000;
/** The time that closing waits for the last sent words; milliseconds. */
const LAST_WORDS_MS = 500;
/**
 * The package's own pings end a connection only after it sent all waiting bytes, and a stopped server never accepts
 * these.
 */
const NO_PINGS_MS = 2 ** 31 - 1;
/** The bytes of a message that its headers may take. */
const HEADERS = 512;

/** The parts of the broker that a connection reaches. */
interface Broker {
  readonly log: NatsLog;
  readonly objects: NatsObjects;
  readonly connection: Connection;
}

/**
 * One connection to a server. It ends at the first error, also after a removal of the stream. The carrier then makes
 * another connection, which finds or creates the stream and the bucket anew.
 */
export class NatsConnection {
  /** The most bytes of a message's content that the server accepts. */
  readonly maxBytes: number;
  readonly #broker: Broker;
  readonly #manager: JetStreamManager;
  readonly #workspace: string;
  readonly #timer: NodeJS.Timeout;
  #reader: NatsReader | undefined;
  #ended: string | undefined;
  /**
   * Fails the requests under way. A race with `ended` would hold each request's promise as long as the connection
   * lives.
   */
  readonly #failing = new Set<(error: CarrierError) => void>();
  #end: (reason: string) => void = () => undefined;
  /** Resolves with the reason when the connection ends. */
  readonly ended = new Promise<string>((resolve) => {
    this.#end = resolve;
  });

  private constructor(connection: Connection, manager: JetStreamManager, workspace: string) {
    const client = jetstream(connection, { timeout: REQUEST_MS });
    this.#broker = {
      connection,
      log: new NatsLog(manager, new NatsPublisher(connection), workspace),
      objects: new NatsObjects(manager, client, workspace),
    };
    this.#manager = manager;
    this.#workspace = workspace;
    this.maxBytes = (connection.info?.max_payload ?? 0) - HEADERS;
    this.#timer = this.#look();
    void connection
      .closed()
      .then((error) => this.#lose(`NATS: ${error ? error.message : "the server closed the connection"}`));
  }

  /** Connects to a server that greets. @throws CarrierError */
  static async to(server: NatsServer, options: NatsOptions, workspace: string): Promise<NatsConnection> {
    const { host, port } = server;
    // Without a host the package checks the certificate of an address for the name localhost.
    const tls = options.tls && { ...options.tls, host };
    try {
      const connection = await connect({
        servers: `${host.includes(":") ? `[${host}]` : host}:${port}`,
        name: "spliced",
        ...(options.credentials && { authenticator: authenticatorOf(options.credentials) }),
        ...(tls && { tls }),
        ignoreClusterUpdates: true,
        noEcho: true,
        pingInterval: NO_PINGS_MS,
        reconnect: false,
        timeout: CONNECT_MS,
      });
      const manager = await jetstreamManager(connection, { checkAPI: false, timeout: REQUEST_MS });
      return new NatsConnection(connection, manager, workspace);
    } catch (error) {
      throw carrierError(error);
    }
  }

  /** Finds or creates the stream and the bucket, and delivers from a place on. @throws CarrierError */
  async begin(listener: Omit<CarrierListener, "away">, place: Place | undefined): Promise<void> {
    const heard = (tell: () => void) => {
      if (this.#ended === undefined) safely(tell);
    };
    await this.ask(async ({ connection, log, objects }) => {
      const memory = await log.ensure();
      await objects.ensure();
      const from = await log.begin(memory, place);
      connection.subscribe(wordOf(this.#workspace, "*"), {
        callback: (error, { subject, data }) => {
          if (error !== null) this.#lose(`NATS: ${error.message}`);
          else heard(() => listener.word(machineOf(subject), data));
        },
      });
      const reader = new NatsReader(connection, memory, {
        message: (carried) => heard(() => listener.message(carried)),
        interrupted: (reason) => this.#lose(reason),
      });
      await reader.open(this.#manager, this.#workspace, from);
      this.#reader = reader;
      heard(() => listener.connected());
      reader.begin();
    }).catch((error: CarrierError) => {
      this.#lose(error.message);
      throw error;
    });
  }

  /** Sends a word to the machines that listen now. @throws CarrierError */
  say(machine: string, bytes: Uint8Array): Promise<void> {
    return this.ask(async ({ connection }) => connection.publish(wordOf(this.#workspace, machine), bytes));
  }

  /** Does work at the broker, for as long as the connection lasts. @throws CarrierError */
  async ask<T>(work: (broker: Broker) => Promise<T>): Promise<T> {
    if (this.#ended !== undefined) throw new CarrierError("away", this.#ended);
    let fail: (error: CarrierError) => void = () => undefined;
    const lost = new Promise<never>((_, reject) => {
      fail = reject;
    });
    this.#failing.add(fail);
    try {
      return await Promise.race([work(this.#broker), lost]);
    } catch (error) {
      // The server does not answer where the stream is missing; the next connection creates the stream.
      if (isMissing(error)) this.#lose("NATS: the stream or the bucket is missing, or JetStream is off");
      throw carrierError(error);
    } finally {
      this.#failing.delete(fail);
    }
  }

  async close(): Promise<void> {
    if (this.#ended !== undefined) return;
    const said = this.#broker.connection.flush().catch(() => undefined); // the connection ends either way
    await Promise.race([said, setTimeout(LAST_WORDS_MS, undefined, { ref: false })]);
    this.#lose("the carrier was closed");
  }

  /** Looks for signs of life: from the server for the connection, from the stream for the reader. */
  #look(): NodeJS.Timeout {
    const { connection } = this.#broker;
    const signs = new SignsOfLife();
    let before = -1;
    let alive = true;
    const look = () => {
      const { inMsgs } = connection.stats();
      const reason = signs.look({
        server: alive || inMsgs !== before,
        stream: this.#reader?.heard() ?? true,
      });
      before = inMsgs;
      alive = false;
      if (reason !== undefined) return this.#lose(reason);
      connection.flush().then(
        () => {
          alive = true;
        },
        () => undefined, // `closed` reports the end of the connection
      );
    };
    return setInterval(look, LOOK_MS).unref();
  }

  #lose(reason: string): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    clearInterval(this.#timer);
    for (const fail of this.#failing) fail(new CarrierError("away", reason));
    this.#end(reason);
    void this.#broker.connection.close();
  }
}

/** Calls a listener. An error of the listener is a defect, and the package would swallow it. */
function safely(tell: () => void): void {
  try {
    tell();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

function authenticatorOf(credentials: NatsCredentials): Authenticator {
  switch (credentials.kind) {
    case "creds":
      return credsAuthenticator(credentials.file);
    case "nkey":
      return nkeyAuthenticator(credentials.seed);
    case "user":
      return usernamePasswordAuthenticator(credentials.user, credentials.password);
    case "token":
      return tokenAuthenticator(credentials.token);
  }
}
