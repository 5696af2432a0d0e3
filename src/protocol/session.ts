import { FREE_ANSWER_BYTES, MOST_INSERTED } from "../work/bounds.ts";
import type { WorkspaceEvent } from "../workspace/events/events.ts";
import { isRefusal, type Outcome, Refusal } from "../workspace/outcome/refusal.ts";
import type { ThreadMessage } from "../workspace/threads/records.ts";
import type { ThreadKey } from "../workspace/threads/threads.ts";
import { TokenWorkers } from "../workspace/workers/workers.ts";
import {
  INVALID_REQUEST,
  internal,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  type WireError,
  wireError,
} from "./errors.ts";
import { type ClientFrame, encodeFrame, readFrame } from "./frame.ts";
import { perform } from "./handlers.ts";
import { invalidParams } from "./invalid-params.ts";
import { failure, isEnveloped } from "./invoke-result.ts";
import { safeName } from "./names.ts";
import { notificationOf, presenceNotice, seenBy } from "./notifications.ts";
import type { PresenceChange } from "./presence.ts";
import type { Id, RpcCall } from "./rpc.ts";
import { isMethod, methods, type Params, type Result } from "./schemas.ts";
import { frameBytesOf, type Holder, type Requester, type Service } from "./service.ts";
import { SessionSubscriptions } from "./subscriptions.ts";
import { observe } from "./telemetry/observe.ts";
import type { AnswerPlace } from "./traffic.ts";

/** The wire under a session: one text frame in, one out. */
export interface Connection {
  /** `taken` is called once the other end has taken the frame, or is gone. */
  send(frame: string, taken?: () => void): void;
  /** Bytes sent but not yet taken by the other end. */
  readonly buffered: number;
  /** Stops and starts the arrival of frames. */
  hold(held: boolean): void;
  close(code: number, reason: string): void;
}

export const PROTOCOL_VERSION = 1;

/** Past this many unsent bytes notifications are left out, and a `resync` follows once they are fewer. */
const LAGGING_BYTES = 1 << 20;
/** Past this many unsent bytes, or unanswered requests, no further request is taken from the wire. */
const HOLD_BYTES = 4 << 20;
const HOLD_REQUESTS = 64;

type State =
  | { readonly is: "new" }
  | { readonly is: "greeted"; readonly peer: Requester }
  | { readonly is: "closed" };

/**
 * One connection's conversation. Does no I/O: frames come in through `receive`, go out through the
 * connection.
 *
 *     new ── hello ──► greeted ── close ──► closed
 */
export class ProtocolSession {
  readonly id: string;
  readonly #service: Service;
  readonly #holder: Holder;
  readonly #connection: Connection;
  readonly #workers: TokenWorkers;
  readonly #subscriptions: SessionSubscriptions;
  readonly #missed = new Set<string>();
  #state: State = { is: "new" };
  /** Frames that arrived and were not begun: no more than the wire had under way when it was held. */
  readonly #waiting: Uint8Array[] = [];
  /** A frame is being parsed by a worker; those behind it wait. */
  #reading = false;
  /** The token has had its share of this turn of the event loop. */
  #resting = false;
  #open = 0;
  #held = false;
  #unlisten: (() => void) | undefined;

  constructor(service: Service, holder: Holder, connection: Connection) {
    this.id = service.workspace.newId("ses");
    this.#service = service;
    this.#holder = holder;
    this.#subscriptions = new SessionSubscriptions(service, this.id, holder.name);
    this.#connection = connection;
    this.#workers = new TokenWorkers(service.workspace.ports.workers, holder);
  }

  get greeted(): boolean {
    return this.#state.is === "greeted";
  }

