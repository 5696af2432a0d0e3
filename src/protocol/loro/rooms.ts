import type { Examination } from "../../doc/examination.ts";
import type { Text } from "../../text/text.ts";
import type { Actor } from "../../workspace/access/actor.ts";
import { levelIncludes } from "../../workspace/access/rights.ts";
import { GuardedWorkspace } from "../../workspace/folder/guarded-workspace.ts";
import type { Workspace } from "../../workspace/folder/workspace.ts";
import { isRefusal, type Outcome, Refusal } from "../../workspace/outcome/refusal.ts";
import { PeerClaims } from "../../workspace/sharing/peer-claims.ts";
import { type InitialState, type Member, SharedDocument } from "../../workspace/sharing/shared-document.ts";
import { PresenceGroup, type PresenceListener } from "./presence-group.ts";

/** A room that a client has joined. */
export interface JoinedDocument {
  readonly shared: SharedDocument;
  /** The document's own path, also if the client joined with another one. */
  readonly path: string;
  readonly text: Text;
  readonly mayWrite: boolean;
  readonly initial: InitialState;
}

/** The documents that Loro clients share, over all connections. */
export class Rooms {
  readonly #workspace: Workspace;
  readonly #examination: Examination;
  readonly #claims: PeerClaims;
  readonly #shared = new Map<string, SharedDocument>();
  readonly #presenceGroups = new Map<string, PresenceGroup>();

  constructor(workspace: Workspace, examination: Examination) {
    this.#workspace = workspace;
    this.#examination = examination;
    this.#claims = new PeerClaims(workspace.ports.store);
  }

  /** Joins the document at a path with a replica at `version`, in Loro's encoding. Requires `read`. */
  async join(
    member: Member,
    actor: Actor,
    path: string,
    version: Uint8Array,
  ): Promise<Outcome<JoinedDocument>> {
    const known = version.length === 0 ? new Map() : await this.#examination.version(version);
    if (known === undefined) return new Refusal("INVALID_ARGUMENT", "the version is not a LoroDoc's version");
    const guarded = new GuardedWorkspace(this.#workspace, actor, "read");
    const document = await guarded.open(path);
    if (isRefusal(document)) return document;
    const shared = this.#sharedDocument(document.id);
    const initial = await shared.join(member, document, known);
    if (isRefusal(initial)) {
      this.leave(member, shared);
      return initial;
    }
    const mayWrite = levelIncludes(guarded.allowedOn(path, document).level, "write");
    return { shared, path: document.path, text: document.text, mayWrite, initial };
  }

  leave(member: Member, shared: SharedDocument): void {
    if (!shared.leave(member) || this.#shared.get(shared.id) !== shared) return;
    this.#shared.delete(shared.id);
    void shared.close();
  }

  /** Joins the presence room of the document at a path. Requires `read`. */
  async joinPresence(
    listener: PresenceListener,
    actor: Actor,
    path: string,
  ): Promise<Outcome<{ readonly path: string; readonly presence: PresenceGroup }>> {
    const document = await new GuardedWorkspace(this.#workspace, actor, "read").open(path);
    if (isRefusal(document)) return document;
    const { id } = document;
    const ended = () => this.#presenceGroups.delete(id);
    const { report } = this.#workspace.ports;
    const presence = this.#presenceGroups.get(id) ?? new PresenceGroup(id, this.#examination, report, ended);
    this.#presenceGroups.set(id, presence);
    presence.enter(listener);
    return { path: document.path, presence };
  }

  close(): Promise<void> {
    return this.#examination.close();
  }

  #sharedDocument(id: string): SharedDocument {
    const outside = { workspace: this.#workspace, examination: this.#examination, claims: this.#claims };
    const shared = this.#shared.get(id) ?? new SharedDocument(id, outside);
    this.#shared.set(id, shared);
    return shared;
  }
}
