import type { Notification, NotificationParams, Params, Result } from "../protocol/schemas/schemas.ts";
import { Backoff } from "./backoff.ts";
import { type Change, changes } from "./changes.ts";
import { clientHost, type LocalEvents } from "./client-host.ts";
import { DisconnectedError, unauthenticated } from "./errors.ts";
import type { Host } from "./host.ts";
import { type Link, openLink } from "./link.ts";
import { Listeners } from "./listeners.ts";
import { LiveText } from "./live-text.ts";
import { type Methods, methodsOf } from "./methods.ts";
import type { ClientEvents, ClientOptions, ClientState } from "./options.ts";
import type { Request } from "./repeats.ts";
import { Requests } from "./requests.ts";
import { Subscriptions, type Target } from "./subscriptions.ts";
import { type Dial, type Pacing, systemPacing } from "./wire.ts";

type State =
  | { readonly is: "connected"; readonly link: Link }
  | { readonly is: "reconnecting" }
  | { readonly is: "closed"; readonly reason: Error };

/** A typed connection to a daemon, with the protocol's methods on it. */
export type Client = ClientCore & Methods;

/** Returns a client that connects at its first request, or at a call of `ready`. */
export function makeClient(dial: Dial, options: ClientOptions, pacing: Pacing = systemPacing): Client {
  const client = new ClientCore(dial, options, pacing);
  return Object.assign(
    client,
    methodsOf((method, params) => client.call(method, params)),
  );
}

