import { carry, isOverwritten } from "../../text/carry.ts";
import { mapPosition, type Overlap } from "../../text/delta.ts";
import { diff } from "../../text/diff.ts";
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
  readonly base: Text;
  /** The base's text with the proposed edit. */
  readonly proposed: Text;
  readonly now: Text;
  /** In positions of `now`. */
  readonly splices: readonly Splice[];
  /** In positions of `base`; `ours` is the others' part. */
  readonly conflicts: readonly Overlap[];
  /** True when the text that it would change is already changed or gone. */
  readonly superseded: boolean;
}

/** A place where the proposal and later edits changed the same characters; in whole lines of the newest text. */
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
/** Characters shown of each side of a conflict. */
const SHOWN = 400;

/** Rebases a proposal onto the newest text; undefined when its base is no version of the document. */
export function rebaseProposal(document: Document, { base, splices }: Anchored): RebasedProposal | undefined {
  const { versions: past, head, text: now, version } = document;
  const seq = past.find(base)?.seq;
  const text = seq === undefined ? undefined : past.textAt(seq);
  if (seq === undefined || text === undefined) return undefined;
  const proposed = text.splice(splices);
  const ground = { version, base: text, proposed, now };
  if (seq === head.seq) return { ...ground, stale: false, splices, conflicts: [], superseded: false };
  const since = head.seq - seq > REACH ? undefined : past.since(seq);
  const carried = carry(text, now, splices, since);
  const superseded =
    carried.conflicts.length === 0 ? carried.splices.length === 0 : isOverwritten(splices, carried.conflicts);
  return { ...ground, ...carried, stale: true, superseded };
}

export function conflictsOf({ base, now, proposed, conflicts }: RebasedProposal): Conflict[] {
  if (conflicts.length === 0) return [];
  const others = diff(base.toString(), now.toString());
  const own = diff(base.toString(), proposed.toString());
  return conflicts.slice(0, MOST_CONFLICTS).map(({ ours, theirs }) => {
    const from = Math.min(ours.from, theirs.from);
    const to = Math.max(ours.to, theirs.to);
    const at = linesAt(now, from, to, others);
    return {
      lines: at,
      was: shown(base, linesAt(base, from, to, [])),
      now: shown(now, at),
      proposed: shown(proposed, linesAt(proposed, from, to, own)),
    };
  });
}

/** Returns the lines of a text that hold what `from..to` became through the splices. */
function linesAt(text: Text, from: number, to: number, splices: readonly Splice[]): [number, number] {
  const first = mapPosition(from, splices, "before");
  const last = Math.max(first, mapPosition(to, splices, "after") - 1);
  return [text.lineAt(first), text.lineAt(last)];
}

function shown(text: Text, [from, to]: readonly [number, number]): string {
  return Array.from(text.lineSlice(from, to)).slice(0, SHOWN).join("");
}
