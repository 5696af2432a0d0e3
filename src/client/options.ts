import type { Notification, NotificationParams } from "../protocol/schemas/schemas.ts";

export type ClientState = "connected" | "reconnecting" | "closed";

/** A client's events: the daemon's notifications by their names, and the client's state. */
export type ClientEvents = { readonly [N in Notification]: NotificationParams<N> } & {
  readonly state: ClientState;
};

export interface ClientOptions {
  /** The author's name on this client's edits. */
  readonly name: string;
  /**
   * The role of the client: `agent` (the default) for a program that a model directs, `person` for a person's own
   * program. Private files exist only for a person. A role never allows more than the token does.
   */
  readonly role?: "agent" | "person" | undefined;
  /**
   * Unit of positions in requests, answers and notifications. Default: code points (`utf-32`). A LiveText
   * always uses JavaScript string indices.
   */
  readonly positionEncoding?: "utf-32" | "utf-16" | "utf-8" | undefined;
  /**
   * Reaction to a lost connection: connect again at once (true, the default), connect again for the next
   * request ("on demand"), or close the client (false).
   */
  readonly reconnect?: boolean | "on demand" | undefined;
  /**
   * True for a client that speaks for a model. The daemon remembers its seen versions across connections and restarts,
   * by its token and name. A notification does not make a text seen.
   */
  readonly lasting?: boolean | undefined;
  /** Closes the client when the signal aborts. */
  readonly signal?: AbortSignal | undefined;
}
