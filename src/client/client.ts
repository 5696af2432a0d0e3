import type { Notification, NotificationParams, Params, Result } from "../protocol/schemas.ts";
import { type Change, changes } from "./changes.ts";
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

interface OwnEvents {
  readonly state: ClientState;
  /** Of these documents, or of all, changes may have been missed. */
  readonly missed: readonly string[] | undefined;
}

type State =
  | { readonly is: "connected"; readonly link: Link }
  | { readonly is: "reconnecting" }
  | { readonly is: "closed"; readonly reason: Error };

/** A typed connection to a daemon, with the protocol's methods on it. */
export type Client = ClientCore & Methods;

/** Makes a client that connects when it is first asked for something, or to be `ready`. */
export function makeClient(dial: Dial, options: ClientOptions, pacing: Pacing = systemPacing): Client {
  const client = new ClientCore(dial, options, pacing);
  return Object.assign(
    client,
    methodsOf((method, params) => client.call(method, params)),
  );
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;
/** A connection that ends sooner counts as an attempt that failed. */
const STEADY_MS = 5_000;
/** The close code of one whose token does not count any more. */
const POLICY_VIOLATION = 1008;

/**
 * A session that outlives its connections. What was subscribed to is subscribed to again, and `resync` is told
 * then, as changes may have been missed. Requests that only read, or bear an `opId` (each that may has one), are
 * sent again until they are answered; others reject with DisconnectedError, as it is not known whether they
 * were done.
 *
 *     reconnecting ◄──── the wire ends ──── connected
 *          │  └─────────── greeted ────────────►│
 *          └── refused ──► closed ◄── close() ──┘
 */
class ClientCore {
  readonly #dial: Dial;
  readonly #options: ClientOptions;
  readonly #pacing: Pacing;
  readonly #listeners = new Listeners<{ readonly [N in Notification]: NotificationParams<N> }>();
  /** What no daemon can tell. */
  readonly #own = new Listeners<OwnEvents>();
  readonly #subscriptions = new Subscriptions();
  readonly #requests = new Requests();
  readonly #ended = new AbortController();
  readonly #host: Host;
  #state: State = { is: "reconnecting" };
  #connecting: Promise<void> | undefined;
  /** Before the next attempt, in milliseconds. */
  #pause = 0;
  /** When the newest connection was greeted, by the pacing's clock. */
  #greetedAt = 0;
  #hello: Result<"hello"> | undefined;
  /** It was closed by who has it, not by what befell it. */
  #asked = false;
  /** Resolves once the client is closed, be it by itself, by the signal, or because it was turned away. */
  readonly closed: Promise<void>;

  constructor(dial: Dial, options: ClientOptions, pacing: Pacing) {
    this.#dial = dial;
    this.#options = options;
    this.#pacing = pacing;
    this.#host = this.#asHost();
    this.closed = new Promise((resolve) => {
      this.#ended.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    const { signal } = options;
    const abort = () => void this.close();
    signal?.addEventListener("abort", abort, { once: true, signal: this.#ended.signal });
    if (signal?.aborted) abort();
  }

  /** The daemon's answer to the newest connection's hello. @throws DisconnectedError before the first */
  get hello(): Result<"hello"> {
    if (this.#hello === undefined) throw new DisconnectedError("not connected yet");
    return this.#hello;
  }

  get state(): ClientState {
    return this.#state.is;
  }

  /** Why it is closed; undefined while it is not. A RefusedError when the daemon turned it away. */
  get reason(): Error | undefined {
    return this.#state.is === "closed" ? this.#state.reason : undefined;
  }

  /** Resolves once it is connected. @throws what keeps it from being */
  async ready(): Promise<void> {
    if (this.#state.is === "closed") throw this.#state.reason;
    if (this.#state.is === "reconnecting") await this.#connect();
  }

  /** Sends a request; requests are answered in any order, but those on one document are done in theirs. */
  request<M extends Request>(method: M, params: Params<M>): Promise<Result<M>> {
    return this.call(method, params) as Promise<Result<M>>;
  }

  /**
   * As request, for methods and parameters that are not known before the program runs. Rejects with RefusedError,
   * or with DisconnectedError where the answer was lost and the request cannot be sent again.
   */
  async call(method: string, params: object): Promise<unknown> {
    if (method === "unsubscribe" || method === "doc.close") {
      // Others may want the same still.
      if (this.#subscriptions.release(params as Target, this)) return this.#ask(method, params);
      return method === "doc.close" ? params : {};
    }
    const result = await this.#ask(method, params);
    if (method === "subscribe") this.#subscriptions.hold(params as Target, this);
    return result;
  }

  /** Calls back with each event of a kind, until the answer is called. */
  on<N extends Notification>(kind: N, listener: (params: NotificationParams<N>) => void): () => void;
  on(kind: "state", listener: (state: ClientState) => void): () => void;
  on(kind: keyof ClientEvents, listener: (event: never) => void): () => void {
    return kind === "state"
      ? this.#own.on(kind, listener as (state: ClientState) => void)
      : this.#listeners.on(kind, listener as (event: unknown) => void);
  }

  /**
   * The changes of a document, which is followed through renames, or of all that match a glob, from now on until
   * the iteration is left. Each is told once; what was missed meanwhile is told afterwards, oldest first, with
   * `missed: true` and without its splices.
   */
  changes(target: Target): AsyncIterableIterator<Change> {
    return changes(this.#host, target);
  }

  /** Opens a document that is kept the same as the daemon's, and may be edited meanwhile. @throws RefusedError */
  openDocument(path: string): Promise<LiveText> {
    return LiveText.open(this.#host, path);
  }

  /** Ends the connection; requests under way reject, and iterations end. */
  async close(): Promise<void> {
    this.#asked ||= this.#state.is !== "closed";
    this.#end(new DisconnectedError("the client is closed"));
    await this.#connecting?.catch(() => undefined); // why it did not connect does not matter any more
  }

  #ask(method: string, params: object): Promise<unknown> {
    const state = this.#state;
    if (state.is === "closed") return Promise.reject(state.reason);
    const answer = this.#requests.ask(method, params, state.is === "connected" ? state.link : undefined);
    if (state.is === "reconnecting") this.#reconnect();
    return answer;
  }

  /** Connects without being waited for: those who wait are told by their requests. */
  #reconnect(): void {
    this.#connect().catch(() => undefined);
  }

  #connect(): Promise<void> {
    this.#connecting ??= this.#attempts();
    return this.#connecting;
  }

  async #attempts(): Promise<void> {
    for (;;) {
      await this.#rest();
      if (this.#state.is === "closed") throw this.#fail(this.#state.reason);
      try {
        return this.#adopt(await this.#open());
      } catch (error) {
        if (!(error instanceof DisconnectedError) || !this.#persists) throw this.#fail(error as Error);
      }
    }
  }

  /** Nothing before the first attempt; many that lost the same daemon do not come back in one instant. */
  async #rest(): Promise<void> {
    const pause = this.#pause;
    this.#pause = Math.min(Math.max(FIRST_PAUSE_MS, 2 * pause), LONGEST_PAUSE_MS);
    if (pause > 0) await this.#pacing.wait(pause * (0.5 + this.#pacing.random() / 2), this.#ended.signal);
  }

  /** The first connection is there or is not; later ones are waited for. */
  get #persists(): boolean {
    return (
      this.#hello !== undefined && (this.#options.reconnect ?? true) === true && this.#state.is !== "closed"
    );
  }

  #open(): Promise<Link> {
    const { name, positionEncoding } = this.#options;
    return openLink(
      this.#dial,
      { protocol: 1, agent: { name }, ...(positionEncoding && { positionEncoding }) },
      {
        told: (method, params) => this.#told(method as Notification, params),
        lost: (code, reason) => this.#lost(code, reason),
      },
      AbortSignal.any([this.#ended.signal, this.#pacing.patience()]),
    );
  }

  #adopt(link: Link): void {
    if (this.#state.is === "closed") {
      link.close();
      throw this.#state.reason;
    }
    if (link.ended) throw new DisconnectedError("the connection ended as soon as it was there");
    // At once: it may be lost again before those who wait have heard.
    this.#connecting = undefined;
    const first = this.#hello === undefined;
    this.#hello = link.hello;
    this.#greetedAt = this.#pacing.now();
    this.#state = { is: "connected", link };
    const renewed = this.#subscriptions.targets.map((target) => link.call("subscribe", target));
    this.#requests.sendAll(link);
    this.#own.tell("state", "connected");
    const settled = Promise.allSettled(renewed);
    if (!first) void this.#resume(link, settled);
  }

  /** A document that is gone by now is told of as missed, like all others. */
  async #resume(link: Link, renewed: Promise<unknown>): Promise<void> {
    await renewed;
    if (this.#state.is !== "connected" || this.#state.link !== link) return;
    this.#own.tell("missed", undefined);
    this.#listeners.tell("resync", { paths: [...this.#subscriptions.paths] });
  }

  #told<N extends Notification>(kind: N, params: NotificationParams<N>): void {
    if (kind === "doc.renamed") {
      const { path, to } = params as NotificationParams<"doc.renamed">;
      this.#subscriptions.rename(path, to);
    }
    if (kind === "resync") this.#own.tell("missed", (params as NotificationParams<"resync">).paths);
    this.#listeners.tell(kind, params as never);
  }

  #lost(code: number, reason: string): void {
    if (this.#state.is !== "connected") return;
    const how = `the daemon closed the connection (${code}${reason && ` ${reason}`})`;
    // On demand, the next attempt tells.
    const revoked = code === POLICY_VIOLATION && this.#options.reconnect !== "on demand";
    if (revoked || this.#options.reconnect === false) {
      const why = "Connect with a token that counts.";
      this.#end(revoked ? unauthenticated(how, why) : new DisconnectedError(how));
      return;
    }
    this.#state = { is: "reconnecting" };
    if (this.#pacing.now() - this.#greetedAt >= STEADY_MS) this.#pause = 0;
    this.#requests.lost(code, how);
    this.#own.tell("state", "reconnecting");
    if (this.#options.reconnect !== "on demand" || this.#requests.areWaiting) this.#reconnect();
  }

  /** What keeps it from connecting ends it, unless it is to try again with the next request. */
  #fail(error: Error): Error {
    this.#connecting = undefined;
    this.#pause = 0;
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
    this.#own.tell("state", "closed");
  }

  #asHost(): Host {
    const client = this;
    return {
      get hello() {
        return client.hello;
      },
      request: (method, params) => this.request(method, params),
      on: (kind, listener) => this.on(kind, listener),
      hold: async (target, holder) => {
        // First, so that nobody else who lets go of it meanwhile ends it.
        this.#subscriptions.hold(target, holder);
        try {
          await this.#ask("subscribe", target);
        } catch (error) {
          this.#subscriptions.release(target, holder);
          throw error;
        }
      },
      release: async (target, holder) => {
        if (this.#subscriptions.release(target, holder)) await this.#ask("unsubscribe", target);
      },
      renamed: (path, to) => this.#subscriptions.rename(path, to),
      onMissed: (listener) => this.#own.on("missed", listener),
      onClosed: (listener) =>
        this.#own.on("state", (state) => {
          if (state === "closed") listener(this.#asked ? undefined : this.reason);
        }),
    };
  }
}
