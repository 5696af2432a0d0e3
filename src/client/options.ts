import type { Notification, NotificationParams } from "../protocol/schemas.ts";

export type ClientState = "connected" | "reconnecting" | "closed";

/** What a client tells of: the daemon's notifications by their names, and its own state. */
export type ClientEvents = { readonly [N in Notification]: NotificationParams<N> } & {
  readonly state: ClientState;
};

export interface ClientOptions {
  /** The name that this client's edits are shown under. */
  readonly name: string;
  /**
   * The unit of positions in requests, answers and notifications; code points (`utf-32`) by default. A LiveText
   * counts in JavaScript string indices, whatever is chosen here.
   */
  readonly positionEncoding?: "utf-32" | "utf-16" | "utf-8" | undefined;
  /**
   * What follows when the connection is lost: it is opened again (true, the default), also once the next request
   * needs it ("on demand"), or the client is closed (false).
   */
  readonly reconnect?: boolean | "on demand" | undefined;
  /** Closes the client when it aborts. */
  readonly signal?: AbortSignal | undefined;
}
