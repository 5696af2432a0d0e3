import type { Text } from "../text/text.ts";
import type { Actor } from "../workspace/access/actor.ts";
import { notifyEach } from "../workspace/events/notify-each.ts";
import type { Workspace } from "../workspace/folder/workspace.ts";
import { type Outcome, Refusal } from "../workspace/outcome/refusal.ts";

/** How many documents one connection can be present in. */
const MOST_PATHS = 100;

/** A selection, in code points; a caret where both are the same. */
export interface Selection {
  readonly from: number;
  readonly to: number;
}

/** Somebody looks at a document over one connection. */
export interface SessionPresence {
  readonly session: string;
  readonly actor: Actor;
  readonly path: string;
  /** Where, if that was said: in the text as it was `at` that time. */
  readonly selection: Selection | undefined;
  readonly at: number;
}

/** Somebody came, moved or left; the selection is in positions of `text`. */
export type PresenceChange =
  | { readonly type: "here"; readonly presence: SessionPresence; readonly text: Text }
  | { readonly type: "gone"; readonly presence: SessionPresence };

/**
 * Who looks at which document, and where. Held in memory only, one entry a connection and document, and gone
 * with the connection. Entries go along when their document is renamed and end when it is deleted.
 */
export class Presences {
  readonly #workspace: Workspace;
  /** By session, then by path. */
  readonly #entries = new Map<string, Map<string, SessionPresence>>();
  readonly #listeners = new Set<(change: PresenceChange) => void>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
    workspace.listen((event) => {
      if (event.type === "renamed") this.#move(event.path, event.to);
      if (event.type === "deleted")
        for (const { session } of this.at(event.path)) this.leave(session, event.path);
    });
  }

  /** Calls back with every change until the answer is called. */
  listen(listener: (change: PresenceChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A connection may be present somewhere until `end`. */
  begin(session: string): void {
    this.#entries.set(session, new Map());
  }

  /** `selection` is in positions of `text`, the document's. Of no effect once the connection has ended. */
  set(
    session: string,
    actor: Actor,
    { path, text }: { readonly path: string; readonly text: Text },
    selection: Selection | undefined,
  ): Outcome<void> {
    const own = this.#entries.get(session);
    if (own === undefined) return undefined;
    if (!own.has(path) && own.size >= MOST_PATHS)
      return new Refusal("OVERLOADED", `this connection is present in ${MOST_PATHS} documents already`, {
        suggestion: "Leave one with gone: true.",
        details: { limit: MOST_PATHS },
      });
    const presence = { session, actor, path, selection, at: this.#workspace.ports.clock.now() };
    own.set(path, presence);
    this.#tell({ type: "here", presence, text });
  }

  /** Ends a connection's presence in one document, if it had any. */
  leave(session: string, path: string): void {
    const own = this.#entries.get(session);
    const presence = own?.get(path);
    if (presence === undefined) return;
    own?.delete(path);
    this.#tell({ type: "gone", presence });
  }

  /** Ends all of a connection's presence, for good. */
  end(session: string): void {
    const own = this.#entries.get(session);
    this.#entries.delete(session);
    for (const presence of own?.values() ?? []) this.#tell({ type: "gone", presence });
  }

  /** Everybody in one document, in the order in which the connections began. */
  at(path: string): SessionPresence[] {
    return [...this.#entries.values()].flatMap((own) => own.get(path) ?? []);
  }

  #move(from: string, to: string): void {
    for (const own of this.#entries.values()) {
      const presence = own.get(from);
      if (presence === undefined) continue;
      own.delete(from);
      own.set(to, { ...presence, path: to });
    }
  }

  #tell(change: PresenceChange): void {
    const { report } = this.#workspace.ports;
    notifyEach(this.#listeners, (listener) => listener(change), { news: change.type, report });
  }
}
