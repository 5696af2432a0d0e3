import { LoroDoc } from "loro-crdt";

/** One edit of a trace. The position and the length are in UTF-16 units, after the edits before it. */
export interface Patch {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}

/** Replays a trace on a LoroDoc in this process, with one commit a transaction. Returns milliseconds and the text. */
export function replayOnLoro(
  start: string,
  transactions: readonly (readonly Patch[])[],
): { ms: number; end: string } {
  const doc = new LoroDoc();
  const text = doc.getText("content");
  if (start !== "") {
    text.insert(0, start);
    doc.commit();
  }
  const started = performance.now();
  for (const patches of transactions) {
    for (const { at, remove, insert } of patches) {
      if (remove > 0) text.delete(at, remove);
      if (insert !== "") text.insert(at, insert);
    }
    doc.commit();
  }
  const ms = performance.now() - started;
  const end = text.toString();
  text.free();
  doc.free();
  return { ms, end };
}
