import type { Unit } from "../text/positions.ts";
import type { Actor } from "../workspace/actor.ts";
import type { Editor } from "../workspace/edit.ts";
import type { GuardedWorkspace } from "../workspace/guarded.ts";
import type { Rights } from "../workspace/rights.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** What the protocol serves, shared by all connections. */
export interface Service {
  readonly workspace: Workspace;
  readonly editor: Editor;
  readonly serverVersion: string;
  readonly maxMessageBytes: number;
  /** Paths that listings and subscriptions by pattern leave out. */
  readonly ignore: (path: string) => boolean;
  /** Metadata of what happened, for the log: never document text. */
  readonly log: (
    level: "info" | "warn" | "error",
    event: string,
    details: Readonly<Record<string, unknown>>,
  ) => void;
}

/** What a handler works with: of the workspace only what the peer's token allows. */
export interface GuardedService extends Omit<Service, "workspace"> {
  readonly workspace: GuardedWorkspace;
}

/** Whose token opened a connection: its rights and the beginning of its identity come from there. */
export interface Holder {
  readonly name: string;
  readonly rights: Rights;
}

/** Who is on the other end once `hello` is through. */
export interface Peer {
  readonly actor: Actor;
  readonly unit: Unit;
}
