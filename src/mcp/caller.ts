import type {
  Method,
  Notification,
  NotificationParams,
  Params,
  Result,
} from "../protocol/schemas/schemas.ts";

/**
 * MCP's only access to the workspace: the protocol's requests and notifications, over a socket or in the same
 * process. Requests reject with RefusedError or DisconnectedError.
 */
export interface Caller {
  request<M extends Exclude<Method, "hello">>(method: M, params: Params<M>): Promise<Result<M>>;
  /** Calls `listener` with each notification of a kind. Returns a function that ends this. */
  on<N extends Notification>(notification: N, listener: (params: NotificationParams<N>) => void): () => void;
  close(): void;
}
