import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { Holder, Service } from "../protocol/service.ts";
import { type Connection, Session } from "../protocol/session.ts";

/** How long a client has to say hello. */
const HELLO_MS = 5_000;
/** How often a silent client is asked for a sign of life; it has as long again to give one. */
const PING_MS = 30_000;
/** How often it is looked whether a silent client's token still counts. */
const RECHECK_MS = 1_000;

const POLICY_VIOLATION = 1008;
const UNSUPPORTED = 1003;

/** Runs a session over a WebSocket until either side ends it, or `holds` no longer says that its token counts. */
export function serveSocket(
  service: Service,
  holder: Holder,
  holds: () => boolean,
  ws: WebSocket,
  socket: Duplex,
): void {
  let corked = false;
  const connection: Connection = {
    send(frame) {
      if (ws.readyState !== ws.OPEN) return;
      // What is sent in one turn goes out in one write.
      if (!corked) {
        corked = true;
        socket.cork();
        process.nextTick(() => {
          corked = false;
          socket.uncork();
        });
      }
      ws.send(frame);
    },
    get buffered() {
      return ws.bufferedAmount;
    },
    hold: (held) => (held ? ws.pause() : ws.resume()),
    close: (code, reason) => ws.close(code, reason),
  };
  const session = new Session(service, holder, connection);
  const hello = setTimeout(() => {
    if (!session.greeted) ws.close(POLICY_VIOLATION, "say hello within 5 s");
  }, HELLO_MS);
  let alive = true;
  const pulse = setInterval(() => {
    if (!alive) return ws.terminate();
    alive = false;
    ws.ping();
  }, PING_MS);
  const about = { session: session.id, token: holder.name };
  const expelled = (): boolean => {
    if (holds()) return false;
    session.close();
    ws.close(POLICY_VIOLATION, "the token was revoked");
    return true;
  };
  const recheck = setInterval(expelled, RECHECK_MS);
  const disconnected = service.metrics.connected();
  service.log("info", "session.opened", about);

  ws.on("message", (data, isBinary) => {
    alive = true;
    if (expelled()) return;
    if (isBinary) ws.close(UNSUPPORTED, "text frames only");
    else session.receive(data.toString());
  });
  ws.on("pong", () => {
    alive = true;
  });
  socket.on("drain", () => session.drained());
  // A frame that is too large or malformed: ws closes with the right code and then ends; this tells why.
  ws.on("error", (error) => service.log("warn", "session.error", { ...about, reason: error.message }));
  ws.on("close", (code) => {
    clearTimeout(hello);
    clearInterval(pulse);
    clearInterval(recheck);
    session.close();
    disconnected();
    service.log("info", "session.closed", { ...about, code });
  });
}
