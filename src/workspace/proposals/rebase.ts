import type { Seq } from "../../store/store.ts";
import { mapPosition, type Overlap } from "../../text/delta.ts";
import { diff } from "../../text/diff/diff.ts";
import { carry } from "../../text/merge/carry.ts";
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import type { Document } from "../document/document.ts";
import type { Version } from "../versions/version.ts";
import type { Anchored } from "./proposal.ts";

/** A proposal rebased onto its document's newest text. */
export interface RebasedProposal {
  readonly version: Version;
  /** True when the document has changed since the base. */
  readonly stale: boolean;
  /** The base, and the change that made it. */
  readonly base: Text;
  /** The version of the proposal's base. */
  readonly baseVersion: Version;
  readonly seq: Seq;
  /** The base's text with the proposed edit. */
  readonly proposed: Text;
  readonly now: Text;
  /** In positions of `now`. */
  readonly splices: readonly Splice[];
  /** Both in positions of `base`; `ours` is the others' part. Overlaps prevent the approval. */
  readonly overlaps: readonly Overlap[];
  readonly close: readonly Overlap[];
  /** True when the text that it would change is already changed or gone. */
  readonly superseded: boolean;
}

/** A place where the proposal and later edits changed the same words; in whole lines of the newest text. */
export interface Conflict {
  /** Lines of the newest text, 1-based and inclusive. */
  readonly lines: readonly [number, number];
  readonly was: string;
  readonly now: string;
  readonly proposed: string;
}

/** Beyond this many changes since the base, only the texts decide where the edit belongs. */
const REACH = 1000;
const MOST_CONFLICTS = 20;
/** The most characters of an excerpt. */
const EXCERPT_CHARS = 400;

/** Rebases a proposal onto the newest text; undefined when its base is no version of the document. */
export function rebaseProposal(document: Document, { base, splices }: Anchored): RebasedProposal | undefined {
  const { versions, head, text: now, version } = document;
  const seq = versions.find(base)?.seq;
  const text = seq === undefined ? undefined : versions.textAt(seq);
  if (seq === undefined || text === undefined) return undefined;
  const proposed = text.splice(splices);
  const ground = { version, seq, baseVersion: base, base: text, proposed, now };
  if (seq === head.seq)
    return { ...ground, stale: false, splices, overlaps: [], close: [], superseded: false };
  const since = head.seq - seq > REACH ? undefined : versions.since(seq);
  const { isOverwritten, ...carried } = carry(text, now, splices, since);
  const superseded = carried.overlaps.length === 0 ? carried.splices.length === 0 : isOverwritten;
  return { ...ground, ...carried, stale: true, superseded };
}

export function conflictsOf({ base, now, proposed, overlaps }: RebasedProposal): Conflict[] {
  if (overlaps.length === 0) return [];
  const others = diff(base.toString(), now.toString());
  const own = diff(base.toString(), proposed.toString());
  return overlaps.slice(0, MOST_CONFLICTS).map(({ ours, theirs }) => {
    const from = Math.min(ours.from, theirs.from);
    const to = Math.max(ours.to, theirs.to);
    const at = linesAt(now, from, to, others);
    return {
      lines: at,
      was: excerpt(base, linesAt(base, from, to, [])),
      now: excerpt(now, at),
      proposed: excerpt(proposed, linesAt(proposed, from, to, own)),
    };
  });
}

/** Returns the lines of a text with the range that `from..to` became through the splices. */
function linesAt(text: Text, from: number, to: number, splices: readonly Splice[]): [number, number] {
  const first = mapPosition(from, splices, "before");
  const last = Math.max(first, mapPosition(to, splices, "after") - 1);
  return [text.lineAt(first), text.lineAt(last)];
}

function excerpt(text: Text, [from, to]: readonly [number, number]): string {
  return Array.from(text.lineSlice(from, to)).slice(0, EXCERPT_CHARS).join("");
}
