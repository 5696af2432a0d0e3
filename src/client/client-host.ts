import type { Host } from "./host.ts";
import type { Listeners } from "./listeners.ts";
import type { ClientState } from "./options.ts";
import type { Subscriptions, Target } from "./subscriptions.ts";

/** The events of a client that come from no daemon. */
export interface LocalEvents {
  readonly state: ClientState;
  /** Paths whose changes may have been missed; undefined for all documents. */
  readonly missed: readonly string[] | undefined;
}

interface ClientParts {
  readonly client: Pick<Host, "hello" | "request" | "on"> & { readonly reason: Error | undefined };
  readonly subscriptions: Subscriptions;
  readonly local: Listeners<LocalEvents>;
  readonly send: (method: "subscribe" | "unsubscribe", target: Target) => Promise<unknown>;
  /** True once the client's owner, and no failure, has closed it. */
  readonly closedByOwner: () => boolean;
}

/** Returns the view of a client that its change feeds and live texts get. */
export function clientHost({ client, subscriptions, local, send, closedByOwner }: ClientParts): Host {
  return {
    get hello() {
      return client.hello;
    },
    request: (method, params) => client.request(method, params),
    on: (kind, listener) => client.on(kind, listener),
    hold: async (target, holder) => {
      // The holder comes first, so that another holder's release meanwhile does not end the subscription.
      subscriptions.hold(target, holder);
      try {
        await send("subscribe", target);
      } catch (error) {
        subscriptions.release(target, holder);
        throw error;
      }
    },
    release: async (target, holder) => {
      if (subscriptions.release(target, holder)) await send("unsubscribe", target);
    },
    renamed: (path, to) => subscriptions.rename(path, to),
    onMissed: (listener) => local.on("missed", listener),
    onClosed: (listener) =>
      local.on("state", (state) => {
        if (state === "closed") listener(closedByOwner() ? undefined : client.reason);
      }),
  };
}
