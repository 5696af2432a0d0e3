import { Calls } from "../client/calls.ts";
import { DisconnectedError } from "../client/errors.ts";
import { Listeners } from "../client/listeners.ts";
import type { Notification, NotificationParams, Result } from "../protocol/schemas/schemas.ts";
import type { Holder, Service } from "../protocol/service/service.ts";
import { ProtocolSession } from "../protocol/session/session.ts";
import type { Caller } from "./caller.ts";

interface CallerOptions {
  /** Returns false when its client may be gone. */
  readonly isLive?: () => boolean;
  /** False if the caller neither reads nor edits: then it takes over nothing that its client has seen. */
  readonly lasting?: boolean;
}

/** Opens a caller inside the daemon. Its protocol session has the same rights, order and refusals as a socket's. */
export function inProcessCaller(
  service: Service,
  holder: Holder,
  name: string,
  { isLive = () => true, lasting = true }: CallerOptions = {},
): Caller {
  const failed = (error: unknown) => service.log("warn", "listener.failed", { reason: String(error) });
  const listeners = new Listeners<{ readonly [N in Notification]: NotificationParams<N> }>(failed);
  const calls = new Calls(
    (frame) => session.receive(frame),
    (kind, params) => listeners.emit(kind as Notification, params),
  );
  const session = new ProtocolSession(service, holder, {
    send(frame, taken) {
      calls.receive(frame);
      taken?.();
    },
    buffered: 0,
    get live() {
      return isLive();
    },
    hold() {}, // ToolCalls limits the requests under way
    close() {},
  });
  const disconnected = service.metrics.connected();
  // If the daemon refuses the name, every request rejects with that refusal.
  const hello = calls.call("hello", { protocol: 1, agent: { name }, ...(lasting && { lasting }) });
  hello.catch(() => undefined);
  return {
    request: (method, params) =>
      hello.then(() => calls.call(method, params) as Promise<Result<typeof method>>),
    on: (notification, listener) => listeners.on(notification, listener),
    close() {
      session.close();
      disconnected();
      calls.end(new DisconnectedError("the session is closed"));
    },
  };
}
