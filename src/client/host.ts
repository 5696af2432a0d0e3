import type { Notification, NotificationParams, Params, Result } from "../protocol/schemas/schemas.ts";
import type { Request } from "./repeats.ts";
import type { Target } from "./subscriptions.ts";

/** The parts of a client that its change feeds and live texts use. */
export interface Host {
  readonly hello: Result<"hello">;
  request<M extends Request>(method: M, params: Params<M>): Promise<Result<M>>;
  on<N extends Notification>(kind: N, listener: (params: NotificationParams<N>) => void): () => void;
  /** Subscribes to a target for one of several holders. */
  hold(target: Target, holder: object): Promise<void>;
  /** Removes a holder of a target; the last one ends the subscription. */
  release(target: Target, holder: object): Promise<void>;
  /** Moves the subscription of a renamed document to its new path. */
  renamed(path: string, to: string): void;
  /** Calls back when the client may have missed changes of the given paths, or, without paths, of all documents. */
  onMissed(listener: (paths: readonly string[] | undefined) => void): () => void;
  /** Calls back once, when the client is closed. The error is undefined when its owner closed it. */
  onClosed(listener: (error: Error | undefined) => void): () => void;
}
