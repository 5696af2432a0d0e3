import type { Method, Notification, NotificationParams, Params, Result } from "../protocol/schemas.ts";

/**
 * The one way in which MCP reaches the workspace: the protocol's own requests and notifications, over whatever
 * connection. Requests reject with RefusedError or DisconnectedError.
 */
export interface Caller {
  request<M extends Exclude<Method, "hello">>(method: M, params: Params<M>): Promise<Result<M>>;
  /** Calls back with each notification of a kind, until the answer is called. */
  on<N extends Notification>(notification: N, listener: (params: NotificationParams<N>) => void): () => void;
  close(): void;
}
