import { serve } from "./serve.js";

// Sends each frame that it receives to everybody who is connected.
const connected = new Set();

serve((ws) => {
  connected.add(ws);
  ws.on("close", () => connected.delete(ws));
  ws.on("message", (frame) => {
    const text = frame.toString();
    for (const each of connected) each.send(text);
  });
});
