import { mapPosition } from "../../text/delta.ts";
import { countChars } from "../../text/positions.ts";
import type { Text } from "../../text/text.ts";
import type { Document } from "../document/document.ts";
import type { Range } from "../outcome/position-refusals.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { unknownVersion } from "../outcome/refusals.ts";
import { seqOf, type Version } from "../versions/version.ts";
import type { StoredAnchor } from "./thread.ts";

/** The most code points of an anchor's text. */
const MOST_QUOTED = 10_000;

/** An anchor in the newest text of its document. */
export interface PlacedAnchor {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  /** The text of the anchor when it was made. */
  readonly quote: string;
  /** True when that text is deleted; `from` and `to` are then its former place. */
  readonly deleted: boolean;
  /** The text that the positions are in. */
  readonly text: Text;
  readonly version: Version;
}

/** Returns the anchor of a range of a version's text; `locate` returns the range in code points. */
export function anchorAt(
  document: Document,
  base: Version = document.version,
  locate: (text: Text) => Outcome<Range>,
): Outcome<StoredAnchor> {
  const change = document.versions.find(base);
  const text = change && document.versions.textAt(change.seq);
  if (text === undefined) return unknownVersion({ path: document.path, version: document.version }, base);
  const range = locate(text);
  if (isRefusal(range)) return range;
  const { from, to } = range;
  if (to - from > MOST_QUOTED)
    return new Refusal("TOO_LARGE", `an anchor has at most ${MOST_QUOTED} characters`, {
      suggestion: "Anchor the message at the beginning of the passage.",
      details: { chars: to - from, limit: MOST_QUOTED },
    });
  return { docId: document.id, base, from, to, quote: text.slice(from, to) };
}

/**
 * Moves an anchor with the text to the newest version. Deleted text that came back to its place is the anchor again.
 */
export function placeAnchor(document: Document, { base, from, to, quote }: StoredAnchor): PlacedAnchor {
  const { path, version, text, versions } = document;
  const at = { path, quote, text, version };
  const change = versions.find(base);
  const splices = change && versions.since(change.seq);
  if (splices === undefined) return { ...at, from: 0, to: 0, deleted: true };
  if (from === to) {
    const caret = mapPosition(from, splices, "before");
    return { ...at, from: caret, to: caret, deleted: false };
  }
  const moved = { from: mapPosition(from, splices, "after"), to: mapPosition(to, splices, "before") };
  if (moved.from < moved.to) return { ...at, ...moved, deleted: false };
  const place = mapPosition(from, splices, "before");
  const around = splices.find((splice) => splice.from <= from && splice.to >= to);
  const back = around && placeIn(around.insert, quote);
  if (back === undefined) return { ...at, from: place, to: place, deleted: true };
  return { ...at, from: place + back, to: place + back + (to - from), deleted: false };
}

/** Returns the only place of a quote in a text, in code points; undefined without a place, and with several. */
function placeIn(text: string, quote: string): number | undefined {
  const found = text.indexOf(quote);
  if (found < 0 || text.indexOf(quote, found + 1) >= 0) return undefined;
  return countChars(text.slice(0, found));
}

/** Returns the number of the change that an anchor builds on. */
export function seqOfAnchor({ base }: StoredAnchor): number | undefined {
  return seqOf(base);
}
