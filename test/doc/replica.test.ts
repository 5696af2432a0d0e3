import { LoroDoc } from "loro-crdt";
import { expect, test } from "vitest";
import { newPeer } from "../../src/doc/peers.ts";
import { seedUpdate } from "../../src/doc/replica.ts";

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
