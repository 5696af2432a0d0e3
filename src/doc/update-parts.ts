import type { JsonChange, LoroDoc } from "loro-crdt";
import type { Peer } from "./peers.ts";

/** The most operations, or characters in runs of `RUN`, that are imported in one turn: some 40 ms. */
const PART = 4_000;
const RUN = 256;
/** The most characters of one insert in one part. */
const PIECE = PART * RUN;

interface Span {
  readonly id: { readonly peer: Peer; readonly counter: number };
  len: number;
}

/**
 * Returns changes as updates that import quickly. Each builds only on those before it, because Lamport time orders a
 * change after everything that it builds on.
 */
export function partsOf(
  doc: LoroDoc,
  changes: readonly JsonChange[],
  lengthOf: (op: JsonChange["ops"][number]) => number,
): readonly Uint8Array[] {
  const parts: Span[][] = [[]];
  let weight = 0;
  for (const { id, ops } of [...changes].sort((a, b) => a.lamport - b.lamport)) {
    const peer = id.split("@")[1] as Peer;
    for (const op of ops)
      for (let at = 0, length = lengthOf(op); at < length; at += PIECE) {
        const len = Math.min(PIECE, length - at);
        const cost = 1 + Math.floor(len / RUN);
        if (weight > 0 && weight + cost > PART) {
          parts.push([]);
          weight = 0;
        }
        weight += cost;
        add(parts.at(-1)!, peer, op.counter + at, len);
      }
  }
  return parts.map((spans) => doc.export({ mode: "updates-in-range", spans }));
}

/** Adds a run of a peer's operations: it extends the last span if the run continues it. */
function add(spans: Span[], peer: Peer, counter: number, len: number): void {
  const last = spans.at(-1);
  if (last?.id.peer === peer && last.id.counter + last.len === counter) last.len += len;
  else spans.push({ id: { peer, counter }, len });
}
