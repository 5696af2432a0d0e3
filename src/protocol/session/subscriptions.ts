import { matcher } from "../../paths/glob.ts";
import { MOST_SUBSCRIBED_PATHS, MOST_SUBSCRIBED_PATTERNS } from "../../work/bounds.ts";
import type { Actor } from "../../workspace/access/actor.ts";
import type { Rights } from "../../workspace/access/rights.ts";
import type { WorkspaceEvent } from "../../workspace/events/events.ts";
import { GuardedWorkspace } from "../../workspace/folder/guarded-workspace.ts";
import { isRefusal, type Outcome, Refusal } from "../../workspace/outcome/refusal.ts";
import type { ThreadEvent } from "../../workspace/threads/thread.ts";
import { threadIdOf } from "../notices/thread-notices.ts";
import { methods, type Params, type Result } from "../schemas/schemas.ts";
import type { Requester, Service } from "../service/service.ts";
import type { Subscriber } from "../service/subscribers.ts";

/** The documents and patterns that one connection has subscribed to. */
export class SessionSubscriptions {
  readonly #service: Service;
  /** Id of the connection. */
  readonly #session: string;
  readonly #user: string;
  readonly #subscriber: Subscriber;
  readonly #paths = new Set<string>();
  /** Documents' own paths, by the other names that the client subscribed with. */
  readonly #ownPaths = new Map<string, string>();
  /** The patterns, with the rights under which they are matched. */
  readonly #patterns = new Map<string, Rights>();
  readonly #threads = new Set<string>();
  #hasAllThreads = false;
  #ended = false;

  /** `user` is the name of the token; `subscriber` gets the events. */
  constructor(service: Service, session: string, user: string, subscriber: Subscriber) {
    this.#service = service;
    this.#session = session;
    this.#user = user;
    this.#subscriber = subscriber;
  }

  covers(path: string): boolean {
    if (this.#paths.has(path)) return true;
    const [rights] = this.#patterns.values(); // a connection has the same rights for all of them
    return rights !== undefined && this.#service.subscribers.hasPattern(path, rights, this.#subscriber);
  }

  /**
   * Returns true for an event of a thread to send. Parts go only to connections that follow their thread; messages also
   * go to those that follow one of its documents.
   */
  coversThread(event: ThreadEvent): boolean {
    if (this.#threads.has(threadIdOf(event))) return true;
    if (event.type === "part" || event.type === "stop") return false;
    const isOfDocument = () => event.thread.paths.some((path) => this.covers(path));
    return this.#hasAllThreads || (event.type === "message" && isOfDocument());
  }

  /** Subscribes to a document, a pattern, a thread, or all threads. Requires `read`. */
  async subscribe({ actor }: Requester, target: Params<"subscribe">): Promise<Outcome<Result<"subscribe">>> {
    if ("thread" in target) return this.#toThread(actor, target.thread);
    if ("threads" in target) {
      this.#hasAllThreads = true;
      return { matched: this.#service.threads.list(actor).length };
    }
    const guarded = new GuardedWorkspace(this.#service.workspace, actor, methods.subscribe.level);
    return "path" in target
      ? this.#toPath(guarded, target.path)
      : this.#toPattern(guarded, actor.rights, target.pattern);
  }

  unsubscribe(target: Params<"unsubscribe">): Result<"unsubscribe"> {
    if ("path" in target) this.leave(target.path);
    else if ("thread" in target) this.#threads.delete(target.thread);
    else if ("threads" in target) this.#hasAllThreads = false;
    else this.#endPattern(target.pattern);
    return {};
  }

  /** Ends the subscription to a document by any of its names. Returns the document's own path. */
  leave(requested: string): string {
    const path = this.#ownPaths.get(requested) ?? requested;
    this.#ownPaths.delete(requested);
    this.#deletePath(path);
    return path;
  }

  /** Returns the paths of an event that are subscribed to, and moves the subscription of a renamed document. */
  coveredPaths(event: WorkspaceEvent): string[] {
    const before = this.covers(event.path) ? [event.path] : [];
    if (event.type !== "renamed") return before;
    if (this.#deletePath(event.path)) this.#addPath(event.to);
    return this.covers(event.to) ? [...before, event.to] : before;
  }

  /** Ends all subscriptions, also ones that are not made yet. */
  end(): void {
    this.#ended = true;
    for (const path of this.#paths) this.#deletePath(path);
    for (const pattern of this.#patterns.keys()) this.#endPattern(pattern);
  }

  #toThread(actor: Actor, thread: string): Outcome<Result<"subscribe">> {
    const found = this.#service.threads.find(actor, thread);
    if (isRefusal(found)) return found;
    if (!this.#threads.has(thread) && this.#threads.size >= MOST_SUBSCRIBED_PATHS)
      return tooMany(`${MOST_SUBSCRIBED_PATHS} threads`, MOST_SUBSCRIBED_PATHS);
    this.#threads.add(thread);
    return { matched: 1 };
  }

  async #toPath(guarded: GuardedWorkspace, requested: string): Promise<Outcome<Result<"subscribe">>> {
    const document = await guarded.open(requested);
    if (isRefusal(document)) return document;
    const { path } = document;
    if (this.#ended) return { matched: 1 };
    if (!this.#paths.has(path) && this.#paths.size >= MOST_SUBSCRIBED_PATHS)
      return tooMany(`${MOST_SUBSCRIBED_PATHS} documents`, MOST_SUBSCRIBED_PATHS);
    this.#addPath(path);
    if (requested !== path) this.#ownPaths.set(requested, path);
    return { matched: 1 };
  }

  async #toPattern(
    guarded: GuardedWorkspace,
    rights: Rights,
    pattern: string,
  ): Promise<Outcome<Result<"subscribe">>> {
    const { patterns, subscribers } = this.#service;
    if (!this.#patterns.has(pattern)) {
      if (this.#patterns.size >= MOST_SUBSCRIBED_PATTERNS)
        return tooMany(`${MOST_SUBSCRIBED_PATTERNS} patterns`, MOST_SUBSCRIBED_PATTERNS);
      const refused = patterns.admit(this.#user, this.#idOf(pattern), pattern.length);
      if (refused !== undefined) return refused;
      this.#patterns.set(pattern, rights);
      subscribers.addPattern(pattern, rights, this.#subscriber);
    }
    return { matched: await guarded.count(matcher(pattern)) };
  }

  #endPattern(pattern: string): void {
    const rights = this.#patterns.get(pattern);
    if (rights === undefined) return;
    this.#patterns.delete(pattern);
    this.#service.subscribers.deletePattern(pattern, rights, this.#subscriber);
    this.#service.patterns.release(this.#idOf(pattern));
  }

  #addPath(path: string): void {
    this.#paths.add(path);
    this.#service.subscribers.addPath(path, this.#subscriber);
  }

  #deletePath(path: string): boolean {
    this.#service.subscribers.deletePath(path, this.#subscriber);
    return this.#paths.delete(path);
  }

  #idOf(pattern: string): string {
    return `${this.#session} ${pattern}`;
  }
}

function tooMany(what: string, limit: number): Refusal {
  return new Refusal("OVERLOADED", `this connection has subscribed to ${what}, which is the limit`, {
    suggestion: "Unsubscribe from some of them, or subscribe to one pattern that covers them.",
    details: { limit },
  });
}
