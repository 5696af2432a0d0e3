import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { LoroDoc } from "loro-crdt";
import { openLmdbStore } from "../src/store/lmdb/lmdb.ts";
import type { ChangeRecord } from "../src/store/store.ts";
import { pathOf } from "./tree.ts";

/** Documents that are stored at the same time. */
const AT_ONCE = 100;
const LINE = "a line of the text\n";

/**
 * Gives a folder documents with a history, as if a daemon had served it for long: `changes` of each, one line each.
 * No daemon may serve the folder meanwhile; one must have served it before.
 */
export async function grow(root: string, documents: number, changes: number): Promise<void> {
  const store = openLmdbStore(join(root, ".spliced", "store"));
  const time = Date.now();
  const idOf = (prefix: string, n: number) => `${prefix}_${String(n).padStart(16, "0")}`;
  let waiting: Promise<void>[] = [];
  for (let n = 0; n < documents; n++) {
    const doc = new LoroDoc();
    doc.setPeerId(BigInt(n + 1));
    const text = doc.getText("content");
    const history: ChangeRecord[] = [];
    for (let seq = 0; seq <= changes; seq++) {
      const at = seq * LINE.length;
      text.insert(at, LINE);
      doc.commit();
      history.push({
        seq,
        id: idOf("chg", n * (changes + 1) + seq),
        author: "ada",
        agent: "owner/ada",
        origin: "agent",
        time: time + seq,
        splices: seq === 0 ? [] : [{ from: at, to: at, insert: LINE }],
        removed: seq === 0 ? [] : [""],
      });
    }
    const path = pathOf(n);
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text.toString());
    const snapshot = { seq: changes, form: "snapshot", bytes: doc.export({ mode: "snapshot" }) } as const;
    const record = { id: idOf("doc", n), path, bom: false, landed: changes };
    waiting.push(store.create(record, snapshot, ...history));
    doc.free();
    if (waiting.length < AT_ONCE) continue;
    await Promise.all(waiting);
    waiting = [];
  }
  await Promise.all(waiting);
  await store.close();
}