/** Returns a client once it is connected, and closes one that fails to connect. */
export async function whenReady(client: Client): Promise<Client> {
  try {
    await client.ready();
    return client;
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** The close code for a token that was revoked. */
const POLICY_VIOLATION = 1008;

/**
 * Owns the state of one session that outlives its connections. After a loss the client subscribes again and
 * emits `resync`, because changes may have been missed. It sends a request again if that only reads or has an
 * `opId`, until the daemon answers. Other requests reject with DisconnectedError: the daemon may or may not have
 * applied them.
 *
 *     reconnecting ◄──── the wire ends ──── connected
 *          │  └──────────── hello ─────────────►│
 *          └── refused ──► closed ◄── close() ──┘
 */
class ClientCore {
  readonly #dial: Dial;
  readonly #options: ClientOptions;
  readonly #pacing: Pacing;
  readonly #backoff: Backoff;
  readonly #listeners = new Listeners<{ readonly [N in Notification]: NotificationParams<N> }>();
  readonly #local = new Listeners<LocalEvents>();
  readonly #subscriptions = new Subscriptions();
  readonly #requests = new Requests();
  readonly #ended = new AbortController();
  readonly #host: Host;
  #state: State = { is: "reconnecting" };
  #connecting: Promise<void> | undefined;
  #hello: Result<"hello"> | undefined;
  /** True once the client's owner, and no failure, has closed it. */
  #closedByOwner = false;
  /** Resolves once the client is closed: by its owner, by the signal, or by a refusal. */
  readonly closed: Promise<void>;

  constructor(dial: Dial, options: ClientOptions, pacing: Pacing) {
    this.#dial = dial;
    this.#options = options;
    this.#pacing = pacing;
    this.#backoff = new Backoff(pacing);
    this.#host = clientHost({
      client: this,
      subscriptions: this.#subscriptions,
      local: this.#local,
      send: (method, target) => this.#send(method, target),
      closedByOwner: () => this.#closedByOwner,
    });
    this.closed = new Promise((resolve) => {
      this.#ended.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    const { signal } = options;
    const abort = () => void this.close();
    signal?.addEventListener("abort", abort, { once: true, signal: this.#ended.signal });
    if (signal?.aborted) abort();
  }

  /** The daemon's answer to the newest connection's `hello`. @throws DisconnectedError before the first one */
  get hello(): Result<"hello"> {
    if (this.#hello === undefined) throw new DisconnectedError("the client has not connected yet");
    return this.#hello;
  }

  get state(): ClientState {
    return this.#state.is;
  }

  /** Reason why the client is closed; undefined while it is open. A RefusedError means that the daemon refused it. */
  get reason(): Error | undefined {
    return this.#state.is === "closed" ? this.#state.reason : undefined;
  }

  /** Resolves once the client is connected. @throws the error that prevents the connection */
  async ready(): Promise<void> {
    if (this.#state.is === "closed") throw this.#state.reason;
    if (this.#state.is === "reconnecting") await this.#connect();
  }

  /** Sends a request. Answers arrive in any order; the daemon performs requests on one document in their order. */
  request<M extends Request>(method: M, params: Params<M>): Promise<Result<M>> {
    return this.call(method, params) as Promise<Result<M>>;
  }

  /**
   * Sends a request whose method and parameters are unknown before the program runs. Rejects with RefusedError, or
   * with DisconnectedError when the answer was lost and the request must not be sent again.
   */
  async call(method: string, params: object): Promise<unknown> {
    if (method === "unsubscribe" || method === "doc.close") {
      // Other holders may remain.
      if (this.#subscriptions.release(params as Target, this)) return this.#send(method, params);
      return method === "doc.close" ? params : {};
    }
    const result = await this.#send(method, params);
    if (method === "subscribe") this.#subscriptions.hold(params as Target, this);
    return result;
  }

  /** Calls back with each event of a kind. Returns a function that ends this. */
  on<N extends Notification>(kind: N, listener: (params: NotificationParams<N>) => void): () => void;
  on(kind: "state", listener: (state: ClientState) => void): () => void;
  on(kind: keyof ClientEvents, listener: (event: never) => void): () => void {
    return kind === "state"
      ? this.#local.on(kind, listener as (state: ClientState) => void)
      : this.#listeners.on(kind, listener as (event: unknown) => void);
  }

  /**
   * Yields the changes of a document, also after renames, or of all documents that match a glob. Each change comes
   * once, until the iteration ends. Missed changes follow later, oldest first, with `missed: true` and no splices.
   */
  changes(target: Target): AsyncIterableIterator<Change> {
    return changes(this.#host, target);
  }

  /** Opens a document as a text that follows the daemon's and accepts edits. @throws RefusedError */
  openDocument(path: string): Promise<LiveText> {
    return LiveText.open(this.#host, path);
  }

  /** Closes the connection; requests under way reject, and iterations end. */
  async close(): Promise<void> {
    this.#closedByOwner ||= this.#state.is !== "closed";
    this.#end(new DisconnectedError("the client is closed"));
    await this.#connecting?.catch(() => undefined); // the client is closed, so a failed attempt does not matter
  }

  #send(method: string, params: object): Promise<unknown> {
    const state = this.#state;
    if (state.is === "closed") return Promise.reject(state.reason);
    const answer = this.#requests.send(method, params, state.is === "connected" ? state.link : undefined);
    if (state.is === "reconnecting") this.#reconnect();
    return answer;
  }

  /** Connects in the background; a failure rejects the pending requests. */
  #reconnect(): void {
    this.#connect().catch(() => undefined);
  }

  #connect(): Promise<void> {
    this.#connecting ??= this.#connectWithRetries();
    return this.#connecting;
  }

  async #connectWithRetries(): Promise<void> {
    for (;;) {
      await this.#backoff.wait(this.#ended.signal);
      if (this.#state.is === "closed") throw this.#fail(this.#state.reason);
      try {
        return this.#useLink(await this.#open());
      } catch (error) {
        if (!(error instanceof DisconnectedError) || !this.#retries) throw this.#fail(error as Error);
      }
    }
  }

  /** True when a failed attempt is repeated: only after a first connection. */
  get #retries(): boolean {
    return (
      this.#hello !== undefined && (this.#options.reconnect ?? true) === true && this.#state.is !== "closed"
    );
  }

  #open(): Promise<Link> {
    const { name, role, positionEncoding, lasting } = this.#options;
    return openLink(
      this.#dial,
      {
        protocol: 1,
        agent: { name },
        ...(role && { role }),
        ...(positionEncoding && { positionEncoding }),
        ...(lasting && { lasting: this.#hello?.session ?? true }),
      },
      {
        notification: (method, params) => this.#notify(method as Notification, params),
        lost: (code, reason) => this.#disconnected(code, reason),
      },
      AbortSignal.any([this.#ended.signal, this.#pacing.helloTimeout()]),
    );
  }

  #useLink(link: Link): void {
    if (this.#state.is === "closed") {
      link.close();
      throw this.#state.reason;
    }
    if (link.ended) throw new DisconnectedError("the connection ended right after hello");
    // This comes before the callers of #connect resume: the link may be lost again before that.
    this.#connecting = undefined;
    const first = this.#hello === undefined;
    this.#hello = link.hello;
    this.#backoff.connected();
    this.#state = { is: "connected", link };
    const renewed = this.#subscriptions.targets.map((target) => link.call("subscribe", target));
    this.#requests.sendAll(link);
    this.#local.emit("state", "connected");
    const settled = Promise.allSettled(renewed);
    if (!first) void this.#reportMissed(link, settled);
  }

  /** Reports missed changes once the subscriptions are renewed; a document deleted meanwhile is among them. */
  async #reportMissed(link: Link, renewed: Promise<unknown>): Promise<void> {
    await renewed;
    if (this.#state.is !== "connected" || this.#state.link !== link) return;
    this.#local.emit("missed", undefined);
    const { paths, threads } = this.#subscriptions;
    this.#listeners.emit("resync", {
      paths: [...paths],
      ...(threads.length > 0 && { threads: [...threads] }),
    });
  }

  #notify<N extends Notification>(kind: N, params: NotificationParams<N>): void {
    if (kind === "doc.renamed") {
      const { path, to } = params as NotificationParams<"doc.renamed">;
      this.#subscriptions.rename(path, to);
    }
    if (kind === "resync") this.#local.emit("missed", (params as NotificationParams<"resync">).paths);
    this.#listeners.emit(kind, params as never);
  }

  #disconnected(code: number, reason: string): void {
    if (this.#state.is !== "connected") return;
    const how = `the daemon closed the connection (${code}${reason && ` ${reason}`})`;
    // With "on demand" the next attempt finds out whether the token was revoked.
    const revoked = code === POLICY_VIOLATION && this.#options.reconnect !== "on demand";
    if (revoked || this.#options.reconnect === false) {
      const advice = "Connect with a valid token.";
      this.#end(revoked ? unauthenticated(how, advice) : new DisconnectedError(how));
      return;
    }
    this.#state = { is: "reconnecting" };
    this.#backoff.disconnected();
    this.#requests.lost(code, how);
    this.#local.emit("state", "reconnecting");
    if (this.#options.reconnect !== "on demand" || this.#requests.hasPending) this.#reconnect();
  }

  /** Ends the client after a failed attempt; with "on demand" the next request tries again. */
  #fail(error: Error): Error {
    this.#connecting = undefined;
    this.#backoff.reset();
    if (this.#options.reconnect !== "on demand") this.#end(error);
    else this.#requests.rejectAll(error);
    return error;
  }

  #end(reason: Error): void {
    if (this.#state.is === "closed") return;
    const link = this.#state.is === "connected" ? this.#state.link : undefined;
    this.#state = { is: "closed", reason };
    link?.close();
    this.#requests.rejectAll(reason);
    this.#ended.abort(reason);
    this.#local.emit("state", "closed");
  }
}
