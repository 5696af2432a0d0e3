import { FREE_ANSWER_BYTES, MOST_INSERTED } from "../../work/bounds.ts";
import type { WorkspaceEvent } from "../../workspace/events/events.ts";
import { isRefusal, type Outcome, Refusal } from "../../workspace/outcome/refusal.ts";
import { SeenDocuments } from "../../workspace/seen/seen-documents.ts";
import type { Audience, ThreadEvent } from "../../workspace/threads/thread.ts";
import { TokenWorkers } from "../../workspace/workers/workers.ts";
import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  type WireError,
  wireError,
} from "../base/errors.ts";
import { safeName } from "../base/names.ts";
import type { Id, RpcCall } from "../base/rpc.ts";
import { type ClientFrame, encodeFrame } from "../frames/frame.ts";
import { FrameQueue } from "../frames/frame-queue.ts";
import { observe } from "../frames/observe.ts";
import { RequestOrder } from "../frames/request-order.ts";
import { perform } from "../handlers/handlers.ts";
import { failedBatch, refusesInResult } from "../handlers/invoke-result.ts";
import { MissedNews } from "../notices/missed-news.ts";
import { notificationOf, presenceNotice, visibleTo } from "../notices/notifications.ts";
import { threadIdOf, threadNotice } from "../notices/thread-notices.ts";
import { invalidParams, unknownMethod } from "../params/invalid-params.ts";
import { checkParams } from "../params/left-out.ts";
import { withOwnNames } from "../params/parameter-names.ts";
import { isMethod, type Params, type Result } from "../schemas/schemas.ts";
import type { PresenceChange } from "../service/presence.ts";
import { frameBytesOf, type Holder, type Requester, type Service } from "../service/service.ts";
import type { AnswerPlace } from "../service/traffic.ts";
import { SessionSubscriptions } from "./subscriptions.ts";

/** The wire of a session. */
export interface Connection {
  /** Sends a frame; `sent` is called once the client has received it, or the connection has ended. */
  send(frame: string, sent?: () => void): void;
  /** Number of bytes that the client has not received yet. */
  readonly buffered: number;
  /** False when the client may be gone although its connection has not ended. Default: true. */
  readonly live?: boolean;
  /** True for a connection of a few requests, sent at once. */
  readonly isBrief?: boolean;
  /** Stops or resumes the arrival of frames. */
  hold(held: boolean): void;
  close(code: number, reason: string): void;
}

const PROTOCOL_VERSION = 1;

/** A client with more unsent bytes gets a `resync` later, instead of notifications. */
const LAGGING_BYTES = 1 << 20;

type State =
  | { readonly is: "new" }
  | { readonly is: "greeted"; readonly requester: Requester; readonly told: SeenDocuments | undefined }
  | { readonly is: "closed" };

/**
 * Owns the state of one connection: its client after `hello`, its subscriptions, and the notifications that it
 * missed. Does no I/O: frames arrive through `receive` and leave through the connection.
 *
 *     new ── hello ──► greeted ── close ──► closed
 */
export class ProtocolSession {
  readonly id: string;
  readonly #service: Service;
  readonly #holder: Holder;
  readonly #connection: Connection;
  readonly #frames: FrameQueue;
  readonly #subscriptions: SessionSubscriptions;
  readonly #missed = new MissedNews();
  readonly #order: RequestOrder;
  #state: State = { is: "new" };
  #unlisten: (() => void) | undefined;

