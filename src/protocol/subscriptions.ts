import { matcher } from "../paths/glob.ts";
import { MOST_SUBSCRIBED_PATHS, MOST_SUBSCRIBED_PATTERNS } from "../work/bounds.ts";
import type { Actor } from "../workspace/access/actor.ts";
import { GuardedWorkspace } from "../workspace/folder/guarded-workspace.ts";
import { isRefusal, type Outcome, Refusal } from "../workspace/outcome/refusal.ts";
import type { ThreadEvent } from "../workspace/threads/thread.ts";
import { methods, type Params, type Result } from "./schemas.ts";
import type { Requester, Service } from "./service.ts";
import { threadIdOf } from "./thread-notices.ts";

/** The documents and patterns that one connection has subscribed to. */
export class SessionSubscriptions {
  readonly #service: Service;
  /** Id of the connection. */
  readonly #session: string;
  readonly #user: string;
  readonly #paths = new Set<string>();
  /** Documents' own paths, by the other names that the client subscribed with. */
  readonly #ownPaths = new Map<string, string>();
  readonly #patterns = new Map<string, (path: string) => boolean>();
  readonly #threads = new Set<string>();
  #hasAllThreads = false;

  /** `user` is the name of the token. */
  constructor(service: Service, session: string, user: string) {
    this.#service = service;
    this.#session = session;
    this.#user = user;
  }

  covers(path: string): boolean {
    return this.#paths.has(path) || [...this.#patterns.values()].some((match) => match(path));
  }

  /** Returns true for an event of a thread to send. Parts go only to those who follow their thread. */
  coversThread(event: ThreadEvent): boolean {
    return this.#threads.has(threadIdOf(event)) || (this.#hasAllThreads && event.type !== "part");
  }

  /** Subscribes to a document, a pattern, a thread, or all threads. Requires `read`. */
  async subscribe({ actor }: Requester, target: Params<"subscribe">): Promise<Outcome<Result<"subscribe">>> {
    if ("thread" in target) return this.#toThread(actor, target.thread);
    if ("threads" in target) {
      this.#hasAllThreads = true;
      return { matched: this.#service.threads.list(actor).length };
    }
    const guarded = new GuardedWorkspace(this.#service.workspace, actor, methods.subscribe.level);
    return "path" in target ? this.#toPath(guarded, target.path) : this.#toPattern(guarded, target.pattern);
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
    this.#paths.delete(path);
    return path;
  }

  /** Moves the subscription of a renamed document to its new path. */
  renamed(path: string, to: string): void {
    if (this.#paths.delete(path)) this.#paths.add(to);
  }

  end(): void {
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
    if (!this.#paths.has(path) && this.#paths.size >= MOST_SUBSCRIBED_PATHS)
      return tooMany(`${MOST_SUBSCRIBED_PATHS} documents`, MOST_SUBSCRIBED_PATHS);
    this.#paths.add(path);
    if (requested !== path) this.#ownPaths.set(requested, path);
    return { matched: 1 };
  }

  async #toPattern(guarded: GuardedWorkspace, pattern: string): Promise<Outcome<Result<"subscribe">>> {
    const { workspace, patterns } = this.#service;
    const matches = matcher(pattern);
    const match = guarded.readable((path) => matches(path) && !workspace.isIgnored(path));
    if (!this.#patterns.has(pattern)) {
      if (this.#patterns.size >= MOST_SUBSCRIBED_PATTERNS)
        return tooMany(`${MOST_SUBSCRIBED_PATTERNS} patterns`, MOST_SUBSCRIBED_PATTERNS);
      const refused = patterns.admit(this.#user, this.#idOf(pattern), pattern.length);
      if (refused !== undefined) return refused;
      this.#patterns.set(pattern, match);
    }
    return { matched: await guarded.count(matches) };
  }

  #endPattern(pattern: string): void {
    if (this.#patterns.delete(pattern)) this.#service.patterns.release(this.#idOf(pattern));
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
