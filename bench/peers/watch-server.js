import { watch } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { serve } from "./serve.js";

// The fastest that a save can be noticed: at every event the server reads the file and sends its text.
// Usage: watch-server.js <folder> <name>
const [folder, name] = process.argv.slice(2);
const connected = new Set();

watch(folder, (_event, changed) => {
  if (changed === name) void send();
});
serve((ws) => connected.add(ws));

async function send() {
  try {
    const text = await readFile(join(folder, name), "utf8");
    for (const ws of connected) ws.send(text);
  } catch {
    // The file is missing for a moment, such as while it is renamed; another event follows.
  }
}