  constructor(service: Service, holder: Holder, connection: Connection) {
    this.id = service.workspace.newId("ses");
    this.#service = service;
    this.#holder = holder;
    this.#subscriptions = new SessionSubscriptions(service, this.id, holder.name, {
      notify: (event) => this.#notify(event),
      notifyOfPresence: (change) => this.#notifyOfPresence(change),
    });
    this.#connection = connection;
    this.#order = new RequestOrder((begin) => service.turns.take(holder.rights, begin));
    this.#frames = new FrameQueue({
      service,
      session: this.id,
      holder,
      workers: new TokenWorkers(service.workspace.ports.workers, holder),
      connection,
      begin: (frame) => this.#begin(frame),
      answered: () => this.#sendMissed(),
    });
  }

  get greeted(): boolean {
    return this.#state.is === "greeted";
  }

  /** Receives one frame. Answers leave as they are ready; see `RequestOrder`. */
  receive(frame: Uint8Array | string | ClientFrame): void {
    if (this.#state.is === "closed") return;
    this.#frames.add(typeof frame === "string" ? Buffer.from(frame) : frame);
  }

  /** Reports that the system has taken all bytes for the client. */
  drained(): void {
    this.#frames.drained();
    this.#sendMissed();
  }

  /** Sends one `resync` for all that a client missed, once it has caught up. */
  #sendMissed(): void {
    if (this.#missed.isEmpty || this.#connection.buffered > LAGGING_BYTES / 2) return;
    this.#send({ jsonrpc: "2.0", method: "resync", params: this.#missed.take() });
  }

  /** Ends the session, because its connection ended or must end. */
  close(): void {
    this.#state = { is: "closed" };
    this.#frames.close();
    this.#unlisten?.();
    this.#service.presences.end(this.id);
    this.#service.claims.endConnection(this.id);
    this.#service.threads.answers.endConnection(this.id);
    this.#subscriptions.end();
    this.#service.seenMemory.end(this.id);
  }

  #begin(frame: ClientFrame): Promise<void> | undefined {
    if (!("refusal" in frame)) return this.#order.run(frame, () => this.#answer(frame));
    const { id, refusal, unreadable, positional } = frame;
    this.#fail(id, refusal, unreadable ? PARSE_ERROR : positional ? INVALID_PARAMS : INVALID_REQUEST);
    return undefined;
  }

  async #answer(call: RpcCall): Promise<void> {
    const requester = () => (this.#state.is === "greeted" ? this.#state.requester : undefined);
    const place = this.#service.traffic.answer(this.#holder.rights);
    const outcome = await observe(this.#service, { ...call, requester }, () => this.#perform(call, place));
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
    if (refusesInResult(method) && this.greeted)
      return { result: failedBatch(this.#service, outcome, params) };
    return { error: wireError(outcome, isMethod(method) ? undefined : METHOD_NOT_FOUND) };
  }

  /** Performs a request. It runs to its first wait before it returns, so requests begin in their order. */
  async #perform(call: RpcCall, place: AnswerPlace): Promise<Outcome<unknown>> {
    const { method } = call;
    if (!isMethod(method)) return unknownMethod(method);
    const named = withOwnNames(method, call.params ?? {});
    if (isRefusal(named)) return named;
    const checked = checkParams(method, named);
    if (!checked.success) return invalidParams(method, checked.error);
    if (method === "hello") return this.#hello(checked.data as Params<"hello">);
    if (this.#state.is !== "greeted")
      return new Refusal("UNAUTHENTICATED", "the connection has not sent hello", {
        suggestion:
          'Send {"method":"hello","params":{"protocol":1,"agent":{"name":"…"}}} as the first request.',
      });
    const { requester } = this.#state;
    switch (method) {
      case "subscribe":
        return this.#subscriptions.subscribe(requester, checked.data as Params<"subscribe">);
      case "unsubscribe":
        return this.#subscriptions.unsubscribe(checked.data as Params<"unsubscribe">);
      case "doc.close":
        return this.#closeDocument(checked.data as Params<"doc.close">);
      default:
        return perform(this.#service, { ...requester, place }, method, checked.data);
    }
  }

  #hello(greeting: Params<"hello">): Outcome<Result<"hello">> {
    const { protocol, agent, role = "agent", positionEncoding = "utf-32", lasting } = greeting;
    if (this.#state.is === "greeted")
      return new Refusal("INVALID_ARGUMENT", "this connection has already sent hello", {
        suggestion: "Send the next request. For another agent, role or unit, open another connection.",
      });
    if (protocol !== PROTOCOL_VERSION)
      return new Refusal(
        "INVALID_ARGUMENT",
        `this daemon supports protocol ${PROTOCOL_VERSION}, not ${protocol}`,
        { suggestion: `Send hello with protocol: ${PROTOCOL_VERSION}.` },
      );
    const { name: token } = this.#holder;
    const rights = this.#service.agents.rightsIn(role, this.#holder.rights);
    const name = safeName(agent.name, "agent");
    const seen = this.#beginSeen(name, lasting);
    const session = agent.session === undefined ? {} : { session: safeName(agent.session, "agent") };
    const actor = { name, agent: `${token}/${name}`, rights, seen, role, ...session };
    const told = lasting === undefined ? seen : undefined;
    const isBrief = this.#connection.isBrief ?? false;
    const requester = { actor, user: token, unit: positionEncoding, session: this.id, role, isBrief };
    this.#state = { is: "greeted", requester, told };
    const { threads, presences } = this.#service;
    presences.begin(this.id);
    this.#unlisten = threads.listen((event, audience) => this.#notifyOfThread(requester, event, audience));
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

  /** Begins this session's sights with the sights of its client's earlier sessions. */
  #beginSeen(name: string, lasting: Params<"hello">["lasting"]): SeenDocuments {
    if (lasting === undefined) return new SeenDocuments();
    return this.#service.seenMemory.begin({
      token: this.#holder.name,
      name,
      session: this.id,
      resumes: lasting === true ? undefined : lasting,
      isLive: () => this.#connection.live ?? true,
    });
  }

  #closeDocument({ path }: Params<"doc.close">): Outcome<Result<"doc.close">> {
    this.#service.presences.leave(this.id, this.#subscriptions.leave(path));
    return { path };
  }

  /** Sends the notification of an event, and notes a change that the client was sent in full. */
  #notify(workspaceEvent: WorkspaceEvent): void {
    if (this.#state.is !== "greeted") return;
    const { requester, told } = this.#state;
    const event = visibleTo(workspaceEvent, requester.actor.rights);
    const covered = event === undefined ? [] : this.#subscriptions.coveredPaths(event);
    if (event === undefined || covered.length === 0) return;
    const isSent = this.#sendNotification(covered, () => notificationOf(event, requester.unit));
    if (isSent && event.type === "changed") told?.wasTold(event.docId, event);
  }

  /** Sends another connection's presence in a document that this one has subscribed to. */
  #notifyOfPresence(change: PresenceChange): void {
    if (this.#state.is !== "greeted") return;
    const { actor, unit } = this.#state.requester;
    const { path, session } = change.presence;
    if (session === this.id || !actor.rights.allows(path, "read")) return;
    this.#sendNotification([path], () => presenceNotice(change, unit));
  }

  /** Sends a notification about a document, and returns true. A client that lags gets a `resync` later instead. */
  #sendNotification(paths: readonly string[], frame: () => string): boolean {
    const lags = this.#lags;
    if (lags) for (const path of paths) this.#missed.addPath(path);
    else this.#connection.send(frame());
    return !lags;
  }

  /** Sends an event of a thread that this connection follows and may see, and the wish to stop to the one who answers. */
  #notifyOfThread({ actor }: Requester, event: ThreadEvent, audience: Audience): void {
    const isFor =
      event.type === "stop"
        ? event.connection === this.id
        : this.#subscriptions.coversThread(event) && audience(actor);
    if (!isFor) return;
    if (this.#lags && event.type !== "stop") this.#missed.addThread(threadIdOf(event));
    else this.#connection.send(threadNotice(event));
  }

  /** True for a client that gets a `resync` later, instead of notifications. */
  get #lags(): boolean {
    return !this.#missed.isEmpty || this.#connection.buffered > LAGGING_BYTES;
  }

  #fail(id: Id | null, refusal: Refusal, code?: number): void {
    this.#send({ jsonrpc: "2.0", id, error: wireError(refusal, code) });
  }

  #send(message: object): void {
    if (this.#state.is !== "closed") this.#connection.send(JSON.stringify(message));
  }
}
