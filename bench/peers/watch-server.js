import { watch } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { serve } from "./serve.js";

// The floor of noticing a save: every event on the file has it read and sent, whatever it holds.
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
    // Away for a moment, as while it is renamed; another event follows.
  }
}
