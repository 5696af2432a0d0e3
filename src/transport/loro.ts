import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { type LoroConnection, LoroConversation } from "../protocol/loro/conversation.ts";
import type { Rooms } from "../protocol/loro/rooms.ts";
import type { Holder, Service } from "../protocol/service/service.ts";
import type { Role } from "../workspace/access/rights.ts";
import { Liveness } from "./liveness.ts";

/** Serves a Loro client over a WebSocket, until either side ends it or `holds` returns false. */
export function serveLoro(
  service: Service,
  rooms: Rooms,
  { holder, role }: { readonly holder: Holder; readonly role: Role },
  holds: () => boolean,
  ws: WebSocket,
  socket: Duplex,
): void {
  const connection: LoroConnection = {
    send(message) {
      if (ws.readyState === ws.OPEN) ws.send(message);
    },
    get buffered() {
      return ws.bufferedAmount;
    },
    hold: (held) => (held ? ws.pause() : ws.resume()),
    close: (code, reason) => ws.close(code, reason),
  };
  const conversation = new LoroConversation(service, rooms, holder, connection, role);
  const liveness = new Liveness(ws, holds, () => conversation.close());
  const about = { session: conversation.id, token: holder.name, door: "loro" };
  const disconnected = service.metrics.connected();
  service.log("info", "session.opened", about);

  ws.on("message", (data, isBinary) => {
    if (liveness.messageArrived()) conversation.receive(isBinary ? (data as Buffer) : data.toString());
  });
  socket.on("drain", () => conversation.drained());
  // ws closes after a message that is too large or malformed; this logs the reason.
  ws.on("error", (error) => service.log("warn", "session.error", { ...about, reason: error.message }));
  ws.on("close", (code) => {
    liveness.end();
    conversation.close();
    disconnected();
    service.log("info", "session.closed", { ...about, code });
  });
}
