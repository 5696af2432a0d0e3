import { open } from "lmdb";
import { serve } from "./serve.js";

// The fastest that a durable edit can be: the server stores each frame, and sends it back once the disk has it.
// Usage: durable-server.js <folder>
const env = open({ path: process.argv[2], maxDbs: 2 });
const frames = env.openDB({ name: "frames", encoding: "binary" });
let next = 0;

serve((ws) => {
  ws.on("message", async (frame) => {
    await frames.put(next++, frame);
    await env.flushed;
    ws.send(frame.toString());
  });
});
