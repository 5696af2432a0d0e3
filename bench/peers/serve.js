import { WebSocketServer } from "ws";

// The servers are plain JavaScript, because they run in plain Node processes.

/**
 * Serves WebSockets on a free port, and prints the address to stdout.
 * @param {(ws: import("ws").WebSocket) => void} greet
 */
export function serve(greet) {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false }, () => {
    process.stdout.write(`ws://127.0.0.1:${server.address().port}\n`);
  });
  server.on("connection", greet);
}
