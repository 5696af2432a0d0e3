import { closeSync, fdatasyncSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";

// The least that a restart with changed files does: it looks at each file, and reads the changed ones. It loads their
// documents, makes what each file has more a change of it, and flushes all changes to disk. It prints the milliseconds.
// Usage: catch-up.js <folder> <JSON file: { paths, changed: [{ path, snapshot }] }> <log>
const [folder, task, logFile] = process.argv.slice(2);
const { paths, changed } = JSON.parse(readFileSync(task, "utf8"));
const started = performance.now();
for (const path of paths) statSync(join(folder, path));
const { LoroDoc } = await import("loro-crdt");
const log = openSync(logFile, "w");
for (const { path, snapshot } of changed) {
  const doc = LoroDoc.fromSnapshot(readFileSync(snapshot));
  const content = doc.getText("content");
  const [before, now] = [content.toString(), readFileSync(join(folder, path), "utf8")];
  const version = doc.version();
  let from = 0;
  while (before[from] === now[from] && from < before.length) from++;
  if (from < before.length) content.delete(from, before.length - from);
  content.insert(from, now.slice(from));
  doc.commit();
  const update = doc.export({ mode: "update", from: version });
  writeSync(log, JSON.stringify({ path, bytes: update.length }));
  writeSync(log, update);
}
fdatasyncSync(log);
closeSync(log);
process.stdout.write(`${performance.now() - started}\n`);
