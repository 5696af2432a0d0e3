import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openLmdbStore } from "../../src/store/lmdb/lmdb.ts";
import type { Shelved } from "../../src/store/shelf.ts";
import type { Store } from "../../src/store/store.ts";
import { ThreadRecords } from "../../src/workspace/threads/records.ts";
import { messageKey, messageShelf, threadShelf } from "../../src/workspace/threads/stored.ts";
import type { ThreadHead, ThreadMessage } from "../../src/workspace/threads/thread.ts";
import { MemoryStore } from "../helpers/memory-store.ts";
import { processorMs } from "../helpers/processor-time.ts";

const STORES: Readonly<Record<string, () => { store: Store; reopen: () => Promise<Store> }>> = {
  LMDB: () => {
    const at = mkdtempSync(join(tmpdir(), "spliced-threads-"));
    let store: Store = openLmdbStore(at);
    onTestFinished(async () => {
      await store.close();
      rmSync(at, { recursive: true, force: true });
    });
    const reopen = async () => {
      await store.close();
      store = openLmdbStore(at);
      return store;
    };
    return { store, reopen };
  },
  "the store in memory": () => {
    const store = new MemoryStore();
    const reopen = async () => {
      await store.close();
      return store.crash();
    };
    return { store, reopen };
  },
};

const message = (n: number, text = `message ${n}`): ThreadMessage => ({
  id: `msg_x.${n}`,
  role: n % 2 === 0 ? "user" : "assistant",
  text,
  author: "alice",
  agent: "owner/alice",
  kind: "agent",
  time: "2026-01-01T00:00:00.000Z",
});
const fresh: ThreadHead = {
  id: "thr_1",
  user: "owner",
  docIds: ["doc_1"],
  status: "open",
  title: "message 0",
  last: message(0),
  anchors: { "msg_x.0": { docId: "doc_1", base: "0-x", from: 0, to: 1, quote: "😀" } },
  first: 0,
  next: 0,
  shares: {},
  created: 5,
  active: 5,
};

for (const [name, open] of Object.entries(STORES))
  describe(`threads on ${name}`, () => {
    test("[TH1] are there after a restart, message by message, until they are deleted", async () => {
      const { store, reopen } = open();
      const records = new ThreadRecords(store);
      for (let n = 0; n < 3; n++)
        expect(
          await records.append(records.head("thr_1") ?? fresh, "owner", message(n), { active: 5 + n }),
        ).toBeUndefined();
      const linked = { ...message(0), changes: ["chg_1"] };
      expect(await records.rewrite(records.head("thr_1")!, 0, linked)).toBeUndefined();
      const later = await reopen();
      const again = new ThreadRecords(later);
      const head = again.head("thr_1")!;
      expect(head).toMatchObject({ next: 3, active: 7, anchors: fresh.anchors, last: { id: "msg_x.2" } });
      expect(again.page(head)).toEqual({ messages: [linked, message(1), message(2)], more: false });
      expect([again.numberOf(head, "msg_x.1"), again.numberOf(head, "msg_y.1")]).toEqual([1, undefined]);
      expect(await again.delete(head)).toBeUndefined();
      expect([...later.shelf(threadShelf), ...later.shelf(messageShelf)]).toEqual([]);
    });

    test("[TH16] with 10,000 messages open in less than 200 ms, right after a restart", async () => {
      const { store, reopen } = open();
      const all: Shelved[] = [];
      for (let n = 0; n < 10_000; n++)
        all.push({ shelf: messageShelf, id: messageKey("thr_1", n), record: message(n, "x".repeat(500)) });
      const head = { ...fresh, next: 10_000, shares: { owner: 7_560_000 } };
      await store.shelve(...all, { shelf: threadShelf, id: "thr_1", record: head });
      const again = new ThreadRecords(await reopen());
      let page: ReturnType<typeof again.page> | undefined;
      const ms = await processorMs(() => {
        page = again.page(again.head("thr_1")!, undefined, 200);
      });
      expect([page?.messages.length, page?.messages.at(-1)?.id, page?.more]).toEqual([
        200,
        "msg_x.9999",
        true,
      ]);
      expect(again.page(head, 100, 200).messages).toHaveLength(100);
      expect(ms).toBeLessThan(200);
    });
  });
