import { WebSocketServer } from "ws";

// The floors are plain JavaScript, because they run as bare Node processes.

/**
 * Serves WebSockets on a free port, and says on stdout where.
 * @param {(ws: import("ws").WebSocket) => void} greet
 */
export function serve(greet) {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false }, () => {
    process.stdout.write(`ws://127.0.0.1:${server.address().port}\n`);
  });
  server.on("connection", greet);
}
