import { GlobIndex } from "../../paths/glob-index.ts";
import type { Rights } from "../../workspace/access/rights.ts";
import type { WorkspaceEvent } from "../../workspace/events/events.ts";
import { notifyEach } from "../../workspace/events/notify-each.ts";
import type { Workspace } from "../../workspace/folder/workspace.ts";
import type { PresenceChange, Presences } from "./presence.ts";

/** A connection that gets events of the documents and patterns to which it has subscribed. */
export interface Subscriber {
  notify(event: WorkspaceEvent): void;
  notifyOfPresence(change: PresenceChange): void;
}

/** Finds the connections that subscribed to a document, so that its events cost nothing for all others. */
export class Subscribers {
  readonly #workspace: Workspace;
  readonly #byPath = new Map<string, Set<Subscriber>>();
  /** By the rights of the subscribers, because no glob is matched against a path that its token may not read. */
  readonly #byRights = new Map<Rights, GlobIndex<Subscriber>>();

  /** Sends the subscribers every event of the workspace and every presence. */
  constructor(workspace: Workspace, presences: Presences) {
    this.#workspace = workspace;
    const { report } = workspace.ports;
    workspace.listen((event) => {
      const paths = event.type === "renamed" ? [event.path, event.to] : [event.path];
      notifyEach(this.#of(paths), (one) => one.notify(event), { news: event.type, report });
    });
    presences.listen((change) => {
      const news = { news: change.type, report };
      notifyEach(this.#of([change.presence.path]), (one) => one.notifyOfPresence(change), news);
    });
  }

  addPath(path: string, subscriber: Subscriber): void {
    this.#byPath.set(path, (this.#byPath.get(path) ?? new Set()).add(subscriber));
  }

  deletePath(path: string, subscriber: Subscriber): void {
    const others = this.#byPath.get(path);
    if (others?.delete(subscriber) && others.size === 0) this.#byPath.delete(path);
  }

  addPattern(pattern: string, rights: Rights, subscriber: Subscriber): void {
    const index = this.#byRights.get(rights) ?? new GlobIndex<Subscriber>();
    this.#byRights.set(rights, index);
    index.add(pattern, subscriber);
  }

  deletePattern(pattern: string, rights: Rights, subscriber: Subscriber): void {
    const index = this.#byRights.get(rights);
    index?.delete(pattern, subscriber);
    if (index?.isEmpty) this.#byRights.delete(rights);
  }

  /** Returns true if a pattern of a subscriber with these rights covers a path. */
  hasPattern(path: string, rights: Rights, subscriber: Subscriber): boolean {
    return this.#patternsAt(path, rights)?.has(path, subscriber) ?? false;
  }

  /** Returns the subscribers of some paths, each once. A listener may end subscriptions meanwhile. */
  #of(paths: readonly string[]): ReadonlySet<Subscriber> {
    const found = new Set<Subscriber>();
    for (const path of paths) {
      for (const subscriber of this.#byPath.get(path) ?? []) found.add(subscriber);
      for (const rights of this.#byRights.keys())
        for (const subscriber of this.#patternsAt(path, rights)?.at(path) ?? []) found.add(subscriber);
    }
    return found;
  }

  #patternsAt(path: string, rights: Rights): GlobIndex<Subscriber> | undefined {
    const isSeen = rights.allows(path, "read") && !this.#workspace.isIgnored(path);
    return isSeen ? this.#byRights.get(rights) : undefined;
  }
}
