import { isDeepStrictEqual } from "node:util";
import type { DocPath } from "../../mirror/path.ts";
import type { Text } from "../../text/text.ts";
import type { Actor } from "../../workspace/access/actor.ts";
import { FULL_RIGHTS } from "../../workspace/access/rights.ts";
import type { PassingChange, Present } from "../../workspace/document/elsewhere.ts";
import { notifyEach } from "../../workspace/events/notify-each.ts";
import type { Workspace } from "../../workspace/folder/workspace.ts";
import { type Outcome, Refusal } from "../../workspace/outcome/refusal.ts";

/** Most documents that one connection may be present in. */
const MOST_PATHS = 100;

/** A selection in code points; a caret when both positions are equal. */
interface Selection {
  readonly from: number;
  readonly to: number;
}

/** The presence of one connection in a document. */
interface SessionPresence {
  readonly session: string;
  readonly actor: Actor;
  /** The name of the other machine that it is on; absent for this machine. */
  readonly machine?: string;
  readonly path: string;
  /** Selection in the text as of `at`; undefined when the client sent none. */
  readonly selection: Selection | undefined;
  readonly at: number;
}

/** A client that arrived, moved or left. The selection is in positions of `text`. */
export type PresenceChange =
  | { readonly type: "here"; readonly presence: SessionPresence; readonly text: Text }
  | { readonly type: "gone"; readonly presence: SessionPresence };

/**
 * The presence of connections in documents. It exists in memory only and ends with the connection. An entry
 * follows its document's rename and ends with its deletion.
 */
export class Presences {
  readonly #workspace: Workspace;
  /** Presences by session, then by path. */
  readonly #entries = new Map<string, Map<string, SessionPresence>>();
  readonly #listeners = new Set<(change: PresenceChange) => void>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
    workspace.shared.elsewhere.add(() => ({ present: this.#here() }));
    workspace.shared.elsewhere.listen((change) => this.#elsewhere(change));
    workspace.listen((event) => {
      if (event.type === "renamed") this.#move(event.path, event.to);
      if (event.type === "deleted")
        for (const { session } of this.at(event.path)) this.leave(session, event.path);
    });
  }

  /** Calls back with every change. Returns a function that ends this. */
  listen(listener: (change: PresenceChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Lets a connection be present in documents until `end`. */
  begin(session: string): void {
    this.#entries.set(session, new Map());
  }

  /** Sets a presence; `selection` is in positions of the document's `text`. Has no effect after `end`. */
  set(
    session: string,
    actor: Actor,
    { path, text }: { readonly path: string; readonly text: Text },
    selection: Selection | undefined,
  ): Outcome<void> {
    const own = this.#entries.get(session);
    if (own === undefined) return undefined;
    if (!own.has(path) && own.size >= MOST_PATHS)
      return new Refusal(
        "OVERLOADED",
        `this connection is present in ${MOST_PATHS} documents, which is the limit`,
        {
          suggestion: "Leave a document with presence.set and gone: true.",
          details: { limit: MOST_PATHS },
        },
      );
    const presence = { session, actor, path, selection, at: this.#workspace.ports.clock.now() };
    own.set(path, presence);
    this.#emit({ type: "here", presence, text });
  }

  /** Ends a connection's presence in one document, if there is one. */
  leave(session: string, path: string): void {
    const own = this.#entries.get(session);
    const presence = own?.get(path);
    if (presence === undefined) return;
    own?.delete(path);
    this.#emit({ type: "gone", presence });
  }

  /** Ends all presences of a connection for good. */
  end(session: string): void {
    const own = this.#entries.get(session);
    this.#entries.delete(session);
    for (const presence of own?.values() ?? []) this.#emit({ type: "gone", presence });
  }

  /** Returns the presences in one document, in the order in which their connections began. */
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

  /** The presences of this machine's connections, for other machines. */
  #here(): Present[] {
    const { ports } = this.#workspace;
    return [...this.#entries.values()].flatMap((own) =>
      [...own.values()].flatMap(({ session, actor, machine, path, selection }): Present[] => {
        const docId = this.#workspace.loadedAt(path as DocPath)?.id ?? ports.store.documentAt(path)?.id;
        if (machine !== undefined || docId === undefined) return [];
        return [{ session, name: actor.name, agent: actor.agent, docId, selection }];
      }),
    );
  }

  /**
   * Takes in the clients in documents on another machine. Positions are in that machine's text, which may be a little
   * newer or older.
   */
  #elsewhere({ machine, before, now }: PassingChange): void {
    const { ports, loaded } = this.#workspace;
    const named = (session: string) => `${machine}/${session}`;
    const isSame = (a: Present, b: Present) => a.session === b.session && a.docId === b.docId;
    for (const { session, docId } of before.present.filter(
      (one) => !now.present.some((two) => isSame(one, two)),
    )) {
      const path = loaded.byId(docId)?.path ?? ports.store.document(docId)?.path;
      if (path !== undefined) this.leave(named(session), path);
    }
    for (const one of now.present) {
      const document = loaded.byId(one.docId);
      const path = document?.path ?? ports.store.document(one.docId)?.path;
      const known = before.present.find((two) => isSame(one, two));
      if (path === undefined || (known !== undefined && isDeepStrictEqual(known, one))) continue;
      const session = named(one.session);
      const own = this.#entries.get(session) ?? new Map<string, SessionPresence>();
      const selection = document && one.selection && within(one.selection, document.text.chars);
      const actor = { name: one.name, agent: one.agent, rights: FULL_RIGHTS };
      const presence = { session, actor, machine, path, selection, at: ports.clock.now() };
      this.#entries.set(session, own.set(path, presence));
      if (document !== undefined) this.#emit({ type: "here", presence, text: document.text });
    }
    for (const [session, own] of this.#entries)
      if (own.size === 0 && session.startsWith(`${machine}/`)) this.#entries.delete(session);
  }

  #emit(change: PresenceChange): void {
    if (change.presence.machine === undefined) this.#workspace.shared.elsewhere.changed();
    const { report } = this.#workspace.ports;
    notifyEach(this.#listeners, (listener) => listener(change), { news: change.type, report });
  }
}

function within({ from, to }: Selection, chars: number): Selection {
  return { from: Math.min(from, chars), to: Math.min(to, chars) };
}