  /** Takes one frame. Answers go out as they are ready; requests on one document stay in order. */
  receive(frame: Uint8Array | string): void {
    if (this.#state.is === "closed") return;
    this.#waiting.push(typeof frame === "string" ? Buffer.from(frame) : frame);
    this.#proceed();
  }

  /** The other end has taken some of what was sent. */
  drained(): void {
    this.#proceed();
    if (this.#missed.size === 0 || this.#connection.buffered > LAGGING_BYTES / 2) return;
    const paths = [...this.#missed];
    this.#missed.clear();
    this.#send({ jsonrpc: "2.0", method: "resync", params: { paths } });
  }

  /** Starts what waits, as far as the other end keeps up; what it sent on is held on the wire. */
  #proceed(): void {
    const { turns } = this.#service;
    const { rights } = this.#holder;
    while (this.#waiting.length > 0 && !this.#full)
      if (turns.isUp(rights)) this.#rest();
      else turns.spend(rights, () => this.#read(this.#waiting.shift()!));
    const held = this.#full;
    if (held === this.#held) return;
    this.#held = held;
    this.#connection.hold(held);
  }

  get #full(): boolean {
    return (
      this.#reading || this.#resting || this.#connection.buffered > HOLD_BYTES || this.#open >= HOLD_REQUESTS
    );
  }

  /** Goes on in the next turn of the event loop, after others. */
  #rest(): void {
    this.#resting = true;
    setImmediate(() => {
      this.#resting = false;
      this.#proceed();
    });
  }

  #read(bytes: Uint8Array): void {
    const frame = readFrame(bytes, this.#workers);
    if (frame instanceof Promise) void this.#await(frame);
    else this.#begin(frame);
  }

  /** What came behind a frame that a worker parses is begun after it. */
  async #await(frame: Promise<ClientFrame>): Promise<void> {
    this.#reading = true;
    const read = await frame.catch((error: unknown): ClientFrame => {
      this.#service.log("error", "frame.failed", { session: this.id, reason: String(error) });
      return { id: null, refusal: internal(this.id) };
    });
    this.#reading = false;
    if (this.#state.is === "closed") return;
    this.#begin(read);
    this.#proceed();
  }

  #begin(call: ClientFrame): void {
    if ("refusal" in call) {
      this.#fail(call.id, call.refusal, call.unreadable ? PARSE_ERROR : INVALID_REQUEST);
      return;
    }
    this.#open++;
    void this.#answer(call).finally(() => {
      this.#open--;
      this.drained();
    });
  }

  /** The connection is gone, or must go. */
  close(): void {
    this.#state = { is: "closed" };
    this.#waiting.length = 0;
    this.#unlisten?.();
    this.#service.presences.end(this.id);
    this.#subscriptions.end();
  }

