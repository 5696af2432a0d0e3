import type { Notification, NotificationParams, Params, Result } from "../protocol/schemas.ts";
import type { Request } from "./repeats.ts";
import type { Target } from "./subscriptions.ts";

/** What iterations of changes and live texts need of the client that they belong to. */
export interface Host {
  readonly hello: Result<"hello">;
  request<M extends Request>(method: M, params: Params<M>): Promise<Result<M>>;
  on<N extends Notification>(kind: N, listener: (params: NotificationParams<N>) => void): () => void;
  /** Subscribes for one holder of several who may want the same. */
  hold(target: Target, holder: object): Promise<void>;
  /** Unsubscribes once no holder is left. */
  release(target: Target, holder: object): Promise<void>;
  /** A document's subscription goes by another name from now on. */
  renamed(path: string, to: string): void;
  /** Calls back whenever changes may have been missed: all, where no paths are named. */
  onMissed(listener: (paths: readonly string[] | undefined) => void): () => void;
  /** Calls back once, when the client is closed; with why, unless that was asked for. */
  onClosed(listener: (error: Error | undefined) => void): () => void;
}
