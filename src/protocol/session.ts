import { matcher } from "../paths/glob.ts";
import type { WorkspaceEvent } from "../workspace/events.ts";
import { GuardedWorkspace } from "../workspace/guarded.ts";
import { isRefusal, type Outcome, Refusal } from "../workspace/refusal.ts";
import type { ThreadKey, ThreadMessage } from "../workspace/threads.ts";
import { INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, wireError } from "./errors.ts";
import { perform } from "./handlers.ts";
import { invalidParams } from "./invalid-params.ts";
import { failure, isEnveloped } from "./invoke-result.ts";
import { safeName } from "./names.ts";
import { notificationOf, presenceNotice, seenBy } from "./notifications.ts";
import type { PresenceChange } from "./presence.ts";
import { type Call, type Id, parseFrame } from "./rpc.ts";
import { isMethod, methods, type Params, type Result } from "./schemas.ts";
import type { Holder, Peer, Service } from "./service.ts";
import { observe } from "./telemetry/observe.ts";

/** The wire under a session: one text frame in, one out. */
export interface Connection {
  send(frame: string): void;
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
  | { readonly is: "greeted"; readonly peer: Peer }
  | { readonly is: "closed" };

/**
 * One connection's conversation. Does no I/O: frames come in through `receive`, go out through the
 * connection.
 *
 *     new ── hello ──► greeted ── close ──► closed
 */
export class Session {
  readonly id: string;
  readonly #service: Service;
  readonly #holder: Holder;
  readonly #connection: Connection;
  readonly #paths = new Set<string>();
  /** What was asked for by another name than the document's own. */
  readonly #asked = new Map<string, string>();
  readonly #patterns = new Map<string, { match: (path: string) => boolean; end: () => void }>();
  readonly #missed = new Set<string>();
  #state: State = { is: "new" };
  /** Frames that arrived and were not begun: no more than the wire had under way when it was held. */
  readonly #waiting: string[] = [];
  #open = 0;
  #held = false;
  #unlisten: (() => void) | undefined;

  constructor(service: Service, holder: Holder, connection: Connection) {
    this.id = service.workspace.newId("ses");
    this.#service = service;
    this.#holder = holder;
    this.#connection = connection;
  }

  get greeted(): boolean {
    return this.#state.is === "greeted";
  }

  /** Takes one frame. Answers go out as they are ready; requests on one document stay in order. */
  receive(frame: string): void {
    if (this.#state.is === "closed") return;
    this.#waiting.push(frame);
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
    while (this.#waiting.length > 0 && !this.#full) this.#begin(this.#waiting.shift()!);
    const held = this.#full;
    if (held === this.#held) return;
    this.#held = held;
    this.#connection.hold(held);
  }

  get #full(): boolean {
    return this.#connection.buffered > HOLD_BYTES || this.#open >= HOLD_REQUESTS;
  }

  #begin(frame: string): void {
    const call = parseFrame(frame);
    if ("problem" in call) {
      const refusal = new Refusal("INVALID_ARGUMENT", call.problem);
      this.#fail(call.id, refusal, call.unreadable ? PARSE_ERROR : INVALID_REQUEST);
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
    for (const { end } of this.#patterns.values()) end();
    this.#patterns.clear();
  }

  async #answer(call: Call): Promise<void> {
    const actor = () => (this.#state.is === "greeted" ? this.#state.peer.actor : undefined);
    const outcome = await observe(this.#service, { ...call, actor }, () => this.#perform(call));
    if (call.id === undefined) return;
    if (!isRefusal(outcome)) this.#send({ jsonrpc: "2.0", id: call.id, result: outcome });
    else if (isEnveloped(call.method) && this.greeted)
      this.#send({ jsonrpc: "2.0", id: call.id, result: failure(this.#service, outcome, call.params) });
    else this.#fail(call.id, outcome, isMethod(call.method) ? undefined : METHOD_NOT_FOUND);
  }

  /** Runs up to its first wait before it returns, so that what arrives first starts first. */
  async #perform(call: Call): Promise<Outcome<unknown>> {
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
        return this.#subscribe(peer, checked.data as Params<"subscribe">);
      case "unsubscribe":
        return this.#unsubscribe(checked.data as Params<"unsubscribe">);
      case "doc.close":
        return this.#closeDocument(checked.data as Params<"doc.close">);
      default:
        return perform(this.#service, peer, method, checked.data);
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
        maxMessageBytes: this.#service.maxMessageBytes,
        maxFileBytes: this.#service.workspace.limits.maxFileBytes,
      },
    };
  }

  async #subscribe({ actor }: Peer, target: Params<"subscribe">): Promise<Outcome<Result<"subscribe">>> {
    const { workspace, ignore } = this.#service;
    const guarded = new GuardedWorkspace(workspace, actor, methods.subscribe.level);
    if ("path" in target) {
      const document = await guarded.open(target.path);
      if (isRefusal(document)) return document;
      this.#paths.add(document.path);
      if (target.path !== document.path) this.#asked.set(target.path, document.path);
      return { matched: 1, opened: 1 };
    }
    const { pattern } = target;
    const matches = matcher(pattern);
    const match = guarded.readable((path) => matches(path) && !ignore(path));
    if (!this.#patterns.has(pattern))
      this.#patterns.set(pattern, {
        match,
        end: workspace.takeInterest(match),
      });
    return guarded.openMatching(match, ignore);
  }

  #unsubscribe(target: Params<"unsubscribe">): Outcome<Result<"unsubscribe">> {
    if ("path" in target) this.#leave(target.path);
    else {
      this.#patterns.get(target.pattern)?.end();
      this.#patterns.delete(target.pattern);
    }
    return {};
  }

  #closeDocument({ path }: Params<"doc.close">): Outcome<Result<"doc.close">> {
    this.#service.presences.leave(this.id, this.#leave(path));
    return { path };
  }

  /** Ends the subscription to a document by the path that was asked for; answers the document's own. */
  #leave(asked: string): string {
    const path = this.#asked.get(asked) ?? asked;
    this.#asked.delete(asked);
    this.#paths.delete(path);
    return path;
  }

  #notify({ actor, unit }: Peer, happened: WorkspaceEvent): void {
    const event = seenBy(happened, actor.rights);
    if (event === undefined) return;
    if (!this.#wants(event.path)) return;
    if (event.type === "renamed" && this.#paths.delete(event.path)) this.#paths.add(event.to);
    this.#tell(event.path, () => notificationOf(event, unit));
  }

  /** Tells of the others in documents that this connection has subscribed to. */
  #notifyOfPresence({ actor, unit }: Peer, change: PresenceChange): void {
    const { path, session } = change.presence;
    if (session === this.id || !this.#wants(path) || !actor.rights.allows(path, "read")) return;
    this.#tell(path, () => presenceNotice(change, unit));
  }

  #wants(path: string): boolean {
    return this.#paths.has(path) || [...this.#patterns.values()].some(({ match }) => match(path));
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
