import { expect, test } from "vitest";
import { Rollbacks } from "../../src/workspace/journal/rollback.ts";
import { MemoryStore } from "../helpers/memory-store.ts";

test("[DC39] a document whose stored path is its own again is no longer looked for at another one", () => {
  const store = new MemoryStore();
  const stored = { id: "doc_1", path: "a~1.md" };
  store.document = (id) => (id === stored.id ? { ...stored, bom: false, landed: 0 } : undefined);
  const rollbacks = new Rollbacks(store);
  rollbacks.path({ id: "doc_1", path: "a.md" });
  expect(rollbacks.pathOf("doc_1")).toBe("a.md");
  rollbacks.forget("doc_1");
  expect(rollbacks.pathOf("doc_1")).toBe("a~1.md");
});
