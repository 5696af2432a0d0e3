import { once } from "node:events";
import { lstatSync, watch } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { diff } from "./diff.js";

/** The time for which a file that was written in place must stay as it is. */
const SETTLE_MS = 10;
/** The diff of a larger text is a worker's; UTF-16 units. */
const SMALL = 1 << 18;

/**
 * Watches the files of documents, and hands on what others save there.
 * @param {string} folder
 * @param {Map<string, import("./document.js").Document>} documents
 * @param {(document: import("./document.js").Document, version: number, splices: object[], text: string) => void} saved
 */
export function watchSaves(folder, documents, saved) {
  const worker = new Worker(new URL("diff.js", import.meta.url));
  /** @type {Map<string, { inode: number, isRead: boolean, again: boolean }>} */
  const known = new Map();
  let working = Promise.resolve();

  const look = async (path, file) => {
    const document = documents.get(path);
    const now = await settled(join(folder, path), file.inode);
    file.inode = now.inode;
    const [version, before] = [document.version, document.text.toString()];
    if (now.text === before) return;
    if (now.text.length <= SMALL) return saved(document, version, diff(before, now.text), now.text);
    const answer = working.then(() => {
      worker.postMessage({ before, now: now.text });
      return once(worker, "message");
    });
    working = answer;
    const [splices] = await answer;
    saved(document, version, splices, now.text);
  };
  watch(folder, async (_event, path) => {
    if (!documents.has(path)) return;
    const file = known.get(path) ?? { inode: 0, isRead: false, again: false };
    known.set(path, file);
    file.again = true;
    if (file.isRead) return;
    file.isRead = true;
    while (file.again) {
      file.again = false;
      await look(path, file);
    }
    file.isRead = false;
  });
}

/** Reads a file: at once when it took another's place, and otherwise once it stayed the same for a while. */
async function settled(path, inode) {
  for (;;) {
    const seen = lstatSync(path);
    if (seen.ino === inode) {
      await wait(SETTLE_MS);
      if (!isSame(seen, lstatSync(path))) continue;
    }
    const text = await readFile(path, "utf8");
    if (isSame(seen, lstatSync(path))) return { text, inode: seen.ino };
  }
}

function isSame(one, other) {
  return one.ino === other.ino && one.size === other.size && one.mtimeMs === other.mtimeMs;
}