  async #answer(call: RpcCall): Promise<void> {
    const actor = () => (this.#state.is === "greeted" ? this.#state.peer.actor : undefined);
    const place = this.#service.traffic.answer(this.#holder.rights);
    const outcome = await observe(this.#service, { ...call, actor }, () => this.#perform(call, place));
    const { id } = call;
    if (id === undefined) return place.release();
    const frame = encodeFrame({ jsonrpc: "2.0", id, ...this.#outcome(call, outcome) });
    const encoded = typeof frame === "string" ? frame : await frame;
    if (encoded.length > FREE_ANSWER_BYTES) await place.reserve(encoded.length);
    if (this.#state.is === "closed") return place.release();
    this.#connection.send(encoded, () => place.release());
  }

  #outcome(
    { method, params }: RpcCall,
    outcome: Outcome<unknown>,
  ): { result: unknown } | { error: WireError } {
    if (!isRefusal(outcome)) return { result: outcome };
    if (isEnveloped(method) && this.greeted) return { result: failure(this.#service, outcome, params) };
    return { error: wireError(outcome, isMethod(method) ? undefined : METHOD_NOT_FOUND) };
  }

  /** Runs up to its first wait before it returns, so that what arrives first starts first. */
  async #perform(call: RpcCall, place: AnswerPlace): Promise<Outcome<unknown>> {
    const { method } = call;
    if (!isMethod(method)) return unknownMethod(method);
    const checked = methods[method].params.safeParse(call.params ?? {});
    if (!checked.success) return invalidParams(method, checked.error);
    if (method === "hello") return this.#hello(checked.data as Params<"hello">);
    if (this.#state.is !== "greeted")
      return new Refusal("UNAUTHENTICATED", "say hello first", {
        suggestion:
          'Send {"method":"hello","params":{"protocol":1,"agent":{"name":"…"}}} as the first request.',
      });
    const { peer } = this.#state;
    switch (method) {
      case "subscribe":
        return this.#subscriptions.subscribe(peer, checked.data as Params<"subscribe">);
      case "unsubscribe":
        return this.#subscriptions.unsubscribe(checked.data as Params<"unsubscribe">);
      case "doc.close":
        return this.#closeDocument(checked.data as Params<"doc.close">);
      default:
        return perform(this.#service, { ...peer, place }, method, checked.data);
    }
  }

  #hello({ protocol, agent, positionEncoding = "utf-32" }: Params<"hello">): Outcome<Result<"hello">> {
    if (this.#state.is === "greeted") return new Refusal("INVALID_ARGUMENT", "hello was said already");
    if (protocol !== PROTOCOL_VERSION)
      return new Refusal(
        "INVALID_ARGUMENT",
        `this daemon speaks protocol ${PROTOCOL_VERSION}, not ${protocol}`,
      );
    const { name: token, rights } = this.#holder;
    const name = safeName(agent.name, "agent");
    const actor = { name, agent: `${token}/${name}`, rights };
    const peer = { actor, user: token, unit: positionEncoding, session: this.id };
    this.#state = { is: "greeted", peer };
    const { workspace, threads, presences } = this.#service;
    presences.begin(this.id);
    const unlisten = [
      workspace.listen((event) => this.#notify(peer, event)),
      threads.listen((key, message) => this.#notifyOfMessage(key, message)),
      presences.listen((change) => this.#notifyOfPresence(peer, change)),
    ];
    this.#unlisten = () => {
      for (const end of unlisten) end();
    };
    return {
      protocol: PROTOCOL_VERSION,
      session: this.id,
      agent: { id: actor.agent, name },
      server: { name: "spliced", version: this.#service.serverVersion },
      positionEncoding,
      limits: {
        maxMessageBytes: frameBytesOf(this.#holder, this.#service.maxMessageBytes),
        maxFileBytes: this.#service.workspace.limits.maxFileBytes,
        maxInserted: MOST_INSERTED,
      },
    };
  }

  #closeDocument({ path }: Params<"doc.close">): Outcome<Result<"doc.close">> {
    this.#service.presences.leave(this.id, this.#subscriptions.leave(path));
    return { path };
  }

  #notify({ actor, unit }: Requester, happened: WorkspaceEvent): void {
    const event = seenBy(happened, actor.rights);
    if (event === undefined) return;
    if (!this.#subscriptions.wants(event.path)) return;
    if (event.type === "renamed") this.#subscriptions.renamed(event.path, event.to);
    this.#tell(event.path, () => notificationOf(event, unit));
  }

  /** Tells of the others in documents that this connection has subscribed to. */
  #notifyOfPresence({ actor, unit }: Requester, change: PresenceChange): void {
    const { path, session } = change.presence;
    if (session === this.id || !actor.rights.allows(path, "read") || !this.#subscriptions.wants(path)) return;
    this.#tell(path, () => presenceNotice(change, unit));
  }

  /** Sends what concerns a document; a client that lags gets a `resync` for it instead. */
  #tell(path: string, frame: () => string): void {
    if (this.#missed.size > 0 || this.#connection.buffered > LAGGING_BYTES) this.#missed.add(path);
    else this.#connection.send(frame());
  }

  /** Tells the one whose thread it is. */
  #notifyOfMessage({ user, about }: ThreadKey, message: ThreadMessage): void {
    if (user !== this.#holder.name || this.#connection.buffered > LAGGING_BYTES) return;
    this.#send({ jsonrpc: "2.0", method: "thread.message", params: { ...about, message } });
  }

  #fail(id: Id | null, refusal: Refusal, code?: number): void {
    this.#send({ jsonrpc: "2.0", id, error: wireError(refusal, code) });
  }

  #send(message: object): void {
    if (this.#state.is !== "closed") this.#connection.send(JSON.stringify(message));
  }
}

function unknownMethod(method: string): Refusal {
  return new Refusal("INVALID_ARGUMENT", `there is no method ${JSON.stringify(method.slice(0, 80))}`, {
    suggestion: `The methods are: ${Object.keys(methods).join(", ")}.`,
  });
}
