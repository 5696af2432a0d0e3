import type { Unit } from "../text/positions.ts";
import type { Actor } from "../workspace/actor.ts";
import type { Batches } from "../workspace/batches.ts";
import type { Editor } from "../workspace/edit.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** What the protocol serves, shared by all connections. */
export interface Service {
  readonly workspace: Workspace;
  readonly editor: Editor;
  readonly batches: Batches;
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

/** Who is on the other end once `hello` is through. */
export interface Peer {
  readonly actor: Actor;
  readonly unit: Unit;
}
