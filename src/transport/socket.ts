import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { Holder, Service } from "../protocol/service/service.ts";
import { type Connection, ProtocolSession } from "../protocol/session/session.ts";
import { Liveness, POLICY_VIOLATION } from "./liveness.ts";
import { OutgoingFrames } from "./outgoing-frames.ts";

/** Longest time until a client's `hello`, in milliseconds. */
const HELLO_MS = 5_000;
const UNSUPPORTED = 1003;

/** Serves a session over a WebSocket, until either side ends it or `holds` returns false. */
export function serveSocket(
  service: Service,
  holder: Holder,
  holds: () => boolean,
  ws: WebSocket,
  socket: Duplex,
): void {
  const frames = new OutgoingFrames(ws, socket, () => session.drained());
  const connection: Connection = {
    send: (frame, sent) => frames.add(frame, sent),
    get buffered() {
      return frames.buffered;
    },
    hold: (held) => (held ? ws.pause() : ws.resume()),
    close(code, reason) {
      frames.flush();
      ws.close(code, reason);
    },
  };
  const session = new ProtocolSession(service, holder, connection);
  const hello = setTimeout(() => {
    if (!session.greeted) ws.close(POLICY_VIOLATION, "send hello within 5 s");
  }, HELLO_MS);
  const about = { session: session.id, token: holder.name };
  const liveness = new Liveness(ws, holds, () => session.close());
  const disconnected = service.metrics.connected();
  service.log("info", "session.opened", about);

  ws.on("message", (data, isBinary) => {
    if (!liveness.messageArrived()) return;
    if (isBinary) connection.close(UNSUPPORTED, "text frames only");
    else session.receive(data as Buffer);
  });
  // ws closes after a frame that is too large or malformed; this logs the reason.
  ws.on("error", (error) => service.log("warn", "session.error", { ...about, reason: error.message }));
  ws.on("close", (code) => {
    clearTimeout(hello);
    liveness.end();
    session.close();
    disconnected();
    service.log("info", "session.closed", { ...about, code });
  });
}
