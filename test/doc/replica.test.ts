import { LoroDoc } from "loro-crdt";
import { expect, test, vi } from "vitest";
import { newPeer } from "../../src/doc/peers.ts";
import { Replica, seedUpdate } from "../../src/doc/replica.ts";

const MOST_UNITS = 8192;

test("[BD26] a long text is seeded in short inserts, and whole characters", () => {
  const text = "𝕒bc\n".repeat(400_000);
  const doc = new LoroDoc();
  doc.import(
    seedUpdate(
      newPeer(() => new Uint8Array(8)),
      text,
    ),
  );
  const inserts = doc
    .exportJsonUpdates()
    .changes.flatMap(({ ops }) =>
      ops.flatMap(({ content }) => (content.type === "insert" && "text" in content ? [content.text] : [])),
    );
  expect(Math.max(...inserts.map(({ length }) => length))).toBeLessThanOrEqual(MOST_UNITS);
  expect(doc.getText("content").toString()).toBe(text);
});

test("[DO13] a journal is imported in order, and not at once", () => {
  const doc = new LoroDoc();
  const text = doc.getText("content");
  const updates: Uint8Array[] = [];
  doc.subscribeLocalUpdates((update) => updates.push(update));
  for (let i = 0; i < 300; i++) {
    text.insert(text.length, i % 3 === 0 ? "a line of a log, ".repeat(120) : "k");
    doc.commit();
  }
  const atOnce = vi.spyOn(LoroDoc.prototype, "importBatch");
  const replica = Replica.load(updates);
  expect(replica.toString()).toBe(text.toString());
  expect(atOnce).not.toHaveBeenCalled();
  replica.close();
});
